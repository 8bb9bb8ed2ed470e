"""Few-shot accuracy, over episodes and over relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.evaluation.few_shot.episodes import Exam, answered_right, draw_exam, episode_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.evaluation.measurement import Measurement, measure
from protorel.fewshot import FewShotMethod, find_method
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class FewShotResult:
    """Accuracy over episodes and over relations; the interval over relations is the one for new relations."""

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
    """Whether queries and examples of an episode never shared an entity pair."""

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
    """Evaluate stored vectors by N-way K-shot episodes; the same arguments give the same episodes and figures.

    Args:
        vectors: One vector per statement.
        relations: The label of each statement.
        way: Candidate relations per episode.
        shot: Examples per relation; 0 with `texts`.
        episodes: Number of episodes.
        seed: Random seed for the episodes.
        method: A few-shot method on stored vectors, or its name.
        similarity: How vectors are compared.
        groups: The number of each statement's entity pair; queries and examples then share no pair.
        texts: One vector of a description per relation, in the sorted order of their names.
        text_weight: Weight of a text, where the examples have weight 1; by default it falls with the shots.

    Returns:
        Accuracy over episodes and over relations, with intervals.

    Raises:
        BadInput: a number is out of range, there are too few statements or relations, or texts do not fit.

    Example:
        >>> import torch
        >>> vectors = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
        >>> relations = ["born_in", "born_in", "lives_in", "lives_in"]
        >>> print(few_shot_accuracy(vectors, relations, way=2, shot=1, episodes=100))
        2-way 1-shot: 100.00% ± 0.00% (n=100)
    """
    described = texts is not None
    settings = EpisodeSettings(way, shot, episodes, seed, find_method(method), similarity, described, text_weight)
    exam = draw_exam(relations, settings, groups=groups)
    if texts is not None and len(texts) != len(exam.names):
        raise BadInput(f"texts: expected one per relation, {len(exam.names)} in all, got {len(texts)}")
    return few_shot_result(episode_scores(vectors, exam.episodes, settings, texts=texts), exam, settings)


def few_shot_result(
    scores: Float[Tensor, "episodes query way"], exam: Exam, settings: EpisodeSettings
) -> FewShotResult:
    """Return the share of correct answers, over episodes and per relation."""
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
