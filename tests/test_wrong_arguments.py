"""Arguments of the wrong type, given to the public names of the data rooms, are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import protorel
from protorel.statements import StatementError

ROW = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
TEXT, HEAD, TAIL = ROW["text"], (0, 9), (22, 27)


class Frame:
    """Has what a pandas DataFrame is recognised by."""

    def __init__(self, row):
        self.row, self.columns = row, list(row)

    def to_dict(self, orient):  # noqa: ARG002
        return [self.row]


NOT_PATHS = [None, 3, 1.5, True, b"x", "", "a\0b", [ROW], {"a"}, object(), Frame(ROW)]
NOT_DATA = [None, 3, True, b"x", [1, 2], (0, 9), {"a": 1}, object(), "no such file", Frame({"x": 1})]
NOT_NUMBERS = [None, "3", True, 0.5, [3], object()]
NOT_OURS = [3, "x", True, [ROW], Path("x"), object(), Frame(ROW)]
ENGINE = protorel.DuckDBEngine()


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("towns.csv").write_text(f"text,head,tail\n{TEXT},Ada Kroll,Lunsk\n")


def harvested(*, sources=None, out="harvested", engine=ENGINE, **settings):
    return protorel.harvest_statements(
        sources or protorel.HarvestSources("towns.csv", "towns.csv"), out, engine=engine, **settings
    )


CALLS = {
    "read_statements": (NOT_PATHS, protorel.read_statements),
    "write_statements, path": (NOT_PATHS, lambda it: protorel.write_statements([ROW], it)),
    "load_descriptions": (NOT_PATHS, protorel.load_descriptions),
    "load_equivalents": (NOT_PATHS[1:], protorel.load_equivalents),
    "convert, sources": (NOT_PATHS, lambda it: protorel.convert(it, "csv", "out.parquet")),
    "convert, one of the sources": (NOT_PATHS, lambda it: protorel.convert(["towns.csv", it], "csv", "out.parquet")),
    "convert, out": (NOT_PATHS, lambda it: protorel.convert("towns.csv", "csv", it)),
    "convert, format": (NOT_OURS, lambda it: protorel.convert("towns.csv", it, "out.parquet")),
    "DataSet.at": (NOT_PATHS, protorel.DataSet.at),
    "HarvestSources": ([it for it in NOT_PATHS if it != {"a"}], lambda it: protorel.HarvestSources(it, it)),
    "harvest_statements, out": (NOT_PATHS, lambda it: harvested(out=it)),
    "as_statements": (NOT_DATA, protorel.as_statements),
    "as_data_set": (NOT_DATA, protorel.as_data_set),
    "write_statements": (NOT_DATA, lambda it: protorel.write_statements(it, "out.parquet")),
    "find_leakage, train": (NOT_DATA, lambda it: protorel.find_leakage(it, [ROW])),
    "find_leakage, test": (NOT_DATA, lambda it: protorel.find_leakage([ROW], it)),
    "DataSet.of": (NOT_DATA, lambda it: protorel.DataSet.of("towns", it)),
    "DataSet": (NOT_OURS, lambda it: protorel.DataSet("towns", it)),
    "DataSet, name": (NOT_NUMBERS[2:], lambda it: protorel.DataSet.of(it, [ROW])),
    "write_statements, rows_per_group": (
        [*NOT_NUMBERS, 0],
        lambda it: protorel.write_statements([ROW], "x.parquet", rows_per_group=it),
    ),
    "find_leakage, equivalents": (NOT_OURS, lambda it: protorel.find_leakage([ROW], [ROW], equivalents=it)),
    "find_leakage, settings": (NOT_OURS, lambda it: protorel.find_leakage([ROW], [ROW], settings=it)),
    "find_leakage, kinds": (
        ["pairs", ["pair"], [{}], 3, None],
        lambda it: protorel.find_leakage([ROW], [ROW], kinds=it),
    ),
    "Leakage.remainder": (NOT_DATA, lambda it: list(protorel.find_leakage([ROW], [ROW]).remainder(it))),
    "Statement, text": ([None, 3, b"x", [TEXT]], lambda it: protorel.Statement(it, HEAD, TAIL)),
    "Statement, head": (
        [None, 3, "Ada", (0,), (0.5, 2), protorel.Span("0", 9), protorel.Span(None, None)],
        lambda it: protorel.Statement(TEXT, it, TAIL),
    ),
    "Statement, id": (
        [3, [1], object()],
        lambda it: protorel.write_statements([protorel.Statement(TEXT, HEAD, TAIL, id=it)], "x.parquet"),
    ),
    "Statement, expresses": (
        ["yes", 3],
        lambda it: protorel.write_statements([protorel.Statement(TEXT, HEAD, TAIL, expresses=it)], "x.parquet"),
    ),
    "Relation": ([None, 3, ["P19"]], protorel.Relation),
    "RelationVocabulary": (["P19", None, 3, [3], [None], ["P19", "P19"]], protorel.RelationVocabulary),
    "RelationVocabulary.index": ([None, 3, ["P19"], "P20"], protorel.RelationVocabulary(["P19"]).index),
    "Descriptions.of": ([None, 3, "x", ["P19"], {"P19": "birth"}], protorel.Descriptions.of),
    "Descriptions.phrased": ([3, ["x"], b"x"], protorel.Descriptions({}).phrased),
    "Descriptions.wordings": ([None, 3], protorel.Descriptions({}).wordings),
    "Equivalents.same": ([None, 3, b"x", ["P19"]], lambda it: protorel.load_equivalents().same(it, "P19")),
    "SmallWorldSettings, seed": (NOT_NUMBERS, lambda it: protorel.SmallWorldSettings(seed=it)),
    "SmallWorldSettings, noise": ([None, "0.4", True, 0.9], lambda it: protorel.SmallWorldSettings(noise=it)),
    "SmallWorldSettings, size": (NOT_NUMBERS, lambda it: protorel.SmallWorldSettings(statements_per_relation=it)),
    "build_small_world": (NOT_OURS, protorel.build_small_world),
    "HarvestSettings, language": ([None, 3], lambda it: protorel.HarvestSettings(language=it)),
    "HarvestSettings, size": (NOT_NUMBERS, lambda it: protorel.HarvestSettings(documents_per_shard=it)),
    "HarvestSettings, mentions": (NOT_OURS, lambda it: protorel.HarvestSettings(mentions=it)),
    "HarvestSettings, alignment": (NOT_OURS, lambda it: protorel.HarvestSettings(alignment=it)),
    "DuckDBEngine, workers": ([*NOT_NUMBERS, 0], lambda it: protorel.DuckDBEngine(workers=it)),
    "DuckDBEngine, memory": ([None, 2, "lots"], lambda it: protorel.DuckDBEngine(memory=it)),
    "SparkEngine": ([None, 3], protorel.SparkEngine),
    "harvest_statements, sources": (NOT_OURS, lambda it: harvested(sources=it)),
    "harvest_statements, engine": (NOT_OURS, lambda it: harvested(engine=it)),
    "harvest_statements, settings": (NOT_OURS, lambda it: harvested(settings=it)),
    "harvest_statements, memory": ([None, 2, "lots"], lambda it: harvested(memory=it)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_refused_in_one_line(name):
    values, call = CALLS[name]
    for value in values:
        with pytest.raises((protorel.BadInput, StatementError)) as problem:
            call(value)
        assert "expected" in str(problem.value) or "no such file" in str(problem.value), value
        assert "\n" not in str(problem.value)
        assert len(str(problem.value)) < 300
    assert not Path("harvested").exists()


def test_one_source_need_not_be_in_a_list():
    assert protorel.convert("towns.csv", "csv", "towns.parquet").rows_out == 1
    assert protorel.HarvestSources("towns.csv", Path("towns.csv")).text == (Path("towns.csv"),)
