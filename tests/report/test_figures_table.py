"""The table of figures."""

import math

from protorel.evaluation import Measurement
from protorel.report import FigureRow
from protorel.report.tables import figures_section


def _figure(value):
    return Measurement(value, 0.0021, 2000)


def test_the_best_of_each_column_is_marked_and_ties_share_it():
    rows = [
        FigureRow("a", {"x": _figure(0.5), "y": _figure(0.7)}),
        FigureRow("b", {"x": _figure(0.6), "y": _figure(0.7)}, emphasised=True),
    ]
    html = figures_section(rows, "")
    assert html.count("(best)") == 3
    assert '<strong class="best">60.00 <span class="margin">± 0.21</span>' in html
    assert html.count('<tr class="emphasised">') == 1


def test_a_single_system_is_not_called_the_best():
    assert "best" not in figures_section([FigureRow("a", {"x": _figure(0.5)})], "")


def test_a_missing_figure_leaves_a_dash_and_its_column_keeps_its_place():
    rows = [FigureRow("a", {"x": _figure(0.5)}), FigureRow("b", {"y": Measurement(math.nan, 0.1, 3)})]
    html = figures_section(rows, "")
    assert html.count('<td class="none">–</td>') == 3
    assert html.index(">x</th>") < html.index(">y</th>")


def test_one_draw_has_no_interval():
    assert "one draw" in figures_section([FigureRow("a", {"x": Measurement(0.5, math.inf, 1)})], "")
