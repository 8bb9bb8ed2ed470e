"""Cells put together: means over seeds, intervals, arrows, comparisons, Markdown, JSON and picture."""

import json
from dataclasses import replace

import numpy as np
import pytest

from protorel.evaluation.measurement import measure
from protorel_paper.tables.rows import Row
from protorel_paper.tables.summary.markdown import table_json, table_markdown, write_table
from protorel_paper.tables.summary.plot import write_plot
from protorel_paper.tables.summary.table_summary import Seconds, summarise

RNG = np.random.default_rng(0)
WEAK, STRONG, OTHER = (RNG.random((200, 5)) < rate for rate in (0.5, 0.9, 0.9))


@pytest.fixture
def summary(table, make_cell):
    cells = [make_cell("col_final", STRONG, seconds=60.0, pretrained={"x": 120.0}, tuned={"y": 30.0})]
    return summarise(table, "cpu", [make_cell("mtb", WEAK), *cells, make_cell("first", WEAK[::-1])])


def rows(summary):
    return {row.row.name: row for row in summary.rows}


def test_a_figure_has_the_interval_over_episodes_and_the_paper_beside_it(summary):
    found = rows(summary)["col_final"].figures["5w1s"]
    assert found.ours == measure(STRONG.mean(axis=1))
    assert (found.printed, found.seeds, found.over_seeds) == (90.0, (0,), None)
    assert found.over_relations == measure(STRONG.mean(axis=0))


def test_a_setting_that_is_not_finished_is_not_there(summary):
    assert "10w1s" not in rows(summary)["col_final"].figures
    assert "| COL Final |" in table_markdown(summary)
    assert "| (71.00) |" in table_markdown(summary)


def test_arrows_compare_with_mtb_and_mtb_has_none(summary):
    found = rows(summary)
    assert found["col_final"].figures["5w1s"].arrow == "↑"
    assert found["mtb"].figures["5w1s"].arrow == ""
    assert found["first"].figures["5w1s"].arrow == "≈"


def test_col_final_is_compared_with_every_other_row(summary):
    found = rows(summary)
    less = found["mtb"].figures["5w1s"].final_less
    assert less.value == pytest.approx(STRONG.mean() - WEAK.mean())
    assert found["first"].figures["5w1s"].final_less.value == pytest.approx(less.value)
    assert found["col_final"].figures["5w1s"].final_less is None


def test_seeds_are_averaged_episode_by_episode_and_compared_where_both_rows_have_them(table, make_cell):
    cells = [
        make_cell("mtb", WEAK, seed=0),
        make_cell("col_final", STRONG, seed=0),
        make_cell("col_final", OTHER, seed=1),
    ]
    found = rows(summarise(table, "cpu", cells))
    figure = found["col_final"].figures["5w1s"]
    both = (STRONG.mean(axis=1) + OTHER.mean(axis=1)) / 2
    assert figure.ours == measure(both)
    assert figure.seeds == (0, 1)
    assert figure.over_seeds.value == pytest.approx(both.mean())
    # MTB has seed 0 only, so seed 1 of the other row has nothing to be compared with.
    assert figure.less_rival.value == pytest.approx(STRONG.mean() - WEAK.mean())


def test_rows_without_a_seed_in_common_are_not_compared(table, make_cell):
    found = rows(summarise(table, "cpu", [make_cell("mtb", WEAK, seed=1), make_cell("col_final", STRONG, seed=0)]))
    assert found["col_final"].figures["5w1s"].less_rival is None
    assert found["mtb"].figures["5w1s"].final_less is None


def test_time_counts_every_run_once_and_all_judging(table, make_cell):
    spent = {"pretrained": {"mtb-seed0": 100.0}, "tuned": {"mtb-first-seed0": 3.0, "mtb-tuned-seed0": 40.0}}
    cells = [make_cell("mtb", WEAK, **spent, column=column, seconds=5.0) for column in ("5w1s", "10w1s")]
    found = rows(summarise(table, "cpu", cells))
    assert found["mtb"].seconds == Seconds(pretraining=100, tuning=43, judging=10)
    assert found["mtb"].seconds.total == 153
    assert found["first"].seconds is None


def test_the_minutes_of_a_row_are_the_mean_over_its_seeds(table, make_cell):
    cells = [
        make_cell("mtb", WEAK, seed=seed, seconds=60.0, pretrained={f"mtb-seed{seed}": 60.0 * (seed + 6)})
        for seed in (0, 1)
    ]
    assert "| 6.5 + 0.0 + 1.0 |" in table_markdown(summarise(table, "cpu", cells))


