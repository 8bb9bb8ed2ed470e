"""Few-shot accuracy: every statement is encoded once, episodes are arithmetic on stored vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import Episodes, draw_episodes, rows_by_relation
from protorel.evaluation.result import Measurement, measure
from protorel.fewshot import VECTOR_METHODS
from protorel.statements import BadInput, Statement

_AT_A_TIME = 250
"""Episodes judged in one go: it bounds the memory."""


@dataclass(frozen=True, slots=True)
class FewShotResult:
    """Accuracy over episodes, and over relations: there are few of those, so their interval is the honest one."""

    way: int
    shot: int
    episodes: int
    seed: int
    method: str
    accuracy: Measurement
    over_relations: Measurement
    per_relation: dict[str, float]

    def __str__(self) -> str:
        return f"{self.way}-way {self.shot}-shot: {self.accuracy}"


def few_shot_accuracy(
    vectors: Float[Tensor, "statements width"],
    relations: Sequence[str],
    *,
    way: int,
    shot: int,
    episodes: int = 10_000,
    seed: int = 0,
    method: str = "prototype",
) -> FewShotResult:
    """Judge stored vectors by N-way K-shot episodes; the same arguments give the same episodes and figures."""
    if method not in VECTOR_METHODS:
        raise BadInput(f"method {method!r} is not known, one of {', '.join(VECTOR_METHODS)} is wanted")
    for name, value in (("way", way), ("shot", shot), ("episodes", episodes)):
        if value < 1:
            raise BadInput(f"{name} is {value}, at least 1 is wanted")
    names = sorted(set(relations))
    codes = {name: index for index, name in enumerate(names)}
    rows = rows_by_relation(np.asarray([codes[name] for name in relations], dtype=np.int32), len(names))
    drawn = draw_episodes(rows, way=way, shot=shot, count=episodes, seed=seed)
    right = _judge(vectors, drawn, method)
    asked = np.bincount(drawn.relations.ravel(), minlength=len(names))
    answered = np.bincount(drawn.relations.ravel(), weights=right.ravel(), minlength=len(names))
    per_relation = {name: answered[i] / asked[i] for i, name in enumerate(names) if asked[i]}
    return FewShotResult(
        way=way,
        shot=shot,
        episodes=episodes,
        seed=seed,
        method=method,
        accuracy=measure(right.mean(axis=1)),
        over_relations=measure(list(per_relation.values())),
        per_relation=per_relation,
    )


def labelled(statements: Sequence[Statement]) -> tuple[list[Statement], list[str]]:
    """Return the statements that carry a label, and their labels."""
    kept = [statement for statement in statements if statement.relation is not None]
    if not kept:
        raise BadInput("the data holds no labelled statement to judge by")
    return kept, [statement.relation for statement in kept if statement.relation is not None]


def _judge(vectors: Float[Tensor, "statements width"], drawn: Episodes, method: str) -> NDArray[np.float64]:
    """Return, for each episode and query, 1.0 where the right way scored highest."""
    judge = VECTOR_METHODS[method]
    right = np.empty(drawn.query.shape, dtype=np.float64)
    answer = torch.arange(drawn.query.shape[1])
    for start in range(0, len(drawn), _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        scores = judge(vectors[torch.from_numpy(drawn.support[part])], vectors[torch.from_numpy(drawn.query[part])])
        right[part] = (scores.argmax(-1) == answer).numpy()
    return right
