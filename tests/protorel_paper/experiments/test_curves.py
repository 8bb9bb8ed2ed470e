"""Curves of the experiments: drawn without a window, the same data giving the same picture, all points in it."""

import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from protorel.evaluation.measurement import Measurement
from protorel.report.palette import printed_colour
from protorel_paper.drawing.printed_figure import NoMatplotlib, new_figure
from protorel_paper.experiments.data_budget.curves import write_budget_curves
from protorel_paper.experiments.data_budget.rows import UNTUNED, BudgetRow
from protorel_paper.experiments.data_budget.summary import BudgetSummary
from protorel_paper.experiments.label_noise.curves import write_noise_curves
from protorel_paper.experiments.label_noise.summary import NoiseFigure, NoiseRow, NoiseSummary


def row(relations, statements, accuracy, recipe="col", start="bert"):
    interval = Measurement(accuracy, 0.02, 16)
    return BudgetRow(recipe, start, relations, statements, 0.0, (0,), accuracy, {}, interval, None)


def budget(*rows):
    return BudgetSummary("5w1s", rows, [], {}, {})


GRID = budget(
    row(0, 0, 0.5, UNTUNED),
    *(row(n, each, 0.5 + n / 300, recipe) for recipe in ("col", "ce") for n in (8, 64) for each in (20, None)),
)


def noise(*kinds):
    def at(recipe, kind, rate):
        figure = NoiseFigure(0.9 - rate / 2, {}, Measurement(0.9, 0.03, 16), None)
        names = ("fewshot", "recognised", "by_class_means", "wrong_labels_found")
        figures = {name: None if name == "wrong_labels_found" and not rate else figure for name in names}
        return NoiseRow(recipe, "bert", kind, rate, (0,), figures)

    rows = [at(recipe, *place) for recipe in ("col", "ce") for place in [("none", 0.0), *((k, 0.4) for k in kinds)]]
    return NoiseSummary("5w1s", rows, [], {}, {})


def texts(path):
    return [node.text for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_the_curves_name_recipes_amounts_and_what_is_held(tmp_path):
    write_budget_curves(GRID, tmp_path)
    said = texts(tmp_path / "curves.svg")
    assert {"col, bert", "ce, bert", "0", "8", "64", "20", "all", "5w1s accuracy, %"} <= set(said)
    assert {"all statements of each", "64 relations"} <= set(said)
    assert {"statements of each relation", "col, bert"} <= set(texts(tmp_path / "grid.svg"))
    for name in ("curves", "grid"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_noise_has_a_panel_for_each_measure_and_a_curve_for_each_recipe_and_kind(tmp_path):
    write_noise_curves(noise("uniform", "confusable"), tmp_path)
    said = set(texts(tmp_path / "curves.svg"))
    assert {"5w1s accuracy, %", "clean statements recognised, %", "AUROC of finding wrong labels, %"} <= said
    assert {"col, uniform", "col, confusable", "ce, uniform", "ce, confusable"} <= said
    write_noise_curves(noise(), tmp_path / "clean")
    assert "col, uniform" in texts(tmp_path / "clean" / "curves.svg")


def test_the_same_points_give_the_same_picture(tmp_path):
    for place in ("a", "b"):
        write_budget_curves(GRID, tmp_path / place)
    for name in ("curves.svg", "grid.svg", "curves.png"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_nothing_is_drawn_before_a_point_was_trained(tmp_path):
    write_budget_curves(budget(row(0, 0, 0.5, UNTUNED)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_place_without_an_untuned_encoder_can_be_drawn(tmp_path):
    write_budget_curves(budget(row(8, None, 0.5)), tmp_path)
    assert "8 relations" in texts(tmp_path / "curves.svg")


def test_pyplot_is_never_imported(tmp_path):
    write_budget_curves(GRID, tmp_path)
    assert "matplotlib.pyplot" not in sys.modules


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(NoMatplotlib, match=r"protorel\[paper\]"):
        new_figure(1)


def test_printed_colours_are_hex_and_differ():
    colours = [printed_colour(index) for index in range(12)]
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
    assert len(set(colours)) == 12
    # Dark enough for thin lines on white paper: a contrast of 3 to 1.
    for colour in colours:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) > 3
