"""A user's own word vectors: a text file in the form of GloVe, word2vec or fastText.

532 50                          how many words, how many numbers each: a first line that may be absent
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
from protorel.encoders.words import WordVectors
from protorel.statements import BadInput

MAX_WIDTH = 4096
"""The widest vector that is read: a bound on what a hostile file can cost."""
_SHOWN = 40
_WHOLE = re.compile(r"[0-9]+")


class _Entry(NamedTuple):
    number: int
    pieces: list[str]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the first line tells: how wide vectors are and, where it is a header, how many there should be."""

    width: int
    words: int | None = None


def read_vector_file(path: Path, words: Container[str] = (), *, most_frequent: int = 40_000) -> WordVectors:
    """Read the vectors of the first `most_frequent` words of a file, and of those in `words`.

    Words are lower-cased, as texts are; of two that are then the same the first, more frequent one is kept. The
    width is that of the file's first vector, and a line of another width is refused.
    """
    entries = _entries(path)
    first = next(entries, None)
    if first is None:
        raise BadInput(f"{path}: holds no word vector, lines of a word and its numbers are wanted")
    shape = _shape(path, first)
    count, kept = 0, dict[str, NDArray[np.float32]]()
    for entry in entries if shape.words is not None else chain([first], entries):
        word = _word(path, entry, shape.width).lower()
        if word not in kept and (count < most_frequent or word in words):
            kept[word] = _numbers(path, entry, shape.width)
        count += 1
    if shape.words is not None and shape.words != count:
        raise BadInput(f"{path}: its first line promises {shape.words} words, {count} are there; is it cut short?")
    if not kept:
        raise BadInput(f"{path}: none of its {count} words is wanted: most_frequent_words={most_frequent}")
    return WordVectors(tuple(kept), np.stack(list(kept.values())))


def _entries(path: Path) -> Iterator[_Entry]:
    try:
        for line in numbered_lines(path):
            if line is None:
                continue
            if line.problem:
                raise BadInput(f"{path}: line {line.number}: {line.problem}")
            # Only these two stand between numbers; a word may hold any other kind of space.
            yield _Entry(line.number, [piece for piece in line.text.replace("\t", " ").split(" ") if piece])
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read ({problem.strerror})") from problem


def _shape(path: Path, first: _Entry) -> _Shape:
    match first.pieces:
        case [words, width] if _WHOLE.fullmatch(words) and _WHOLE.fullmatch(width):
            # A number of thousands of digits cannot even be read.
            shape = _Shape(int(width[:9]), int(words[:18]))
        case pieces:
            shape = _Shape(sum(1 for piece in pieces[1:] if _is_number(piece)))
    if not 1 <= shape.width <= MAX_WIDTH:
        raise BadInput(
            f"{path}: line {first.number}: tells of vectors of {shape.width} numbers, 1 to {MAX_WIDTH} are wanted"
        )
    return shape


def _word(path: Path, entry: _Entry, width: int) -> str:
    """Return a line's word, which may hold spaces: what stands before the last `width` pieces."""
    word = entry.pieces[:-width]
    # A line with more numbers than wanted would else pass for a word with spaces.
    if not word or any(_is_number(piece) for piece in word[1:]):
        found = sum(1 for piece in entry.pieces[1:] if _is_number(piece))
        raise BadInput(f"{path}: line {entry.number}: has {found} numbers after its word, {width} are wanted")
    return " ".join(word)


def _numbers(path: Path, entry: _Entry, width: int) -> NDArray[np.float32]:
    pieces = entry.pieces[-width:]
    try:
        numbers = np.array([float(piece) for piece in pieces])
    except ValueError:
        wrong = next(piece for piece in pieces if not _is_number(piece))
        raise BadInput(f"{path}: line {entry.number}: {wrong[:_SHOWN]!r} stands where a number is wanted") from None
    if not (np.abs(numbers) <= np.finfo(np.float32).max).all():
        raise BadInput(f"{path}: line {entry.number}: holds a number that is not finite")
    return numbers.astype(np.float32)


def _is_number(piece: str) -> bool:
    try:
        float(piece)
    except ValueError:
        return False
    return True
