"""Words of statements, laid out in lines of a given width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from protorel.report import Piece

_LONGEST = 18
"""Longest unbroken word in characters: a script without spaces, or an endless name, is broken after it."""


@dataclass(frozen=True, slots=True)
class Word:
    """Text that is not broken, the entity that it is part of, and whether a space precedes it."""

    text: str
    role: str = ""
    spaced: bool = True
    joined: bool = False
    """Whether it must be on the same line as the word before it, such as a comma."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on its line."""

    word: Word
    line: int
    left: float
    right: float


def words_of(pieces: Iterable[Piece]) -> list[Word]:
    """Split pieces into words; words of an entity keep its role."""
    words: list[Word] = []
    spaced = False
    for piece in pieces:
        for part in re.findall(r"\s+|\S+", piece.text):
            if part.isspace():
                spaced = True
                continue
            for start in range(0, len(part), _LONGEST):
                joined = bool(words) and not spaced and start == 0
                words.append(Word(part[start : start + _LONGEST], piece.role, spaced, joined))
                spaced = False
    return words


def flow(
    words: Iterable[Word], *, width: float, space: float, measure: Callable[[Word], float]
) -> tuple[list[PlacedWord], int]:
    """Return the position of each word and the number of lines; a word wider than a line gets its own line."""
    placed: list[PlacedWord] = []
    line, at = 0, 0.0
    for group in _groups(words):
        lengths = [measure(word) for word in group]
        gap = space if at and group[0].spaced else 0.0
        if at and at + gap + sum(lengths) > width:
            line, at, gap = line + 1, 0.0, 0.0
        at += gap
        for word, length in zip(group, lengths, strict=True):
            placed.append(PlacedWord(word, line, at, at + length))
            at += length
    return placed, line + 1 if placed else 0


def _groups(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Group words that must be on one line."""
    group: list[Word] = []
    for word in words:
        if group and not word.joined:
            yield group
            group = []
        group.append(word)
    if group:
        yield group
