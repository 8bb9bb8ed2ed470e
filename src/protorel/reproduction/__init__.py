"""The paper's tables, every row: trained and judged here by one command, beside what the paper prints."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.reproduction.cells import CellPlan
    from protorel.reproduction.tables import TABLES, check_order
    from protorel.reproduction.together import TableOrder, made_together
    from protorel.reproduction.work import Audience

__all__ = ["Audience", "CellPlan", "TABLES", "TableOrder", "check_order", "made_together"]

__getattr__ = lazy_names(__name__)
