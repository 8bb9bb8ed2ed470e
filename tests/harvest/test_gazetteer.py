"""Names found in text: the same as a plain search token by token, whatever the names and the text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.gazetteer.name_rules import FORM, LABEL, TITLE, forms, refused
from protorel.harvest.gazetteer.phrase_table import PhraseTable, sequence_hashes
from protorel.harvest.gazetteer.tokens import tokenise
from protorel.statements import BadInput

WORDS = st.lists(st.sampled_from(["New", "York", "City", "Ada", "of", "Lunsk"]), min_size=1, max_size=5).map(" ".join)


def longest_at(words: list[str], names: set[tuple[str, ...]]) -> list[int]:
    """For each word how many words the longest name that begins there has, by trying all."""
    return [
        max([count for count in range(1, len(words) - at + 1) if tuple(words[at : at + count]) in names], default=0)
        for at in range(len(words))
    ]


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=4))
def test_the_longest_name_at_each_token_is_that_of_a_plain_search(names, texts):
    tokens = tokenise(texts)
    runs = PhraseTable.of(tokenise(names)).find(tokens)
    found = [0] * len(tokens)
    for first, count in zip(runs.first, runs.count, strict=True):
        found[first] = count
    known = {tuple(name.split()) for name in names}
    assert found == [count for text in texts for count in longest_at(text.split(), known)]


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, min_size=1, max_size=4))
def test_a_run_has_the_hash_of_its_name(names, texts):
    tokens = tokenise(texts)
    runs = PhraseTable.of(tokenise(names)).find(tokens)
    by_hash = dict(zip(sequence_hashes(tokenise(names), texts=len(names)).tolist(), names, strict=True))
    for first, count, number in zip(runs.first, runs.count, runs.hashes.tolist(), strict=True):
        text = texts[tokens.texts[first]]
        assert by_hash[number] == text[tokens.starts[first] : tokens.stops[first + count - 1]]


def test_a_shorter_name_is_found_where_the_longer_one_breaks_off():
    runs = PhraseTable.of(tokenise(["New York", "New York City"])).find(tokenise(["in New York Cities"]))
    assert (runs.first.tolist(), runs.count.tolist()) == ([1], [2])


def test_a_name_does_not_reach_from_one_text_into_the_next():
    runs = PhraseTable.of(tokenise(["New York"])).find(tokenise(["it is New", "York is not"]))
    assert not len(runs.first)


def test_seeds_part_the_sets_that_share_a_table():
    seeds = tokenise(["one two"]).hashes
    table = PhraseTable.of(tokenise(["Ada", "Bela"]), seeds=seeds)
    runs = table.find(tokenise(["Ada Bela", "Ada Bela"]), seeds=seeds)
    assert runs.first.tolist() == [0, 3]


def test_many_names_are_all_found_and_nothing_else_is():
    names = [f"N{number} of M{number % 7}" for number in range(20_000)]
    table = PhraseTable.of(tokenise(names))
    assert len(table.find(tokenise(names)).first) == len(names)
    others = [f"N{number} of M{(number + 1) % 7}" for number in range(20_000)]
    assert not len(table.find(tokenise(others)).first)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("1984", "letter"),
        ("x", "single"),
        ("can", "lower case"),
        ("x" * 101, "longer"),
        ("⊕", "letter"),
        ("It", "little"),
    ],
)
def test_names_that_would_be_found_everywhere_are_left_out(name, reason):
    assert reason in refused(name)


@pytest.mark.parametrize("name", ["US", "IT", "Oz", "Lunsk", "politician", "K2", "中"])
def test_other_names_are_sought(name):
    assert refused(name) is None


@given(st.text(min_size=1, max_size=12))
def test_a_form_never_has_fewer_capitals_than_the_name(name):
    for form in forms(name):
        assert sum(map(str.isupper, form)) >= sum(map(str.isupper, name))


def test_short_names_are_not_sought_in_capitals():
    assert forms("Who") == ["Who"]
    assert forms("who") == ["who", "Who"]
    assert forms("Lunsk") == ["Lunsk", "LUNSK"]


def make(tmp_path, rows):
    columns = {"name": 0, "entity": 1, "kind": 2}
    table = pa.table({name: [row[at] for row in rows] for name, at in columns.items()})
    pq.write_table(table, tmp_path / "names.parquet")
    return build_gazetteer(tmp_path / "names.parquet", tmp_path / "gazetteer")


def bearers(gazetteer: Gazetteer, name: str) -> set[tuple[str, int]]:
    hashes = sequence_hashes(tokenise([name]), texts=1)
    found = gazetteer.bearers_at(int(gazetteer.positions(hashes)[0]))
    return {(gazetteer.ids(np.array([entity]))[0], rank) for entity, rank in found}


def test_a_name_knows_who_bears_it_and_how(tmp_path):
    rows = [("Turkey", "Q1", "label"), ("turkey", "Q2", "label"), ("Turkey", "Q1", "title"), ("Turkey", "Q3", "title")]
    gazetteer = make(tmp_path, rows)
    assert bearers(gazetteer, "Turkey") == {("Q1", LABEL), ("Q2", FORM), ("Q3", TITLE)}
    assert bearers(gazetteer, "turkey") == {("Q2", LABEL)}


def test_a_title_leads_to_its_entity_and_an_ambiguous_one_to_none(tmp_path):
    rows = [("Lunsk", "Q1", "title"), ("Lunsk", "Q2", "label"), ("Oster", "Q3", "label"), ("Mere", "Q4", "title")]
    gazetteer = make(tmp_path, [*rows, ("Mere", "Q5", "title"), ("Tarn", "Q6", "alias")])
    found = gazetteer.titled(["Lunsk", "Oster", "Mere", "Tarn", "Zzz", ""])
    assert [None if number is None else gazetteer.ids([number])[0] for number in found] == [
        "Q1",
        "Q3",
        None,
        None,
        None,
        None,
    ]


def test_what_is_left_out_is_counted(tmp_path):
    long = " ".join("abcdefghijklm")
    gazetteer = make(tmp_path, [("Lunsk", "Q1", "label"), ("1984", "Q2", "label"), (long, "Q3", "label")])
    assert gazetteer.counts["names given"] == 3
    assert gazetteer.counts["names left out: without a letter"] == 1
    assert gazetteer.counts["names left out: more than 12 tokens"] == 1
    assert gazetteer.counts["forms sought"] == 2


def test_equal_names_give_equal_bytes(tmp_path):
    rows = [(f"Name {number % 50}", f"Q{number}", "alias") for number in range(200)]
    for place in ("one", "other"):
        (tmp_path / place).mkdir()
        make(tmp_path / place, rows)
    for file in sorted((tmp_path / "one" / "gazetteer").iterdir()):
        assert file.read_bytes() == (tmp_path / "other" / "gazetteer" / file.name).read_bytes()


def test_a_damaged_gazetteer_is_refused_in_one_line(tmp_path):
    make(tmp_path, [("Lunsk", "Q1", "label")])
    (tmp_path / "gazetteer" / "names.npy").write_bytes(b"nothing")
    with pytest.raises(BadInput, match="build it again"):
        Gazetteer.load(tmp_path / "gazetteer")
