"""Markers around both entities, in a row that is cropped without losing either entity."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from protorel.batches.layout import Layout
from protorel.statements import Span, Statement, StatementError

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One statement as token ids, with the places of its entities, markers included."""

    ids: NDArray[np.int32]
    head: Range
    tail: Range


def mark_statement(statement: Statement, encoding: Encoding, layout: Layout, max_length: int) -> TokenRow:
    """Return a tokenised statement as one row of at most `max_length` tokens, with markers around both entities.

    Entities may be nested, overlapping or adjacent. Text far from both entities is cropped first, then text between
    them. Raise `StatementError` if the two entities alone do not fit, or if one has no token.
    """
    head = _tokens_of("head", statement.head, encoding.offsets, statement.text)
    tail = _tokens_of("tail", statement.tail, encoding.offsets, statement.text)
    room = max_length - layout.frame
    if room < _size(head, tail):
        raise StatementError(
            "text",
            f"the two entities need {_size(head, tail) + layout.frame} tokens with their markers, "
            f"max_length is {max_length}",
        )
    kept = _crop(head, tail, len(encoding.ids), room)
    return _emit(encoding.ids, kept, head, tail, layout)


def _tokens_of(name: str, span: Span, offsets: Sequence[Range], text: str) -> Range:
    """Return the range of tokens that share a character with the span."""
    first = bisect_right([stop for _, stop in offsets], span.start)
    last = bisect_left([start for start, _ in offsets], span.stop)
    if first >= last:
        raise StatementError(name, f"expected at least one token for {span.of(text)!r}, got none from the tokenizer")
    return first, last


def _size(head: Range, tail: Range) -> int:
    shared = max(0, min(head[1], tail[1]) - max(head[0], tail[0]))
    return head[1] - head[0] + tail[1] - tail[0] - shared


def _crop(head: Range, tail: Range, length: int, room: int) -> list[Range]:
    """Return the ranges to keep: one window around both entities, or one around each if the gap is too wide."""
    (start, first_stop), (second_start, stop) = sorted((head, tail))
    stop = max(stop, first_stop)
    if stop - start <= room:
        return [_widen((start, stop), 0, length, room - (stop - start))]
    spare = room - _size(head, tail)
    left = _widen((start, first_stop), 0, second_start, spare // 2)
    right = _widen((second_start, stop), left[1], length, spare - (left[1] - left[0] - (first_stop - start)))
    return [left, right]


def _widen(window: Range, low: int, high: int, spare: int) -> Range:
    """Add up to `spare` tokens around a window: equally on both sides, or more on one if the other has too few."""
    before, after = window[0] - low, high - window[1]
    left = min(before, max(spare // 2, spare - after))
    return window[0] - left, window[1] + min(after, spare - left)


def _emit(ids: Sequence[int], kept: list[Range], head: Range, tail: Range, layout: Layout) -> TokenRow:
    row = list(layout.prefix)
    place: dict[str, list[int]] = {"head": [0, 0], "tail": [0, 0]}
    # Outer entities open first and close last; if both cover the same tokens the head is the outer one.
    entities = [("head", head, layout.head_markers), ("tail", tail, layout.tail_markers)]
    opening = sorted(entities, key=lambda entity: (entity[1][0], -entity[1][1]))
    for index in (i for start, stop in kept for i in range(start, stop)):
        for name, (start, _), markers in opening:
            if start == index:
                place[name][0] = len(row)
                row += markers[:1] if markers else ()
        row.append(ids[index])
        for name, (_, stop), markers in reversed(opening):
            if stop == index + 1:
                row += markers[1:] if markers else ()
                place[name][1] = len(row)
    row += layout.suffix
    head_place, tail_place = place["head"], place["tail"]
    return TokenRow(np.asarray(row, dtype=np.int32), (head_place[0], head_place[1]), (tail_place[0], tail_place[1]))
