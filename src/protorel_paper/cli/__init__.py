"""The command `protorel-paper`: one table, figure or experiment of the paper per command."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.cli.commands import main, run

__all__ = ["main", "run"]

__getattr__ = lazy_names(__name__)
