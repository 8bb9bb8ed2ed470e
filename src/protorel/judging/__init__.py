"""Judging: people look at labels one by one, and their verdicts are kept."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.judging.agreement import Agreement, Coefficient, cohen_kappa, krippendorff_alpha, measure_agreement
    from protorel.judging.database import FILE as VERDICTS_FILE
    from protorel.judging.desk import Desk
    from protorel.judging.exports import (
        LABEL_STUDIO_CONFIG,
        Exported,
        check_export,
        export_format,
        export_verdicts,
    )
    from protorel.judging.orders import ORDERS, SAMPLE, Order, disagreements, find_plan, with_repeats
    from protorel.judging.results import Decision, decide, estimate_from_verdicts, read_verdicts
    from protorel.judging.server import HOST, PORT, JudgingServer, serve
    from protorel.judging.sessions import open_desk
    from protorel.judging.store import Plan, VerdictStore
    from protorel.judging.summary import JudgingSummary, summarise_judging
    from protorel.judging.verdicts import VERDICTS, WRONG, JudgeHistory, Verdict, VerdictRefused, check_judge

__all__ = [
    "Agreement",
    "Coefficient",
    "Decision",
    "Desk",
    "Exported",
    "HOST",
    "JudgeHistory",
    "JudgingServer",
    "JudgingSummary",
    "LABEL_STUDIO_CONFIG",
    "ORDERS",
    "Order",
    "PORT",
    "Plan",
    "SAMPLE",
    "VERDICTS",
    "VERDICTS_FILE",
    "Verdict",
    "VerdictRefused",
    "VerdictStore",
    "WRONG",
    "check_export",
    "check_judge",
    "cohen_kappa",
    "decide",
    "disagreements",
    "estimate_from_verdicts",
    "export_format",
    "export_verdicts",
    "find_plan",
    "krippendorff_alpha",
    "measure_agreement",
    "open_desk",
    "read_verdicts",
    "serve",
    "summarise_judging",
    "with_repeats",
]

__getattr__ = lazy_names(__name__)
