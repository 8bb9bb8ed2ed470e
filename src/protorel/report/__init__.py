"""Who shows: one HTML page with figures, curves, a map and a label check."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.report.budget_curves import write_budget_curves
    from protorel.report.content import BeforeAfter, FigureRow, JudgedLabel, MapPoint, ReportContent
    from protorel.report.figure6 import reproduce_figure6
    from protorel.report.figure_needs import missing_for
    from protorel.report.figures import FIGURES, FigureSources, reproduce_figures, write_gallery
    from protorel.report.noise_curves import write_noise_curves
    from protorel.report.page import render_report, write_report
    from protorel.report.palette import printed_colour
    from protorel.report.printed_figure import NoMatplotlib, legend_below, new_figure, write_figure
    from protorel.report.projection import project
    from protorel.report.smoke_figures import smoke_sources

__all__ = [
    "BeforeAfter",
    "FIGURES",
    "FigureRow",
    "FigureSources",
    "JudgedLabel",
    "MapPoint",
    "NoMatplotlib",
    "ReportContent",
    "legend_below",
    "missing_for",
    "new_figure",
    "printed_colour",
    "project",
    "render_report",
    "reproduce_figure6",
    "reproduce_figures",
    "smoke_sources",
    "write_budget_curves",
    "write_figure",
    "write_gallery",
    "write_noise_curves",
    "write_report",
]

__getattr__ = lazy_names(__name__)
