"""Word vectors of a user's own: what is wrong with the file is said in one clear line, before any training."""

from __future__ import annotations

import pytest
import yaml

from protorel.cli import run
from protorel.encoders import words_of
from protorel.statements import read_statements

KINDS = ("cnn", "pcnn", "rnn", "self_attention")
SMALL = ["cnn.channels=4", "pcnn.channels=4", "rnn.hidden=4", "self_attention.hidden=6"]


@pytest.fixture
def vectors(tmp_path, data):
    """A file with a vector for every word of the data."""
    path = tmp_path / "mine.vec"
    words = sorted({word for statement in read_statements(data) for word in words_of(statement.text)})
    path.write_text("".join(f"{word} {i % 7} {i % 5} {i % 3}\n" for i, word in enumerate(words)))
    return path


@pytest.fixture
def command(tmp_path, data):
    """Make a command that trains a word encoder of a kind on some vectors."""
    recipe = tmp_path / "words.yaml"
    recipe.write_text(
        yaml.safe_dump({"steps": 2, "relations_per_batch": 4, "max_length": 64, "objective": {"s2s": {"weight": 1.0}}})
    )

    def make(kind, path, *more):
        own = {override.partition("=")[0] for override in more}
        small = [override for override in SMALL if override.partition("=")[0] not in own]
        wanted = [f"encoder={kind}", f"{kind}.vectors={path}", *small, *more]
        return ["pretrain", str(recipe), *wanted, "--data", str(data), "--out", str(tmp_path / "run")]

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_word_encoder_trains_and_is_evaluated_with_vectors_of_a_user_s_own(
    kind, command, vectors, data, tmp_path, capsys
):
    assert run(command(kind, vectors)) == 0
    assert run(["evaluate", "fewshot", str(tmp_path / "run"), str(data), "--episodes", "20"]) == 0
    assert "5-way 1-shot" in capsys.readouterr().out


def test_a_line_of_another_width_is_named_with_file_and_line(fails, command, vectors, tmp_path):
    vectors.write_text(vectors.read_text() + "lunsk 1 2\n")
    number = len(vectors.read_text().splitlines())
    assert f"mine.vec: line {number}: expected 3 numbers after the word, got 2" in fails(*command("cnn", vectors))
    assert not (tmp_path / "run" / "journal.jsonl").exists()


def test_a_text_where_a_number_is_expected_is_named(fails, command, vectors):
    vectors.write_text("oster 1 2 3\nlunsk 1 two 3\n")
    assert "mine.vec: line 2: expected a number, got 'two'" in fails(*command("pcnn", vectors))


def test_a_file_that_is_cut_short_is_named(fails, command, vectors):
    vectors.write_text("10000 3\n" + vectors.read_text())
    assert "mine.vec: expected 10000 words, as its first line says" in fails(*command("rnn", vectors))


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", "expected lines of a word and its numbers, got none"),
        (b"lunsk 1 2\noster \xe9 2\n", "line 2: is not UTF-8: byte 0xe9 at 6"),
        (b"\x93NUMPY\x01\x00 binary", "line 1: is not UTF-8"),
        (b"just some words\n", "line 1: expected a word with 1 to 4096 numbers, got 0"),
        (b"lunsk 1 nan\n", "line 1: expected finite numbers, got one that is not"),
    ],
    ids=["empty", "Latin-1", "binary", "prose", "not a number"],
)
def test_a_file_that_holds_no_word_vectors_is_named(fails, command, vectors, content, wanted):
    vectors.write_bytes(content)
    assert f"mine.vec: {wanted}" in fails(*command("self_attention", vectors))


def test_a_file_that_is_not_there_is_named(fails, command, tmp_path):
    assert "nowhere.vec: no such file" in fails(*command("cnn", tmp_path / "nowhere.vec"))


def test_vectors_of_another_language_are_refused(fails, command, vectors):
    vectors.write_text("עיר 1 2 3\nנהר 3 2 1\n")
    line = fails(*command("rnn", vectors))
    assert "words has a vector in" in line
    assert "Set rnn.vectors=FILE to word vectors of its language" in line


def test_english_glove_is_refused_for_another_language(fails, tmp_path, jsonl):
    texts = ["עדה נולדה בלונסק", "בלה נולדה באוסטר"]
    two = ("born_in", "lives_in")
    rows = [{"text": text, "head": [0, 3], "tail": [10, 16], "relation": name} for text in texts for name in two]
    assert run(["convert", str(jsonl(*rows)), "--format", "jsonl", "--out", str(tmp_path / "he.parquet")]) == 0
    line = fails("pretrain", "smoke", "encoder=cnn", "--data", tmp_path / "he.parquet", "--out", tmp_path / "run")
    assert "none of the data's 5 words has a vector in English GloVe" in line


def test_a_size_that_does_not_fit_the_encoder_is_named(fails, command, vectors):
    assert "hidden=7: expected a multiple of heads=3" in fails(
        *command("self_attention", vectors, "self_attention.hidden=7")
    )
    assert "rnn.cell" in fails(*command("rnn", vectors, "rnn.cell=lstn"))


def test_a_run_is_not_resumed_with_vectors_that_have_changed(fails, command, vectors, tmp_path):
    assert run([*command("cnn", vectors), "--keep-state"]) == 0
    (tmp_path / "run" / "protorel.json").unlink()
    lines = vectors.read_text().splitlines()
    vectors.write_text("\n".join(lines[::-1]))
    line = fails(*command("cnn", vectors), "--resume")
    assert "mine.vec" in line or "tokenizer" in line
