"""Table 4: how many distant labels are false."""

import json

import pytest

from protorel.corpora.formats import open_data
from protorel.evaluation.fuzzyred.false_positives import PRINTED, false_positives, reproduce_table4, table4_markdown
from protorel.evaluation.fuzzyred.judged_statements import judged
from protorel.statements import DataSet, Span, Statement


def made(counts):
    return [
        Statement("Ada met Bo.", Span(0, 3), Span(8, 10), relation, f"{relation}-{n}", expresses=n < true)
        for relation, (true, false) in counts.items()
        for n in range(true + false)
    ]


COUNTS = {"b": (3, 1), "a": (1, 9), "c": (2, 2)}


def test_shares_and_their_statistics_are_those_of_plain_counts():
    found = false_positives(judged(made(COUNTS), "here"))
    assert found.per_relation == pytest.approx({"a": 0.9, "b": 0.25, "c": 0.5})
    assert found.statistics == pytest.approx({"median": 0.5, "mean": 0.55, "maximum": 0.9, "minimum": 0.25})
    assert found.over_relations.value == pytest.approx(0.55)
    assert found.over_relations.count == 3


def test_the_table_stands_beside_the_paper_s(tmp_path):
    reproduce_table4(DataSet.of("mine.parquet", made(COUNTS)), tmp_path / "out")
    text = (tmp_path / "out" / "table4.md").read_text()
    assert "| the paper | 49.0 | 54.1 | 94.0 | 19.0 |\n| these files | 50.0 | 55.0 | 90.0 | 25.0 |" in text
    assert "| b | 4 | 25.0 |\n| c | 4 | 50.0 |\n| a | 10 | 90.0 |" in text
    told = json.loads((tmp_path / "out" / "table4.json").read_text())
    assert told["printed"] == PRINTED
    assert (told["task"], told["median"], told["data"]["statements"]) == ("table4", 0.5, 18)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"table4.md", "table4.json"}


def test_a_single_relation_has_no_interval_and_a_name_cannot_break_the_table(tmp_path):
    reproduce_table4(DataSet.of("mine.parquet", made({"a|b\nc": (1, 1)})), tmp_path)
    assert "| a\\|b c | 2 | 50.0 |" in (tmp_path / "table4.md").read_text()
    assert json.loads((tmp_path / "table4.json").read_text())["over_relations"]["margin"] is None


def test_the_released_files_give_what_the_notes_say(real_data):
    folder = real_data / "fuzzyred" / "fuzzyRE_data"
    statements = [one for path in folder.glob("*.semeval") for one in open_data(path, format="fuzzyred").source()]
    found = false_positives(judged(statements, "FuzzyRED"))
    assert len(statements) == 1000
    assert found.statistics == pytest.approx({"median": 0.53, "mean": 0.537, "maximum": 0.94, "minimum": 0.18})
    assert "| these files | 53.0 | 53.7 | 94.0 | 18.0 |" in table4_markdown(found)
