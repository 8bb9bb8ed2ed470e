from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora.small_world import SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.facts_folder import FactsFolder, gather_facts
from protorel.harvest.sources.alias_files import read_names
from protorel.harvest.sources.facts import open_facts, read_triples
from protorel.harvest.types import Entity, Fact, Property, Tally
from protorel.statements import BadInput

FACTS = [Fact("E1", "born_in", "E2"), Fact("E3", "died_in", "E2")]


def assert_one_line(problem: BadInput) -> None:
    assert "\n" not in str(problem)


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def rows_of(path: Path) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in pq.read_table(path).to_pylist()]


@pytest.mark.parametrize(
    "content",
    [
        "E1\tborn_in\tE2\nE3\tdied_in\tE2\n",
        "E1,born_in,E2\r\nE3,died_in,E2",
        "\ufeffhead\trelation\ttail\nE1\tborn_in\tE2\n\n E3 \tdied_in\tE2\n",
        '"Predicate","weight","Object","Subject"\nborn_in,1,E2,E1\n"died_in",2,E2,"E3"\n',
    ],
)
def test_triples_come_with_tabs_or_commas_and_with_or_without_a_header(tmp_path, content):
    tally = Tally()
    assert list(read_triples(written(tmp_path / "facts", content), tally)) == FACTS
    assert (tally.rows, tally.taken) == (2, 2)


def test_of_two_columns_of_one_name_the_first_is_meant(tmp_path):
    path = written(tmp_path / "facts.csv", "head,relation,tail,tail,Head\nE1,born_in,E2,x,y\n")
    assert list(read_triples(path, Tally())) == FACTS[:1]


def test_a_line_that_is_no_csv_is_rejected_and_the_next_is_read(tmp_path):
    path, tally = written(tmp_path / "facts.csv", 'E1,"born"_in,E2\nE1,born_in,E2\n'), Tally()
    assert list(read_triples(path, tally)) == FACTS[:1]
    assert tally.rejected == {"no CSV": 1}


def test_triples_come_in_parquet_with_numbers_too(tmp_path):
    pq.write_table(pa.table({"t": [2, None], "h": [1, 3], "r": ["x", "y"], "more": [0, 0]}), tmp_path / "facts")
    tally = Tally()
    assert list(open_facts(tmp_path / "facts", tally)) == [Fact("1", "x", "2")]
    assert tally.rejected == {"empty cell": 1}
    pq.write_table(pa.table({"h": [1]}), tmp_path / "other")
    with pytest.raises(BadInput, match="expected the columns subject, relation and object, got h"):
        list(open_facts(tmp_path / "other"))


def test_rows_that_are_no_triples_are_rejected_with_their_line(tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_bytes(b"E1\tborn_in\tE2\nE1\tborn_in\n\xff\ta\tb\nE1\t\tE2\na\tb\tc\td\n")
    tally = Tally()
    assert list(read_triples(path, tally)) == FACTS[:1]
    assert tally.rejected == {"not three cells": 2, "unreadable line": 1, "empty cell": 1}
    assert [reject.line for reject in tally.examples["not three cells"]] == [2, 5]
    assert tally.rows == 5


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Q1\tAda\tA. Kroll\nQ2\tLunsk\n", [Entity("Q1", None, ("Ada", "A. Kroll")), Entity("Q2", None, ("Lunsk",))]),
        ("entity\talias\nQ1\tAda\n", [Entity("Q1", None, ("Ada",))]),
        ("type\tid\tname\nperson\tQ1\tAda\n", [Entity("Q1", None, ("Ada",), kinds=("person",))]),
        (
            "".join(f"Q{n}\tAda {n}\tperson\n" for n in range(4)),
            [Entity(f"Q{n}", None, (f"Ada {n}",), kinds=("person",)) for n in range(4)],
        ),
        ('{"id": "Q1", "label": "Ada", "aliases": ["A"], "title": "Ada_K"}\n', [Entity("Q1", "Ada", ("A",), "Ada K")]),
        ('{"Q1": ["Q5"], "Q2": ["Lunsk"], "Q3": "Mere"}', [
            Entity("Q1", kinds=("Q5",)), Entity("Q2", None, ("Lunsk",)), Entity("Q3", "Mere"),
        ]),
        ('{\n "/m/1": {"wikidata_id": "Q1", "label": "Ada", "alternatives": [],'
         ' "wikipedia": "https://en.wikipedia.org/wiki/Ada_%28poet%29"}\n}', [Entity("Q1", "Ada", (), "Ada (poet)")]),
        ('{"P19": {"label": "born in", "description": "where"}}', [Property("P19", "born in", "where")]),
    ],
)  # fmt: skip
def test_names_come_in_the_forms_that_circulate(tmp_path, content, expected):
    tally = Tally()
    assert list(read_names(written(tmp_path / "names", content), tally)) == expected
    assert tally.taken == len(expected)


def test_names_that_cannot_be_read_are_rejected(tmp_path):
    tally = Tally()
    lines = ['{"id": "Q1", "label": "Ada"}', '{"label": "x"}', "3", '{"id": "Q1", "aliases": 3}', '{"id": "Q2"}']
    assert len(list(read_names(written(tmp_path / "names", "\n".join(lines)), tally))) == 2
    assert tally.rejected == {"no name": 3}


