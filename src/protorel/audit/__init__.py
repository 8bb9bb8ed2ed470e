"""The audit: which labels are wrong, why, and how many."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.audit.auditing import audit_labels
    from protorel.audit.columns import AUDIT_SCHEMA, EVIDENCE, RELATION_SCHEMA, SCORED_BY
    from protorel.audit.label_audit import AUDIT, RELATIONS, SUMMARY, Audit, KeptStatements
    from protorel.audit.sampling import Sample, draw_sample
    from protorel.audit.settings import AuditSettings
    from protorel.audit.wrong_share import WrongShare, estimate_wrong_share, wilson_interval

__all__ = [
    "AUDIT",
    "AUDIT_SCHEMA",
    "Audit",
    "AuditSettings",
    "EVIDENCE",
    "KeptStatements",
    "RELATIONS",
    "RELATION_SCHEMA",
    "SCORED_BY",
    "SUMMARY",
    "Sample",
    "WrongShare",
    "audit_labels",
    "draw_sample",
    "estimate_wrong_share",
    "wilson_interval",
]

__getattr__ = lazy_names(__name__)
