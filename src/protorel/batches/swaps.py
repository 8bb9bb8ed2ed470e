"""Entity-name swapping: the same sentence with other names, so that names do not give the relation away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.batches.layout import Layout
from protorel.batches.markers import Range, TokenRow
from protorel.batches.token_rows import TokenRows


def swap_names(
    rows: list[TokenRow],
    relations: Sequence[int],
    data: TokenRows,
    rows_of_relation: Sequence[NDArray[np.int64]],
    *,
    rate: float,
    max_length: int,
    rng: np.random.Generator,
) -> list[TokenRow]:
    """Replace each entity's name, with probability `rate`, by the name in the same role of another statement.

    The other statement is of the same relation, so the new name is of a fitting type. `relations` are those of the
    rows; `rows_of_relation` are the rows of each relation in `data`.
    """
    swapped = []
    for row, relation in zip(rows, relations, strict=True):
        head, tail = (data.row(int(donor)) for donor in rng.choice(rows_of_relation[relation], size=2))
        swap_head, swap_tail = rng.random(2) < rate
        new_head = _name(head, head.head, data.layout) if swap_head else None
        new_tail = _name(tail, tail.tail, data.layout) if swap_tail else None
        swapped.append(rename(row, data.layout, new_head, new_tail, max_length=max_length))
    return swapped


def rename(
    row: TokenRow,
    layout: Layout,
    head: NDArray[np.int32] | None,
    tail: NDArray[np.int32] | None,
    *,
    max_length: int,
) -> TokenRow:
    """Return a row with other entity names, given as tokens; None keeps a name.

    The row is returned unchanged if its entities overlap, or if the new row would be too long.
    """
    (first, first_name), (second, second_name) = sorted([(row.head, head), (row.tail, tail)], key=lambda e: e[0])
    if first[1] > second[0]:
        return row
    first_part, second_part = _renamed(row, first, first_name, layout), _renamed(row, second, second_name, layout)
    before, between, after = row.ids[: first[0]], row.ids[first[1] : second[0]], row.ids[second[1] :]
    ids = np.concatenate([before, first_part, between, second_part, after])
    if len(ids) > max_length:
        return row
    first_place = (first[0], first[0] + len(first_part))
    second_start = first_place[1] + len(between)
    second_place = (second_start, second_start + len(second_part))
    return TokenRow(ids, *((first_place, second_place) if first == row.head else (second_place, first_place)))


def _renamed(row: TokenRow, place: Range, name: NDArray[np.int32] | None, layout: Layout) -> NDArray[np.int32]:
    """Return the tokens of an entity, markers included, with another name."""
    inside = row.ids[place[0] : place[1]]
    if name is None:
        return inside
    structure = np.isin(inside, layout.structural)
    words = np.flatnonzero(~structure)
    return np.concatenate([inside[: words[0]], name, inside[words[-1] + 1 :]])


def _name(row: TokenRow, place: Range, layout: Layout) -> NDArray[np.int32]:
    """Return the tokens of an entity's name, without markers."""
    inside = row.ids[place[0] : place[1]]
    return inside[~np.isin(inside, layout.structural)]


def swap_roles(row: TokenRow, layout: Layout) -> TokenRow:
    """Return a row in which the head is the tail and the tail the head."""
    ids = row.ids.copy()
    if layout.head_markers is not None and layout.tail_markers is not None:
        for head, tail in zip(layout.head_markers, layout.tail_markers, strict=True):
            ids[row.ids == head], ids[row.ids == tail] = tail, head
    return TokenRow(ids, row.tail, row.head)
