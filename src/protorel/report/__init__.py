"""The report: one HTML page with figures, curves, a map and a label check."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.report.content import (
        BeforeAfter,
        FigureRow,
        MapPoint,
        MarkedTriple,
        ReadSentence,
        ReportContent,
        SuspectLabel,
    )
    from protorel.report.map_labels import HEIGHT as LABEL_HEIGHT
    from protorel.report.map_labels import place_labels
    from protorel.report.page import render_report, write_report
    from protorel.report.painted import Piece, pieces
    from protorel.report.palette import printed_colour
    from protorel.report.projection import project
    from protorel.report.safe_text import short

__all__ = [
    "BeforeAfter",
    "FigureRow",
    "LABEL_HEIGHT",
    "MapPoint",
    "MarkedTriple",
    "Piece",
    "ReadSentence",
    "ReportContent",
    "SuspectLabel",
    "pieces",
    "place_labels",
    "printed_colour",
    "project",
    "render_report",
    "short",
    "write_report",
]

__getattr__ = lazy_names(__name__)
