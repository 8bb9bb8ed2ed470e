"""Contexts as sparse vectors: the match of two contexts is a dot product."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protorel.patterns.contexts import PARTS, Context, Slot


@dataclass(frozen=True, slots=True)
class ContextSpace:
    """The columns of a context vector: each is a term in one part of a context, in one slot.

    Slots have separate columns, so the match of contexts with different order or entity types is 0.
    """

    slots: tuple[Slot, ...]
    terms: tuple[str, ...]
    slot_of: NDArray[np.int32]
    part_of: NDArray[np.int8]
    term_of: NDArray[np.int32]
    shares: tuple[float, float, float]
    """The weights of left, middle and right in a match; their sum is 1."""

    def __len__(self) -> int:
        return len(self.part_of)

    def unit(self, rows: csr_array) -> csr_array:
        """Return the rows with each part scaled so that its squared norm is its share; empty parts stay empty."""
        part = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)) * len(PARTS) + self.part_of[rows.indices]
        squares = np.bincount(part, weights=rows.data.astype(np.float64) ** 2, minlength=rows.shape[0] * len(PARTS))
        scales = np.sqrt(np.tile(self.shares, rows.shape[0]) / np.where(squares > 0, squares, 1.0))
        return csr_array(((rows.data * scales[part]).astype(np.float32), rows.indices, rows.indptr), shape=rows.shape)


class ContextVectors:
    """Collects contexts one by one, and turns them into vectors."""

    def __init__(self) -> None:
        self._slots: dict[Slot, int] = {}
        self._terms: dict[str, int] = {}
        self._slot_of_row = array("i")
        self._rows, self._parts, self._words = array("i"), array("b"), array("i")

    def add(self, context: Context) -> None:
        """Add a context as the next row."""
        row = len(self._slot_of_row)
        self._slot_of_row.append(self._slots.setdefault(context.slot, len(self._slots)))
        for part, words in enumerate((context.left, context.middle, context.right)):
            for word in words:
                self._rows.append(row)
                self._parts.append(part)
                self._words.append(self._terms.setdefault(word, len(self._terms)))

    def finish(self, *, shares: Sequence[float]) -> tuple[csr_array, ContextSpace]:
        """Return one row per context, weighted by term frequency and inverse document frequency.

        A term's weight is (1 + log count) · log(1 + contexts / contexts with it in this part). A term that only one
        context has in a part cannot match: it counts in the norm of its row, and has no column.
        """
        rows, slots = np.asarray(self._rows, dtype=np.int64), np.asarray(self._slot_of_row, dtype=np.int64)
        terms = np.asarray(self._words, dtype=np.int64) * len(PARTS) + np.asarray(self._parts, dtype=np.int64)
        term_count = len(self._terms) * len(PARTS)
        cells, counts = np.unique(rows * term_count + terms, return_counts=True)
        rows, terms = np.divmod(cells, max(1, term_count))
        seen_in = np.bincount(terms, minlength=term_count)
        weights = (1 + np.log(counts)) * np.log1p(len(slots) / np.maximum(1, seen_in[terms]))
        features, columns = np.unique(slots[rows] * term_count + terms, return_inverse=True)
        slot_of, term_part = np.divmod(features, max(1, term_count))
        space = ContextSpace(
            tuple(self._slots),
            tuple(self._terms),
            slot_of=slot_of.astype(np.int32),
            part_of=(term_part % len(PARTS)).astype(np.int8),
            term_of=(term_part // len(PARTS)).astype(np.int32),
            shares=(shares[0], shares[1], shares[2]),
        )
        starts = np.searchsorted(rows, np.arange(len(slots) + 1))
        whole = space.unit(csr_array((weights, columns, starts), shape=(len(slots), len(features))))
        return _shared_columns(whole, space)


def _shared_columns(vectors: csr_array, space: ContextSpace) -> tuple[csr_array, ContextSpace]:
    """Return the vectors without the columns that only one row has."""
    kept = np.flatnonzero(np.bincount(vectors.indices, minlength=len(space)) > 1)
    left = ContextSpace(
        space.slots, space.terms, space.slot_of[kept], space.part_of[kept], space.term_of[kept], space.shares
    )
    return csr_array(vectors[:, kept]), left
