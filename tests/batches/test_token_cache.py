from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from protorel.batches import StatementTokenizer, TrainingRows, token_cache, tokenise_all, training_rows
from protorel.io.array_cache import ArrayCache, CachedArrays
from protorel.io.files import cache_root
from protorel.statements import Span, Statement, fingerprint

FILES = [
    "tokens.npy",
    "starts.npy",
    "places.npy",
    "relations.npy",
    "groups.npy",
    "pairs.npy",
    "origins.npy",
    "id_bytes.npy",
    "id_ends.npy",
    "manifest.json",
]


class Data:
    """Statements that count how often somebody reads them."""

    def __init__(self, statements: list[Statement]) -> None:
        self.statements, self.times_read = statements, 0

    def __call__(self) -> list[Statement]:
        self.times_read += 1
        return self.statements


@pytest.fixture
def data(some_statements) -> Data:
    return Data(some_statements)


def opened(data: Data, tokenizer: StatementTokenizer, root: Path, max_length: int = 64) -> TrainingRows:
    return training_rows(
        data, tokenizer, max_length=max_length, data_fingerprint=fingerprint(data.statements), root=root
    )


def assert_equal(one: TrainingRows, other: TrainingRows) -> None:
    for name in ("tokens", "starts", "places"):
        assert np.array_equal(getattr(one.rows, name), getattr(other.rows, name))
    assert np.array_equal(one.relations, other.relations)
    assert np.array_equal(one.groups, other.groups)
    assert np.array_equal(one.pairs, other.pairs)
    assert np.array_equal(one.origins, other.origins)
    assert one.names == other.names
    assert one.all_ids() == other.all_ids()
    assert (one.rejected, one.unlabelled) == (other.rejected, other.unlabelled)
    assert one.labels_of_group == other.labels_of_group


def test_a_data_set_is_tokenised_once_and_reopened_equal(data, tiny_tokenizer, tmp_path):
    first, again = (opened(data, tiny_tokenizer, tmp_path) for _ in range(2))
    assert data.times_read == 1
    assert_equal(first, again)
    assert first.folder == again.folder


def test_it_holds_the_same_rows_as_tokenising_in_memory(data, tiny_tokenizer, tmp_path):
    rows = opened(data, tiny_tokenizer, tmp_path)
    plain = tokenise_all(data.statements, tiny_tokenizer, max_length=64)
    assert np.array_equal(rows.rows.tokens, plain.tokens)
    assert np.array_equal(rows.rows.places, plain.places)
    assert rows.names == ("born_in", "died_in", "spouse")
    assert rows.relations.tolist() == [0, 0, 1, 1, 2, 2]
    assert [r.tolist() for r in rows.rows_of_relation()] == [[0, 1], [2, 3], [4, 5]]
    assert rows.all_ids() == [s.id for s in data.statements]
    assert rows.ids([4, 0]) == [data.statements[4].id, data.statements[0].id]
    assert len(rows) == 6


