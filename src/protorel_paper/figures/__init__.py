"""Figures 1 to 6 of the paper."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.figures.figure6 import reproduce_figure6
    from protorel_paper.figures.figures import FigureSources, reproduce_figures, write_gallery
    from protorel_paper.figures.needs import FIGURES, missing_for
    from protorel_paper.figures.smoke_figures import smoke_sources

__all__ = [
    "FIGURES",
    "FigureSources",
    "missing_for",
    "reproduce_figure6",
    "reproduce_figures",
    "smoke_sources",
    "write_gallery",
]

__getattr__ = lazy_names(__name__)
