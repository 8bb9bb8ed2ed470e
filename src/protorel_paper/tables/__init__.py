"""Tables 1 to 3 of the paper: rows, budgets, trainings, cells, summaries."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.tables.order import TABLES, TableOrder
    from protorel_paper.tables.parallel import make_in_parallel
    from protorel_paper.tables.reproduce import reproduce_table

__all__ = [
    "TABLES",
    "TableOrder",
    "make_in_parallel",
    "reproduce_table",
]

__getattr__ = lazy_names(__name__)
