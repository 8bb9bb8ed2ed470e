"""Figures 3 and 4: from points that are there, on one scale, and refused where there is nothing to draw."""

import json

import numpy as np
import pytest

from protorel.evaluation.measurement import Measurement
from protorel.statements import BadInput
from protorel_paper.experiments.data_budget.curves import draw_by_relations, draw_by_statements
from protorel_paper.experiments.data_budget.rows import UNTUNED, BudgetRow
from protorel_paper.experiments.data_budget.summary import BudgetSummary
from protorel_paper.figures.figures_3_and_4 import (
    draw_budget_figure,
    read_budget,
    reproduce_figure3,
    reproduce_figure4,
)


def row(relations, statements, accuracy, recipe="col", start="bert"):
    interval = Measurement(accuracy, 0.02, 16)
    return BudgetRow(recipe, start, relations, statements, 0.0, (0, 3), accuracy, {}, interval, None)


def summary(*more):
    rows = [row(0, 0, 0.5, UNTUNED), *(row(n, each, 0.5 + n / 300) for n in (8, 64) for each in (20, None)), *more]
    known = {"name": "made.parquet", "fingerprint": "0" * 64}
    return BudgetSummary("5w1s", rows, [], known, known)


def curve(axes, number=0):
    line = axes.containers[number].lines[0]
    return [tick.get_text() for tick in axes.get_xticklabels()], np.asarray(line.get_ydata(), dtype=float).round(
        3
    ).tolist()


def test_figure_3_goes_by_relations_and_figure_4_by_statements():
    (by_relations,) = draw_budget_figure(summary(), draw_by_relations).axes
    assert curve(by_relations) == (["0", "8", "64"], [50, 52.667, 71.333])
    assert by_relations.get_title() == "all statements of each"
    (by_statements,) = draw_budget_figure(summary(), draw_by_statements).axes
    assert curve(by_statements) == (["0", "20", "all"], [50, 71.333, 71.333])
    assert by_statements.get_title() == "64 relations"


def test_both_have_one_scale_that_holds_every_bar():
    limits = [
        draw_budget_figure(summary(), draw).axes[0].get_ylim() for draw in (draw_by_relations, draw_by_statements)
    ]
    assert limits[0] == limits[1]
    assert limits[0][0] <= 48
    assert limits[0][1] >= 73.333


@pytest.mark.parametrize("width", [5.0, 3.4])
def test_curves_of_many_recipes_with_hostile_names_fit_their_legend(overlapping, width):
    names = ("$a$_$b$", "_hidden", "a very long name of a recipe that somebody thought clever", "関係")
    more = [row(n, each, 0.6, name) for name in names for n in (8, 64) for each in (20, None)]
    figure = draw_budget_figure(summary(*more), draw_by_relations, width=width)
    said = figure.legends[0].get_texts()
    assert len(said) == 5
    axes = figure.axes[0]
    texts = [*said, axes.title, axes.xaxis.label, *axes.get_xticklabels()]
    assert overlapping(figure, texts) == []


def test_pictures_numbers_and_captions_are_written(tmp_path):
    reproduce_figure3(summary(), tmp_path)
    reproduce_figure4(summary(), tmp_path)
    names = {f"figure{n}.{kind}" for n in (3, 4) for kind in ("png", "svg", "json", "md")}
    assert {path.name for path in tmp_path.iterdir()} == names
    caption = (tmp_path / "figure3.md").read_text()
    assert "Seeds: 0, 3." in caption
    assert "| drawn from | made.parquet | `0000000000000000` |" in caption
    told = json.loads((tmp_path / "figure4.json").read_text())
    assert (told["task"], told["judged_by"], len(told["rows"])) == ("figure4", "5w1s", 5)


def point(name, task="data_budget", **settings):
    judged = {"5w1s": {"accuracy": 0.5, "per_relation": {"a": 0.4, "b": 0.6}}}
    test = {"test": {"task": "5w1s"}}
    known = {"name": "made", "fingerprint": "0"}
    return {
        "name": name, "task": task, "fewshot": judged, "data": known, "test": known,
        "training": {"statements": 6} if "recipe_name" in settings else None,
        "settings": {"experiment": test, "start_name": "bert", "relations": 0, "statements": 0, **settings},
    }  # fmt: skip


def test_points_are_read_and_their_folder_is_left_as_it_was(tmp_path):
    folder = tmp_path / "points"
    folder.mkdir()
    (folder / "untuned.json").write_text(json.dumps(point("untuned")))
    with pytest.raises(BadInput, match="expected at least one trained point"):
        read_budget(tmp_path)
    (folder / "tuned.json").write_text(json.dumps(point("tuned", recipe_name="col", relations=4, statements=3)))
    assert [one.relations for one in read_budget(tmp_path).rows] == [0, 4]
    assert {path.name for path in tmp_path.iterdir()} == {"points"}


def test_folders_without_points_of_a_data_budget_are_refused(tmp_path):
    with pytest.raises(BadInput, match="expected a folder that `protorel-paper data-budget` wrote, found no points"):
        read_budget(tmp_path / "nowhere")
    (tmp_path / "points").mkdir()
    (tmp_path / "points" / "other.json").write_text(json.dumps(point("other", task="label_noise")))
    with pytest.raises(BadInput, match="expected points of data_budget, got other of label_noise"):
        read_budget(tmp_path)
    (tmp_path / "points" / "other.json").write_text("{")
    with pytest.raises(BadInput, match="is not valid JSON"):
        read_budget(tmp_path)
