"""Entity blanking: hide a name, so that the encoder must read what is said about it."""

from __future__ import annotations

import numpy as np

from protorel.batches.layout import Layout
from protorel.batches.markers import Range, TokenRow


def blank_entities(row: TokenRow, layout: Layout, *, rate: float, rng: np.random.Generator) -> TokenRow:
    """Replace each entity's name, with probability `rate`, by one blank token; the markers stay.

    Each run of name tokens becomes a single blank, so the length of the name is hidden too.
    """
    hide_head, hide_tail = rng.random(2) < rate
    if not hide_head and not hide_tail:
        return row
    inside = np.zeros(len(row.ids), dtype=bool)
    for hidden, (start, stop) in ((hide_head, row.head), (hide_tail, row.tail)):
        inside[start:stop] |= hidden
    inside &= ~np.isin(row.ids, layout.structural)
    ids = np.where(inside, np.int32(layout.blank), row.ids)
    keep = ~inside
    keep[0] = True
    keep[1:] |= inside[1:] & ~inside[:-1]
    # Without markers two names may touch or overlap: each keeps a blank of its own, at its start.
    keep[[row.head[0], row.tail[0]]] = True
    # After removal, position p has moved to the number of kept tokens before it.
    moved = np.concatenate([[0], np.cumsum(keep)])
    return TokenRow(ids[keep], _move(row.head, moved), _move(row.tail, moved))


def _move(place: Range, moved: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Range:
    return int(moved[place[0]]), int(moved[place[1]])
