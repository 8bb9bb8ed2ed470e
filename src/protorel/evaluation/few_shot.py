"""Few-shot accuracy: every statement is encoded once, episodes are arithmetic on stored vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.evaluation.episode_exam import Exam, answered_right, draw_exam, episode_scores
from protorel.evaluation.result import Measurement, measure
from protorel.evaluation.settings import EpisodeSettings
from protorel.fewshot import FewShotMethod, find_method
from protorel.statements import BadInput, Statement


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
    similarity: str = "cosine"
    apart_pairs: bool = False
    """Whether no query was about an entity pair of its episode's examples."""

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
    method: str | FewShotMethod = "prototype",
    similarity: str = "cosine",
    groups: NDArray[np.int64] | None = None,
    texts: Float[Tensor, "relations width"] | None = None,
    text_weight: float | None = None,
) -> FewShotResult:
    """Judge stored vectors by N-way K-shot episodes; the same arguments give the same episodes and figures.

    `groups` numbers each statement's entity pair: queries and examples share none then. `texts` gives each relation,
    in the sorted order of their names, a vector of its description; `shot` may be 0 then.
    """
    described = texts is not None
    settings = EpisodeSettings(way, shot, episodes, seed, find_method(method), similarity, described, text_weight)
    exam = draw_exam(relations, settings, groups=groups)
    if texts is not None and len(texts) != len(exam.names):
        raise BadInput(f"{len(texts)} texts were given for {len(exam.names)} relations, one for each is wanted")
    return few_shot_result(episode_scores(vectors, exam.episodes, settings, texts=texts), exam, settings)


def few_shot_result(
    scores: Float[Tensor, "episodes query way"], exam: Exam, settings: EpisodeSettings
) -> FewShotResult:
    """Count the right answers, over episodes and for each relation."""
    right = answered_right(scores)
    relations = exam.episodes.relations.ravel()
    asked = np.bincount(relations, minlength=len(exam.names))
    answered = np.bincount(relations, weights=right.ravel(), minlength=len(exam.names))
    per_relation = {name: answered[i] / asked[i] for i, name in enumerate(exam.names) if asked[i]}
    return FewShotResult(
        way=settings.way,
        shot=settings.shot,
        episodes=settings.episodes,
        seed=settings.seed,
        method=settings.method.name,
        accuracy=measure(right.mean(axis=1)),
        over_relations=measure(list(per_relation.values())),
        per_relation=per_relation,
        similarity=settings.similarity,
        apart_pairs=exam.groups is not None,
    )


def labelled(statements: Sequence[Statement]) -> tuple[list[Statement], list[str]]:
    """Return the statements that carry a label, and their labels."""
    kept = [statement for statement in statements if statement.relation is not None]
    if not kept:
        raise BadInput("the data holds no labelled statement to judge by")
    return kept, [statement.relation for statement in kept if statement.relation is not None]
