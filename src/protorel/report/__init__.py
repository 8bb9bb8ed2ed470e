"""Who shows: one HTML page with figures, curves, a map and a label check."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.report.content import BeforeAfter, FigureRow, JudgedLabel, MapPoint, ReportContent
    from protorel.report.page import render_report, write_report
    from protorel.report.projection import project

__all__ = [
    "BeforeAfter",
    "FigureRow",
    "JudgedLabel",
    "MapPoint",
    "ReportContent",
    "project",
    "render_report",
    "write_report",
]

__getattr__ = lazy_names(__name__)
