"""The report: one HTML page about runs, with a map of statements, labels, figures, geometry, curves and data."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.report.audit_content import audited_labels, label_check
    from protorel.report.content import (
        AuditedLabels,
        BeforeAfter,
        ConfusablePair,
        DataCard,
        EvaluationTable,
        LabelCheck,
        Layout,
        MarkedTriple,
        ReadSentence,
        RelationCount,
        RelationLabels,
        ReportContent,
        RunGeometry,
        StatementMap,
        WorstLabel,
    )
    from protorel.report.evaluation_files import check_evaluations, evaluation_tables
    from protorel.report.page import render_report, write_report
    from protorel.report.painted import Piece, pieces
    from protorel.report.palette import printed_colour
    from protorel.report.projection import neighbour_map, perplexity, project
    from protorel.report.prototype_geometry import run_geometry
    from protorel.report.run_content import MapSettings, data_facts, layouts_of, relation_counts, training_facts
    from protorel.report.run_report import RunReport, report_runs
    from protorel.report.safe_text import short

__all__ = [
    "AuditedLabels",
    "BeforeAfter",
    "ConfusablePair",
    "DataCard",
    "EvaluationTable",
    "LabelCheck",
    "Layout",
    "MapSettings",
    "MarkedTriple",
    "Piece",
    "ReadSentence",
    "RelationCount",
    "RelationLabels",
    "ReportContent",
    "RunGeometry",
    "RunReport",
    "StatementMap",
    "WorstLabel",
    "audited_labels",
    "check_evaluations",
    "data_facts",
    "evaluation_tables",
    "label_check",
    "layouts_of",
    "neighbour_map",
    "perplexity",
    "pieces",
    "printed_colour",
    "project",
    "relation_counts",
    "render_report",
    "report_runs",
    "run_geometry",
    "short",
    "training_facts",
    "write_report",
]

__getattr__ = lazy_names(__name__)
