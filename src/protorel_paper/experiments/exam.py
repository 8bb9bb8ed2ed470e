"""The exam of an experiment: every point is evaluated on the same test statements and episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from protorel.evaluation import few_shot_accuracy, labelled, measurement_json
from protorel.fewshot import METHODS
from protorel.statements import BadInput, DataSet, Statement, fingerprint

ALSO = ((5, 1), (5, 5), (10, 1), (10, 5))
"""Settings that are evaluated in addition, if the test set allows it: the vectors are there anyway."""
_DRAWN_BY = 0
"""The test statements are the same for every seed of an experiment."""


@dataclass(frozen=True, slots=True)
class PointExam:
    """Labelled test statements and the episodes drawn from them."""

    statements: Sequence[Statement]
    relations: Sequence[str]
    tasks: tuple[tuple[int, int], ...]
    """Classes and examples per class; curves show the first."""
    episodes: int
    method: str
    data: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        test: DataSet,
        *,
        way: int = 5,
        shot: int = 1,
        episodes: int = 10_000,
        method: str = "prototype",
        each: int = 0,
    ) -> PointExam:
        """Prepare an exam; `each` is the largest number of statements per relation to encode, 0 for all."""
        known = [name for name, rule in METHODS.items() if rule.takes_similarity]
        if method not in known:
            raise BadInput(f"method: expected one of {', '.join(known)}, got {method!r}")
        for name, value in (("way", way), ("shot", shot), ("episodes", episodes)):
            if value < 1:
                raise BadInput(f"{name}: expected at least 1, got {value}")
        kept, names = labelled(list(test.source()))
        rows = _rows(names, each)
        counts = np.unique([names[row] for row in rows], return_counts=True)[1]
        needs = (
            (way, len(counts), "test relations"),
            (shot + 1, int(counts.min()), "statements per test relation"),
        )
        for needed, have, what in needs:
            if have < needed:
                where = test.path or test.name
                raise BadInput(f"{where}: expected at least {needed} {what} for {way}-way {shot}-shot, got {have}")
        more = [(ways, shots) for ways, shots in ALSO if ways <= len(counts) and shots < counts.min()]
        tasks = tuple(dict.fromkeys([(way, shot), *more]))
        return cls([kept[r] for r in rows], [names[r] for r in rows], tasks, episodes, method, test.described())

    @property
    def headline(self) -> str:
        """Name of the setting that curves show, such as 5w1s."""
        return task_name(*self.tasks[0])

    def settings(self) -> dict[str, Any]:
        """Return everything that a figure depends on, except the vectors."""
        return {
            "task": self.headline,
            "episodes": self.episodes,
            "method": self.method,
            "statements": len(self.statements),
            "fingerprint": fingerprint(self.statements),
        }

    def evaluate(self, vectors: Float[Tensor, "statements width"]) -> dict[str, Any]:
        """Return few-shot accuracy in every setting, as a point records it."""
        evaluated = {}
        for way, shot in self.tasks:
            found = few_shot_accuracy(
                vectors, self.relations, way=way, shot=shot, episodes=self.episodes, method=self.method
            )
            evaluated[task_name(way, shot)] = {
                "accuracy": found.accuracy.value,
                "margin": found.accuracy.margin,
                "over_relations": measurement_json(found.over_relations),
                "per_relation": found.per_relation,
            }
        return evaluated


def task_name(way: int, shot: int) -> str:
    """Return the short name of a setting, such as 5w1s."""
    return f"{way}w{shot}s"


def _rows(names: Sequence[str], each: int) -> list[int]:
    """Draw up to `each` rows per relation, in the order of the file."""
    seen: dict[str, int] = {}
    chosen = []
    for row in np.random.default_rng(_DRAWN_BY).permutation(len(names)).tolist():
        seen[names[row]] = seen.get(names[row], 0) + 1
        if not each or seen[names[row]] <= each:
            chosen.append(row)
    return sorted(chosen)
