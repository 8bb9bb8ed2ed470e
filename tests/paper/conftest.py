"""Batches in double precision, and the cosine as a plain loop, for the equations written out slowly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import pytest
import torch

from protorel.objectives import ObjectiveInput

MakeBatch = Callable[..., ObjectiveInput]


def _batch_of(
    relations: Sequence[int], *, also: Iterable[tuple[int, int]] = (), count: int | None = None, width: int = 5, seed=0
) -> ObjectiveInput:
    """Draw a batch: `also` names (statement, relation) labels besides the one under which it was drawn."""
    generator = torch.Generator().manual_seed(seed)
    count = count or max(relations) + 1
    labels = torch.zeros(len(relations), count, dtype=torch.bool)
    for statement, relation in [*enumerate(relations), *also]:
        labels[statement, relation] = True
    return ObjectiveInput(
        embeddings=torch.randn(len(relations), width, generator=generator, dtype=torch.double),
        relations=torch.tensor(relations),
        labels=labels,
        prototypes=torch.randn(count, width, generator=generator, dtype=torch.double),
    )


def _plain_cosine(left: Sequence[float], right: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    return dot / math.sqrt(sum(a * a for a in left)) / math.sqrt(sum(b * b for b in right))


@pytest.fixture(scope="session")
def batch_of() -> MakeBatch:
    return _batch_of


@pytest.fixture(scope="session")
def plain_cosine() -> Callable[[Sequence[float], Sequence[float]], float]:
    return _plain_cosine


BATCHES = {
    "two of each": {"relations": [0, 0, 1, 1, 2, 2]},
    "unlike counts and a lone statement": {"relations": [2, 0, 0, 0, 1, 2]},
    "relations outside the batch": {"relations": [3, 3, 1, 1], "count": 6},
    "two labels": {"relations": [0, 0, 1, 1, 2, 2], "also": [(0, 1), (4, 0), (5, 3)], "count": 4},
    "three labels": {"relations": [0, 1, 0, 1, 2, 3], "also": [(0, 1), (0, 2), (3, 0), (3, 3)]},
}


@pytest.fixture(params=BATCHES.values(), ids=BATCHES.keys())
def batch(request) -> ObjectiveInput:
    """Batches of every kind: balanced, not balanced, and with statements of several labels."""
    return _batch_of(**request.param)