def test_a_figure_with_no_interval_of_its_own_is_shown_without_one(table, make_cell):
    cell = make_cell("mtb", WEAK)
    del cell["right_of_each_episode"]
    cell["figures"]["5w1s"] = {"value": 0.5, "margin": None, "count": 30}
    summary = summarise(table, "cpu", [cell])
    assert "| 50.0 (81.00) |" in table_markdown(summary)
    assert table_json(summary)["rows"][1]["figures"]["5w1s"]["margin"] is None


def test_figures_of_relations_can_differ_by_column(table, make_cell):
    cell = make_cell("mtb", WEAK)
    cell["per_relation_by_column"] = {"5w1s": {"a": 0.2, "b": 0.4}}
    assert rows(summarise(table, "cpu", [cell]))["mtb"].figures["5w1s"].over_relations.value == pytest.approx(0.3)


def test_a_further_row_stands_below_the_papers_own_once_something_of_it_is_made(table, make_cell, tmp_path):
    extra = tuple(Row(name, name.title(), "somebody", (None, None)) for name in ("extra", "other"))
    table = replace(table, further=extra)
    assert "Extra" not in table_markdown(summarise(table, "cpu", [make_cell("mtb", WEAK)]))
    summary = summarise(table, "cpu", [make_cell("extra", STRONG), make_cell("mtb", WEAK)])
    assert [row.row.name for row in summary.rows] == ["first", "mtb", "col_final", "extra"]
    assert rows(summary)["extra"].figures["5w1s"].arrow == "↑"
    assert " ↑ (–) | (–) | 0.0 + 0.0 + 0.1 |" in table_markdown(summary)
    told = table_json(summary)["rows"][-1]
    assert (told["row"], told["figures"]["5w1s"]["printed"]) == ("extra", None)
    write_plot(summary, tmp_path)
    drawn = (tmp_path / "tableX.svg").read_text()
    assert "Extra" in drawn
    assert "Other" not in drawn


def test_the_table_for_people_says_all_of_it(summary):
    text = table_markdown(summary)
    assert text.startswith("# Table X: a test\n")
    assert (
        f"| MTB | {100 * WEAK.mean():.1f} ± {100 * measure(WEAK.mean(axis=1)).margin:.1f} (81.00) | (70.00) |" in text
    )
    assert f"| COL Final | {100 * STRONG.mean():.1f} ± " in text
    assert " ↑ (90.00) | (71.00) | 2.0 + 0.5 + 1.0 |" in text
    assert "Human performance, as the paper gives it: 5w1s 92.22." in text
    assert "A note." in text
    assert f"| MTB | +{100 * (STRONG.mean() - WEAK.mean()):.1f} ± " in text


def test_the_table_as_json_keeps_shares_between_0_and_1(summary, tmp_path):
    write_table(summary, tmp_path)
    told = json.loads((tmp_path / "tableX.json").read_text())
    assert (told["task"], told["budget"], told["cells"]) == ("tableX", "cpu", 3)
    assert told["people"] == {"5w1s": pytest.approx(0.9222)}
    final = next(row for row in told["rows"] if row["row"] == "col_final")
    assert (final["pretrained_by"], final["tuned_by"], final["seconds"]["total"]) == ("col_final", "fewrel", 210)
    figure = final["figures"]["5w1s"]
    assert figure["value"] == pytest.approx(STRONG.mean())
    assert figure["printed"] == 0.9
    assert figure["less_mtb"]["difference"] == pytest.approx(STRONG.mean() - WEAK.mean())
    assert 0 <= figure["less_mtb"]["p_over_relations"] <= 1
    assert figure["col_final_less_this"] is None


def test_the_picture_is_drawn_once_there_is_something_to_draw(table, summary, tmp_path):
    write_plot(summarise(table, "cpu", []), tmp_path)
    assert not any(tmp_path.iterdir())
    write_plot(summary, tmp_path)
    assert (tmp_path / "tableX.png").read_bytes().startswith(b"\x89PNG")
    drawn = (tmp_path / "tableX.svg").read_text()
    for name in ("First", "MTB", "COL Final", "the paper", "people", "5w1s", "10w1s"):
        assert name in drawn
