"""Single-pass clustering of contexts, and which contexts a pattern matches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from protorel.patterns.context_vectors import ContextSpace
from protorel.patterns.contexts import PARTS

_BLOCK = 4096
"""The number of contexts that are compared with all patterns at a time: a bound on memory."""


def single_pass(vectors: csr_array, space: ContextSpace, *, threshold: float, most: int) -> NDArray[np.int64]:
    """Assign contexts, in order, to clusters, and return the cluster of each.

    A context joins the cluster whose centroid it matches best. If no match reaches `threshold`, it starts a new
    cluster; once there are `most` clusters, it gets none (-1). A centroid is the sum of its members' vectors, each part
    scaled as in `ContextSpace.unit`.
    """
    used, columns = np.unique(vectors.indices, return_inverse=True)
    parts = space.part_of[used[columns]]
    roots = np.sqrt(space.shares)
    sums = np.zeros((len(used), min(16, most)), dtype=np.float32)
    squares = np.zeros((len(PARTS), most))
    assigned = np.full(vectors.shape[0], -1, dtype=np.int64)
    count = 0
    for row in range(vectors.shape[0]):
        own = slice(vectors.indptr[row], vectors.indptr[row + 1])
        column, value, part = columns[own], vectors.data[own], parts[own]
        scales = roots[:, None] / np.sqrt(np.where(squares[:, :count] > 0, squares[:, :count], 1.0))
        products = value[:, None] * sums[column, :count]
        matches = (products * scales[part]).sum(0)
        best = int(matches.argmax()) if count else 0
        if count == 0 or matches[best] < threshold:
            if count == most:
                continue
            best, count = count, count + 1
            if count > sums.shape[1]:
                wider = min(most, 2 * sums.shape[1]) - sums.shape[1]
                sums = np.concatenate([sums, np.zeros((len(used), wider), dtype=np.float32)], axis=1)
        grown = 2 * value * sums[column, best] + value**2
        squares[:, best] += np.bincount(part, weights=grown, minlength=len(PARTS))
        sums[column, best] += value
        assigned[row] = best
    return assigned


def centroids(
    vectors: csr_array, assigned: NDArray[np.int64], clusters: NDArray[np.int64], space: ContextSpace
) -> csr_array:
    """Return the centroids of the given clusters."""
    place = np.full(int(assigned.max(initial=-1)) + 2, -1)
    place[clusters] = np.arange(len(clusters))
    members = np.flatnonzero(place[assigned] >= 0)
    ones = np.ones(len(members), dtype=np.float32)
    chosen = csr_array((ones, (place[assigned[members]], members)), shape=(len(clusters), len(assigned)))
    return space.unit(csr_array(chosen @ vectors))


def matched(vectors: csr_array, patterns: csr_array, *, threshold: float) -> csr_array:
    """Return the match of each context with each pattern, contexts × patterns; 0 below `threshold`."""
    turned = csr_array(patterns.T)
    blocks = []
    for start in range(0, vectors.shape[0], _BLOCK):
        block = csr_array(vectors[start : start + _BLOCK] @ turned)
        block.data[block.data < threshold] = 0
        block.eliminate_zeros()
        blocks.append(block)
    return csr_array(vstack(blocks, format="csr"))
