"""The geometry of a run's prototypes: angles, spread of the statements around them, and pairs that are confusable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.geometry import Prototypes
from protorel.report.content import ConfusablePair, RunGeometry

_PAIRS = 15
_ROWS = 4096


def run_geometry(
    run: str,
    prototypes: Prototypes,
    vectors: Float[Tensor, "statements width"] | None = None,
    relations: Sequence[str | None] = (),
) -> RunGeometry:
    """Measure the prototypes of a run, with statements if their vectors are given.

    Args:
        run: Name of the run.
        prototypes: Its prototypes.
        vectors: One vector per statement.
        relations: The label of each statement; those without a prototype are left out.
    """
    ids = prototypes.relations.ids
    cosines = prototypes.similarity(prototypes.vectors).double().clamp(-1, 1).numpy()
    angles = np.degrees(np.arccos(cosines))
    first, second = np.triu_indices(len(ids), 1)
    own = {relation: number for number, relation in enumerate(ids)}
    rows = [row for row, relation in enumerate(relations) if relation in own]
    spread = {
        one: math.degrees(math.acos(r)) for one, r in zip(ids, prototypes.radius.tolist(), strict=True) if -1 <= r <= 1
    }
    counts: NDArray[np.int64] | None = None
    if vectors is not None and rows:
        labels = np.asarray([own[str(relations[row])] for row in rows])
        nearest, to_own = _nearest(prototypes, vectors[torch.tensor(rows)], labels)
        counts = np.zeros((len(ids), len(ids)), dtype=np.int64)
        np.add.at(counts, (labels, nearest), 1)
        spread |= _spread(labels, to_own, ids)
    return RunGeometry(
        run=run,
        relations=ids,
        angles=angles[first, second],
        ideal_angle=math.degrees(math.acos(-1 / (len(ids) - 1))) if len(ids) > 1 else None,
        spread=spread,
        confusable=_confusable(ids, angles, counts),
    )


def _nearest(
    prototypes: Prototypes, vectors: Float[Tensor, "statements width"], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each statement's nearest prototype and its cosine to its own, in blocks to bound memory."""
    nearest, to_own = [], []
    for start in range(0, len(vectors), _ROWS):
        cosines = prototypes.similarity(vectors[start : start + _ROWS]).double().clamp(-1, 1).numpy()
        nearest.append(cosines.argmax(axis=1))
        to_own.append(cosines[np.arange(len(cosines)), labels[start : start + _ROWS]])
    return np.concatenate(nearest), np.concatenate(to_own)


def _spread(labels: NDArray[np.int64], to_own: NDArray[np.float64], ids: Sequence[str]) -> dict[str, float]:
    """Return the median angle of each relation's statements to its prototype."""
    order = np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    parts = np.split(np.degrees(np.arccos(to_own[order])), starts[1:])
    return {ids[label]: float(np.median(part)) for label, part in zip(found.tolist(), parts, strict=True)}


def _confusable(
    ids: Sequence[str], angles: NDArray[np.float64], counts: NDArray[np.int64] | None
) -> list[ConfusablePair]:
    """Return the pairs with most statements closest to the other's prototype, or without statements the closest."""
    first, second = np.triu_indices(len(ids), 1)
    if counts is None:
        order = np.argsort(angles[first, second], kind="stable")[:_PAIRS]
        return [
            ConfusablePair(ids[a], ids[b], float(angles[a, b]))
            for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True)
        ]
    confused = counts[first, second] + counts[second, first]
    order = np.lexsort((angles[first, second], -confused))[:_PAIRS]
    totals: Mapping[int, int] = dict(enumerate(counts.sum(axis=1).tolist()))
    return [
        ConfusablePair(ids[a], ids[b], float(angles[a, b]), int(counts[a, b] + counts[b, a]), totals[a] + totals[b])
        for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True)
    ]
