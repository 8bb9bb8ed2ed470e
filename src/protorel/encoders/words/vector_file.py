"""A user's own word vectors: a text file in the format of GloVe, word2vec or fastText.

532 50                          number of words, numbers per word: an optional header
the 0.418 0.24968 -0.41242 …    a word and its numbers, the most frequent word first
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protorel.corpora import numbered_lines
from protorel.encoders.words.vectors import WordVectors
from protorel.statements import BadInput

MAX_WIDTH = 4096
"""The widest vector that is accepted: a bound on the memory that a malicious file can take."""
_SHOWN = 40
_WHOLE = re.compile(r"[0-9]+")


class _Entry(NamedTuple):
    number: int
    pieces: list[str]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the first line says: the width of vectors and, if it is a header, their number."""

    width: int
    words: int | None = None


def read_vector_file(path: Path, words: Container[str] = (), *, most_frequent: int = 40_000) -> WordVectors:
    """Read the vectors of the first `most_frequent` words of a file, and of those in `words`.

    Words are lower-cased, as texts are; of two that are then equal the first, more frequent one is kept. All lines
    must have the width of the first vector.
    """
    entries = _entries(path)
    first = next(entries, None)
    if first is None:
        raise BadInput(f"{path}: expected lines of a word and its numbers, got none")
    shape = _shape(path, first)
    count, kept = 0, dict[str, NDArray[np.float32]]()
    for entry in entries if shape.words is not None else chain([first], entries):
        word = _word(path, entry, shape.width).lower()
        if word not in kept and (count < most_frequent or word in words):
            kept[word] = _numbers(path, entry, shape.width)
        count += 1
    if shape.words is not None and shape.words != count:
        raise BadInput(
            f"{path}: expected {shape.words} words, as its first line says, got {count}. Is the file truncated?"
        )
    if not kept:
        raise BadInput(
            f"{path}: expected words of the data, got {count} others. Set most_frequent_words above {most_frequent}"
        )
    return WordVectors(tuple(kept), np.stack(list(kept.values())))


def _entries(path: Path) -> Iterator[_Entry]:
    try:
        for line in numbered_lines(path):
            if line is None:
                continue
            if line.problem:
                raise BadInput(f"{path}: line {line.number}: {line.problem}")
            # Only these two separate numbers; a word may contain any other kind of space.
            yield _Entry(line.number, [piece for piece in line.text.replace("\t", " ").split(" ") if piece])
    except OSError as problem:
        raise BadInput(f"{path}: expected a readable file, got an error ({problem.strerror})") from problem


def _shape(path: Path, first: _Entry) -> _Shape:
    match first.pieces:
        case [words, width] if _WHOLE.fullmatch(words) and _WHOLE.fullmatch(width):
            # Python refuses to parse a number of thousands of digits.
            shape = _Shape(int(width[:9]), int(words[:18]))
        case pieces:
            shape = _Shape(sum(1 for piece in pieces[1:] if _is_number(piece)))
    if not 1 <= shape.width <= MAX_WIDTH:
        raise BadInput(f"{path}: line {first.number}: expected a word with 1 to {MAX_WIDTH} numbers, got {shape.width}")
    return shape


def _word(path: Path, entry: _Entry, width: int) -> str:
    """Return a line's word, which may contain spaces: all before the last `width` pieces."""
    word = entry.pieces[:-width]
    # Otherwise a line with too many numbers would pass for a word with spaces.
    if not word or any(_is_number(piece) for piece in word[1:]):
        found = sum(1 for piece in entry.pieces[1:] if _is_number(piece))
        raise BadInput(f"{path}: line {entry.number}: expected {width} numbers after the word, got {found}")
    return " ".join(word)


def _numbers(path: Path, entry: _Entry, width: int) -> NDArray[np.float32]:
    pieces = entry.pieces[-width:]
    try:
        numbers = np.array([float(piece) for piece in pieces])
    except ValueError:
        wrong = next(piece for piece in pieces if not _is_number(piece))
        raise BadInput(f"{path}: line {entry.number}: expected a number, got {wrong[:_SHOWN]!r}") from None
    if not (np.abs(numbers) <= np.finfo(np.float32).max).all():
        raise BadInput(f"{path}: line {entry.number}: expected finite numbers, got one that is not")
    return numbers.astype(np.float32)


def _is_number(piece: str) -> bool:
    try:
        float(piece)
    except ValueError:
        return False
    return True