def test_the_rows_are_memory_mapped_and_cannot_be_written(data, tiny_tokenizer, tmp_path):
    rows = opened(data, tiny_tokenizer, tmp_path)
    assert isinstance(rows.rows.tokens, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        rows.rows.tokens[0] = 0


def test_other_data_another_tokenizer_or_another_length_make_another_cache(
    data, tiny_tokenizer, tiny_encoder_folder, tmp_path
):
    changed = Data([dataclasses.replace(data.statements[0], relation="lives_in"), *data.statements[1:]])
    folders = {
        opened(data, tiny_tokenizer, tmp_path).folder,
        opened(changed, tiny_tokenizer, tmp_path).folder,
        opened(data, StatementTokenizer.load(tiny_encoder_folder, markers=False), tmp_path).folder,
        opened(data, tiny_tokenizer, tmp_path, max_length=32).folder,
    }
    assert len(folders) == 4


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("harm", ["missing", "cut short", "empty"])
def test_a_damaged_cache_is_made_again(data, tiny_tokenizer, tmp_path, file, harm):
    before = opened(data, tiny_tokenizer, tmp_path)
    path = before.folder / file
    contents = path.read_bytes()
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(contents[: len(contents) // 2] if harm == "cut short" else b"")
    again = opened(data, tiny_tokenizer, tmp_path)
    assert data.times_read == 2
    assert path.read_bytes() == contents
    assert again.all_ids() == [s.id for s in data.statements]
    assert again.rows.batch(range(6)).tokens.shape[0] == 6


@pytest.mark.parametrize("file", FILES)
def test_a_cache_with_a_flipped_bit_is_made_again(data, tiny_tokenizer, tmp_path, file):
    before = opened(data, tiny_tokenizer, tmp_path)
    path = before.folder / file
    contents = path.read_bytes()
    for place in (0, len(contents) // 2, len(contents) - 2):
        path.write_bytes(contents[:place] + bytes([contents[place] ^ 1]) + contents[place + 1 :])
        assert_equal(opened(data, tiny_tokenizer, tmp_path), before)
        assert path.read_bytes() == contents
    assert data.times_read == 4


def test_a_cache_of_an_older_version_is_made_again(data, tiny_tokenizer, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(token_cache, "_SCHEMA", "token rows, version 1")
        old = opened(data, tiny_tokenizer, tmp_path)
    new = opened(data, tiny_tokenizer, tmp_path)
    assert (old.folder, data.times_read) == (new.folder, 2)
    assert_equal(new, opened(data, tiny_tokenizer, tmp_path))
    assert data.times_read == 2


ODD = {
    "a row less": lambda arrays: {"relations": arrays["relations"][1:]},
    "another type": lambda arrays: {"tokens": arrays["tokens"].astype(np.int64)},
    "a place less": lambda arrays: {"places": arrays["places"][:, :3]},
    "rows beyond the tokens": lambda arrays: {"starts": arrays["starts"] + 1},
    "rows that end before they begin": lambda arrays: {"id_ends": arrays["id_ends"][::-1]},
    "an unknown relation": lambda arrays: {"relations": arrays["relations"] + np.int32(1)},
    "a negative relation": lambda arrays: {"relations": arrays["relations"] - np.int32(1)},
    "one array more": lambda arrays: {"more": arrays["places"]},
}


@pytest.fixture
def rewritten():
    """Write other arrays and facts into a cache, with a manifest that agrees with them."""

    def rewrite(folder: Path, change, **facts: object) -> None:
        told = json.loads((folder / "manifest.json").read_text())
        cache = ArrayCache(folder, told["schema"], told["key"])
        found = cache.get(lambda: pytest.fail("made"), lambda _: None)
        odd = CachedArrays({**found.arrays, **change(found.arrays)}, {**found.facts, **facts})
        (folder / "manifest.json").unlink()
        cache.get(lambda: odd, lambda _: None)

    return rewrite


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_arrays_that_do_not_fit_together_are_made_again_whoever_wrote_them(
    data, tiny_tokenizer, tmp_path, rewritten, odd
):
    right = opened(data, tiny_tokenizer, tmp_path)
    rewritten(right.folder, odd)
    assert_equal(opened(data, tiny_tokenizer, tmp_path), right)
    assert data.times_read == 2


@pytest.mark.parametrize("facts", [{"names": None}, {"names": []}, {"rejected": None}, {"unlabelled": "two"}])
def test_facts_of_another_kind_are_made_again(data, tiny_tokenizer, tmp_path, rewritten, facts):
    right = opened(data, tiny_tokenizer, tmp_path)
    rewritten(right.folder, lambda _: {}, **facts)
    assert_equal(opened(data, tiny_tokenizer, tmp_path), right)
    assert data.times_read == 2


@pytest.mark.parametrize("id", ["", "ß", "\ud800", "two\nlines", "\0"])
def test_ids_of_any_text_are_kept(data, tiny_tokenizer, tmp_path, id):
    named = Data([dataclasses.replace(data.statements[0], id=id), *data.statements[1:]])
    rows = opened(named, tiny_tokenizer, tmp_path)
    assert rows.all_ids() == [s.id for s in named.statements]
    assert rows.ids([0, 3]) == [id, data.statements[3].id]


def test_a_cache_that_cannot_be_written_gives_the_same_rows_from_memory(data, tiny_tokenizer, tmp_path, caplog):
    (tmp_path / "file").write_text("not a folder")
    right = opened(data, tiny_tokenizer, tmp_path / "right")
    for _ in range(2):
        rows = opened(data, tiny_tokenizer, tmp_path / "file" / "cache")
        assert_equal(rows, right)
        assert rows.folder is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_build_that_fails_leaves_nothing_behind(data, tiny_tokenizer, tmp_path):
    def broken():
        yield data.statements[0]
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        training_rows(broken, tiny_tokenizer, max_length=64, data_fingerprint="x", root=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unlabelled_and_unfitting_statements_are_counted_and_left_out(data, tiny_tokenizer, tmp_path):
    unlabelled = dataclasses.replace(data.statements[0], relation=None)
    long = Statement("ada " * 40 + "lunsk", Span(0, 159), Span(160, 165), "born_in", id="too long")
    gone = Statement("ada \x01 lunsk", Span(4, 5), Span(6, 11), "born_in", id="no token")
    rows = opened(Data([unlabelled, long, *data.statements, gone]), tiny_tokenizer, tmp_path, max_length=32)
    assert rows.unlabelled == 1
    assert [(r["id"], r["field"]) for r in rows.rejected] == [("too long", "text"), ("no token", "head")]
    assert len(rows) == 6
    assert rows.origins.tolist() == [2, 3, 4, 5, 6, 7]


def test_data_without_any_label_make_an_empty_cache(some_statements, tiny_tokenizer, tmp_path):
    data = Data([dataclasses.replace(s, relation=None) for s in some_statements])
    for _ in range(2):
        rows = opened(data, tiny_tokenizer, tmp_path)
        assert (len(rows), rows.unlabelled, rows.names) == (0, 6, ())
    assert data.times_read == 1


def test_a_statement_under_two_labels_is_one_group_and_carries_both_labels_everywhere(data, tiny_tokenizer, tmp_path):
    twice = dataclasses.replace(data.statements[0], relation="spouse", id="again")
    rows = opened(Data([*data.statements, twice]), tiny_tokenizer, tmp_path)
    assert rows.groups[0] == rows.groups[6]
    assert len(set(rows.groups.tolist())) == 6
    assert rows.labels([0, 6, 1, 4]).tolist() == [
        [True, False, True],
        [True, False, True],
        [True, False, False],
        [False, False, True],
    ]


def test_the_same_row_twice_is_one_group_with_one_label(data, tiny_tokenizer, tmp_path):
    rows = opened(Data([*data.statements, data.statements[0]]), tiny_tokenizer, tmp_path)
    assert rows.groups[0] == rows.groups[6]
    assert rows.labels_of_group == {}
    assert rows.labels([6]).tolist() == [[True, False, False]]


def test_the_environment_says_where_caches_lie(monkeypatch, tmp_path):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "here"))
    assert cache_root() == tmp_path / "here"
    monkeypatch.delenv("PROTOREL_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "protorel"


def test_pairs_are_told_apart_by_ids_where_both_have_one_and_else_by_names(tiny_tokenizer, tmp_path):
    def about(text: str, head: str, tail: str, **more: str) -> Statement:
        at = text.index
        spans = (Span(at(name), at(name) + len(name)) for name in (head, tail))
        return Statement(text, *spans, relation="born_in", **more)

    data = Data(
        [
            about("Ada was born in Lunsk.", "Ada", "Lunsk"),
            about("In Lunsk they remember ADA well.", "ADA", "Lunsk"),
            about("Lunsk is where Ada is from.", "Lunsk", "Ada"),
            about("Ada came from Lunsk.", "Ada", "Lunsk", head_id="Q1", tail_id="Q2"),
            about("A. was a child of Lunsk.", "A.", "Lunsk", head_id="Q1", tail_id="Q2"),
            about("Ada left Lunsk.", "Ada", "Lunsk", head_id="Q1"),
        ]
    )
    rows = opened(data, tiny_tokenizer, tmp_path)
    assert rows.pairs.tolist() == [0, 0, 1, 2, 2, 0]
    assert [own.tolist() for own in rows.rows_of_pair()] == [[0, 1, 5], [3, 4]]


def test_one_statement_under_two_labels_is_not_two_statements_of_a_pair(some_statements, tiny_tokenizer, tmp_path):
    twice = dataclasses.replace(some_statements[0], relation="another")
    rows = opened(Data([some_statements[0], twice]), tiny_tokenizer, tmp_path)
    assert rows.rows_of_pair() == []
