"""How far a pattern is trusted, and a pair of entities by the patterns that found it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

PatternConfidence = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""Gives each pattern's confidence, from 0 to 1, by how many true and how many false pairs it matches."""

_CERTAIN = 1 - 1e-12


def ratio(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> NDArray[np.float64]:
    """Snowball's confidence: positive / (positive + negative); 0 where it matches neither."""
    return np.asarray(positive / np.maximum(1, positive + negative), dtype=np.float64)


def rlogf(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> NDArray[np.float64]:
    """RlogF (Riloff 1996): ratio · log2(positive), as a share of the highest; frequent patterns gain."""
    raw = ratio(positive, negative) * np.log2(np.maximum(1, positive))
    return np.asarray(raw / (raw.max(initial=0.0) or 1.0), dtype=np.float64)


def best_by_group(matches: csr_array, groups: NDArray[np.int64], count: int) -> csr_array:
    """Return the best match of each group of rows with each pattern, groups × patterns."""
    rows = np.repeat(groups, np.diff(matches.indptr))
    cells = rows * matches.shape[1] + matches.indices
    order = np.argsort(cells, kind="stable")
    found, starts = np.unique(cells[order], return_index=True)
    best = np.maximum.reduceat(matches.data[order], starts) if len(found) else matches.data[:0]
    return csr_array((best, np.divmod(found, max(1, matches.shape[1]))), shape=(count, matches.shape[1]))


def noisy_or(best: csr_array, confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - Π over patterns of (1 - confidence · match), for each row: Snowball's confidence in a tuple."""
    believed = np.minimum(best.data * confidence[best.indices], _CERTAIN)
    doubts = csr_array((np.log1p(-believed), best.indices, best.indptr), shape=best.shape)
    return np.asarray(-np.expm1(doubts.sum(1)), dtype=np.float64)
