"""The experiment engine: plan, claim, make, write JSON, summarise. Tables and experiments share it."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.engine.claims import Claim, Comparison, compare, direction, signed
    from protorel_paper.engine.precision import TablePrecision
    from protorel_paper.engine.results import Kind, Plan, ResultFolder
    from protorel_paper.engine.runner import Audience, Progress, Watching, make_results, quiet
    from protorel_paper.engine.stages import RunFolders, Stage
    from protorel_paper.engine.summary import (
        Summary,
        interval_json,
        mean_per_relation,
        over_seeds,
        provenance,
        shown_margin,
        summary_json,
        write_summary,
    )

__all__ = [
    "Audience",
    "Claim",
    "Comparison",
    "Kind",
    "Plan",
    "Progress",
    "ResultFolder",
    "RunFolders",
    "Stage",
    "Summary",
    "TablePrecision",
    "Watching",
    "compare",
    "direction",
    "interval_json",
    "make_results",
    "mean_per_relation",
    "over_seeds",
    "provenance",
    "quiet",
    "shown_margin",
    "signed",
    "summary_json",
    "write_summary",
]

__getattr__ = lazy_names(__name__)
