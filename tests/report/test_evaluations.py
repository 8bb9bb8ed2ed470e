"""Evaluation tables: figures from the files of `protorel evaluate --json`, a column per run."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation import Measurement
from protorel.report import EvaluationTable, check_evaluations, evaluation_tables
from protorel.report.sections.evaluations import evaluations_section
from protorel.statements import BadInput

RESULTS = Path(__file__).parents[2] / "results"
TASKS = {
    "fewshot": "fewrel/words_seed3/5w1s.json",
    "classify": "semeval/col_text.json",
    "extraction": "extraction/protorel_small.json",
    "documents": "extraction/spacy_entities.json",
    "fuzzyred": "fuzzyred/words.json",
}


def _figure(value):
    return Measurement(value, 0.0021, 2000)


def _section(rows, **more):
    return evaluations_section([EvaluationTable("Accuracy", rows, **more)])


def test_the_best_of_each_row_is_marked_and_ties_share_it():
    html = _section({"x": {"a": _figure(0.5), "b": _figure(0.6)}, "y": {"a": _figure(0.7), "b": _figure(0.7)}})
    assert html.count("(best)") == 3
    assert '<strong class="best">60.0 % <span class="margin">± 0.2</span>' in html


def test_the_lowest_error_is_the_best():
    html = _section({"error": {"a": _figure(0.5), "b": _figure(0.6)}}, lower_is_better=frozenset({"error"}))
    assert '<strong class="best">50.0 %' in html


def test_a_single_run_is_not_called_the_best():
    assert "best" not in _section({"x": {"a": _figure(0.5)}})


def test_a_missing_figure_leaves_a_dash_and_its_column_keeps_its_place():
    html = _section({"x": {"a": _figure(0.5)}, "y": {"b": Measurement(math.nan, 0.1, 3)}})
    assert html.count('<td><span class="none">–</span></td>') == 3
    assert html.index("<bdi>a</bdi>") < html.index("<bdi>b</bdi>")
    assert _section({}) == ""


@pytest.mark.parametrize(("task", "name"), TASKS.items())
def test_the_figures_of_every_task_are_read_from_its_file(task, name):
    [table] = evaluation_tables(check_evaluations([RESULTS / name]))
    figures = [figure for row in table.rows.values() for figure in row.values()]
    assert figures
    assert all(0 <= figure.value <= 1 and math.isfinite(figure.margin) for figure in figures)


def test_a_few_shot_figure_is_that_of_its_file():
    path = RESULTS / TASKS["fewshot"]
    [table] = evaluation_tables(check_evaluations([path]))
    written = json.loads(path.read_text())
    found = table.rows["5-way 1-shot on val.parquet"]["words3"]
    assert (found.value, found.margin) == (written["accuracy"], written["margin"])


def test_runs_of_one_name_are_told_apart(tmp_path):
    result = json.loads((RESULTS / TASKS["fewshot"]).read_text())
    for number in (1, 2):
        result["run"] |= {"name": "run", "fingerprint": f"{number}" * 64}
        (tmp_path / f"{number}.json").write_text(json.dumps(result))
    [table] = evaluation_tables(check_evaluations(sorted(tmp_path.iterdir())))
    assert list(table.rows["5-way 1-shot on val.parquet"]) == ["run (11111111)", "run (22222222)"]


@pytest.mark.parametrize("content", ["[]", "{}", '{"task": "startup"}', '{"task": ["fewshot"]}', "{", ""])
def test_another_file_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"odd\.json") as problem:
        check_evaluations([path])
    assert "\n" not in str(problem.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = (
    "accuracy margin over_relations run data triples direction shots by_prototype by_description mentions labelled "
    "default_score precision_at sentences"
)
KEYS = st.sampled_from(sorted(NAMES.split()))


@given(st.sampled_from([*TASKS, "pairs", "answers"]), st.dictionaries(KEYS, JSON))
def test_no_result_breaks_the_page(read_page, task, rest):
    tables = evaluation_tables([(Path("x.json"), {**rest, "task": task})])
    html = evaluations_section(tables)
    read_page(html)
    assert "nan" not in html
