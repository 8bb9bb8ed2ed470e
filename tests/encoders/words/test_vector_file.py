from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.encoders import WordVectors, read_vector_file
from protorel.encoders.words import vector_file
from protorel.statements import BadInput


@pytest.fixture
def file(tmp_path):
    """Write a file of word vectors."""

    def write(content: str | bytes):
        path = tmp_path / "mine.vec"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def refused(file):
    """Read a file that must be refused, and return the one line that says why."""

    def check(content: str | bytes, **options) -> str:
        path = file(content)
        with pytest.raises(BadInput) as found:
            read_vector_file(path, **options)
        line = str(found.value)
        assert line.startswith(f"{path}: ")
        assert "\n" not in line
        assert len(line) < len(str(path)) + 200
        return line.removeprefix(f"{path}: ")

    return check


@pytest.mark.parametrize("header", ["", "2 3\n"])
@pytest.mark.parametrize("end", ["\n", " \n", "\r\n", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_is_read_with_and_without_a_header_whatever_its_line_ends(file, header, end, mark):
    found = read_vector_file(file(mark + f"{header}עיר 1 2 3\nlunsk -0.5 1e-3 4".replace("\n", end)))
    assert found.words == ("עיר", "lunsk")
    assert found.vectors.dtype == np.float32
    assert found.vectors == pytest.approx(np.array([[1, 2, 3], [-0.5, 0.001, 4]]))


def test_tabs_and_columns_of_spaces_are_read_too(file):
    found = read_vector_file(file("ada\t1\t2\nlunsk   3\t 4\n"))
    assert (found.words, found.vectors.tolist()) == (("ada", "lunsk"), [[1, 2], [3, 4]])


def test_the_first_words_and_those_asked_for_are_kept(file):
    path = file("a 1\nb 2\nc 3\nd 4\n")
    assert read_vector_file(path, {"d", "x"}, most_frequent=2).words == ("a", "b", "d")
    assert read_vector_file(path, {"c"}, most_frequent=0).words == ("c",)


def test_words_are_lower_cased_and_the_first_of_two_counts(file):
    found = read_vector_file(file("Lunsk 1\nlunsk 2\nADA 3\n"), most_frequent=3)
    assert (found.words, found.vectors.ravel().tolist()) == (("lunsk", "ada"), [1, 3])


def test_a_word_may_hold_spaces_of_any_kind(file):
    found = read_vector_file(file(". . 1 2\nnew\u00a0town 3 4\n\u3000 5 6\n2019 7 8\nat a 9 10\n"))
    assert found.words == (". .", "new\u00a0town", "\u3000", "2019", "at a")
    assert found.vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]


@pytest.mark.parametrize(
    ("line", "numbers"), [("ada 1 2", 2), ("ada 1 2 3 4", 4), ("ada", 0), ("ada 1 x 3", 2), ("a b 1 2", 2)]
)
def test_a_line_of_another_width_is_named_with_what_it_has(refused, line, numbers):
    found = refused(f"lunsk 1 2 3\n\n{line}\n")
    assert found in (
        f"line 3: expected 3 numbers after the word, got {numbers}",
        "line 3: expected a number, got 'x'",
        "line 3: expected a number, got 'b'",
    )


def test_a_width_that_the_header_did_not_promise_is_named(refused):
    assert refused("1 3\nlunsk 1 2\n") == "line 2: expected 3 numbers after the word, got 2"


@pytest.mark.parametrize(("content", "there"), [("3 1\na 1\nb 2\n", 2), ("1 1\na 1\nb 2\n", 2), ("2 1\n", 0)])
def test_a_file_that_does_not_hold_what_its_header_promises_is_refused(refused, content, there):
    promised = content.split(" ")[0]
    line = refused(content)
    assert line == f"expected {promised} words, as its first line says, got {there}. Is the file truncated?"


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_a_file_without_a_word_is_refused(refused, content):
    assert refused(content).startswith("expected lines of a word and its numbers, got none")


def test_a_file_of_which_no_word_is_wanted_is_refused(refused):
    assert (
        refused("a 1\nb 2\n", most_frequent=0)
        == "expected words of the data, got 2 others. Set most_frequent_words above 0"
    )


def test_a_text_without_numbers_is_refused(refused):
    assert refused("Ada Kroll was born in Lunsk.\n") == "line 1: expected a word with 1 to 4096 numbers, got 0"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e39"])
def test_a_number_that_is_not_finite_is_refused(refused, number):
    assert refused(f"a 1 2\nb 1 {number}\n") == "line 2: expected finite numbers, got one that is not"


def test_bytes_that_are_not_utf_8_are_named_with_their_line(refused):
    assert refused(b"a 1\nb\xff 2\n") == "line 2: is not UTF-8: byte 0xff at 1"


def test_vectors_that_are_too_wide_are_refused_before_they_are_read(refused):
    assert refused("a" + " 1" * 4097) == "line 1: expected a word with 1 to 4096 numbers, got 4097"
    assert refused(f"1 {'9' * 5000}\n").startswith("line 1: expected a word with 1 to 4096 numbers, got 999999999")


def test_a_line_without_end_is_refused(refused):
    assert refused(b"a 1\n" + b"x" * 1_100_000) == "line 2: is longer than 1000000 bytes"


@pytest.mark.parametrize("name", ["nowhere.vec", "."])
def test_a_file_that_cannot_be_opened_is_named(tmp_path, name):
    with pytest.raises(BadInput, match=r"no such file|expected a file, got a folder"):
        read_vector_file(tmp_path / name)


def test_words_that_nobody_asked_for_are_not_turned_into_numbers(file, monkeypatch):
    read = []
    numbers = vector_file._numbers
    monkeypatch.setattr(vector_file, "_numbers", lambda *given: read.append(given[1]) or numbers(*given))
    read_vector_file(file("".join(f"w{i} {i}\n" for i in range(50))), {"w7"}, most_frequent=3)
    assert len(read) == 4


@settings(max_examples=60)
@given(st.binary(max_size=60) | st.text("ab 01.\n\t-e", max_size=40).map(str.encode))
def test_whatever_a_file_holds_it_is_read_or_refused_in_one_line(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "any.vec"
    path.write_bytes(content)
    try:
        found = read_vector_file(path)
    except BadInput as problem:
        assert len(str(problem).splitlines()) == 1  # noqa: PT017
    else:
        assert isinstance(found, WordVectors)
        assert np.isfinite(found.vectors).all()