def test_gathered_facts_are_distinct_sorted_and_named(tmp_path):
    facts = written(tmp_path / "facts.tsv", "Q3\tP1\tQ2\nQ1\tP19\tQ2\nQ3\tP1\tQ2\nbad\n")
    names = written(tmp_path / "names.tsv", "Q2\tLunsk\tThe Lunsk\nQ2\tLunsk\n")
    more = written(tmp_path / "more.json", '{"Q1": {"label": "Ada", "wiki": "Ada_K", "kinds": ["Q5"]}, "P19": "born"}')
    folder = gather_facts([facts], tmp_path / "out", aliases=[names, more])
    assert (folder.facts, folder.names, folder.relations) == (2, 4, 2)
    assert rows_of(folder.facts_path) == [("Q1", "P19", "Q2"), ("Q3", "P1", "Q2")]
    assert rows_of(folder.names_path) == [
        ("Ada", "Q1", "label"), ("Ada K", "Q1", "title"), ("Lunsk", "Q2", "alias"), ("The Lunsk", "Q2", "alias"),
    ]  # fmt: skip
    assert rows_of(folder.kinds_path) == [("Q1", "Q5")]
    assert folder.properties() == {"P19": Property("P19", "born")}
    assert FactsFolder.at(tmp_path / "out") == folder
    assert folder.tally["rejected"] == {"not three cells": 1}
    [reject] = (tmp_path / "out" / "rejects.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(reject)["line"] == 4
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_equal_input_gives_equal_bytes_and_a_folder_may_be_gathered_anew(tmp_path):
    lines = [f"E{number * 7919 % 1009}\tr{number % 7}\tE{number % 500}" for number in range(3000)]
    hashes = []
    for rows in (lines, lines[::-1]):
        gather_facts([written(tmp_path / "facts.tsv", "\n".join(rows))], tmp_path / "out")
        files = sorted((tmp_path / "out").iterdir())
        hashes.append([(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files])
    assert hashes[0] == hashes[1]


def test_without_names_the_ids_are_the_names_unless_they_are_only_numbers(tmp_path):
    folder = gather_facts([written(tmp_path / "mine.csv", "Ada Kroll,born_in,Lunsk\n")], tmp_path / "out")
    assert rows_of(folder.names_path) == [("Ada Kroll", "Ada Kroll", "label"), ("Lunsk", "Lunsk", "label")]
    with pytest.raises(BadInput, match="expected names for entity ids such as Q42, got none"):
        gather_facts([written(tmp_path / "ids.csv", "Q1,P19,Q2\n")], tmp_path / "ids")
    assert not (tmp_path / "ids").exists()


def test_a_folder_of_something_else_is_never_overwritten(tmp_path):
    facts = written(tmp_path / "facts.csv", "a,b,c\n")
    with pytest.raises(BadInput, match="expected an empty folder or collected facts, got other files"):
        gather_facts([facts], tmp_path)
    with pytest.raises(BadInput, match="expected a folder, got a file"):
        gather_facts([facts], facts)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected facts, but the file is empty"),
        (b" \n ", "expected facts, but the file is empty"),
        (b"<mediawiki>", "expected a Wikidata JSON dump or triples in TSV, CSV or Parquet, got XML"),
        (b"just words\nand more", "expected a Wikidata JSON dump or triples with tabs or commas"),
        (b"\x00\x01\x02,\x03", "expected a Wikidata JSON dump or triples with tabs or commas"),
        (b"a,b\nc,d\n", "no fact could be read; first reason: facts, line 1: line: .*got 2 cells"),
        (b'{"a": 1}', "no fact could be read; first reason: facts, line 1: type: .*got null"),
        (b"PAR1 and no more", "cannot be read as Parquet"),
    ],
)
def test_what_holds_no_facts_is_refused_in_one_line(tmp_path, content, message):
    (tmp_path / "facts").write_bytes(content)
    with pytest.raises(BadInput, match=message) as caught:
        list(open_facts(tmp_path / "facts"))
    assert "\n" not in str(caught.value)


def test_a_path_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(BadInput, match=r"no such file or folder|expected at least one file"):
            list(open_facts(path))


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_facts_or_names_or_refused_in_one_line(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(content)
        for read in (open_facts, read_names):
            tally = Tally()
            try:
                list(read(path, tally))
            except BadInput as problem:
                assert_one_line(problem)
            assert tally.rows == tally.taken + tally.left_out.total() + tally.rejected.total()


def test_the_raw_small_world_reads_back(tmp_path):
    world = build_small_world(SmallWorldSettings(statements_per_relation=20, held_out_per_relation=10))
    write_raw(world, tmp_path / "raw")
    raw = tmp_path / "raw"
    folder = gather_facts([raw / "facts.tsv"], tmp_path / "out", aliases=[raw / "aliases.tsv"])
    assert set(rows_of(folder.facts_path)) == {(fact.head, fact.relation, fact.tail) for fact in world.facts}
    assert set(rows_of(folder.names_path)) == {(entity.name, entity.id, "alias") for entity in world.entities}
    assert set(rows_of(folder.kinds_path)) == {(entity.id, entity.type) for entity in world.entities}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("xfactr/alias.TREx.en.txt", 35102),
        ("codex/relations.en.json", 71),
        ("codex/types.en.json", 3443),
        ("fb15k237/entity2wikidata.json", 14515),
    ],
)
def test_real_alias_lists_give_the_counts_we_know(real_data, name, count):
    tally = Tally()
    assert len(list(read_names(real_data / "wikidata" / name, tally))) == count
    assert (tally.rows, tally.taken) == (count, count)


def test_real_triples_give_the_counts_we_know(real_data):
    tally = Tally()
    facts = list(open_facts(real_data / "wikidata/codex/codex-s", tally))
    assert (len(facts), len(set(facts)), tally.rows) == (36543, 36543, 36543)
