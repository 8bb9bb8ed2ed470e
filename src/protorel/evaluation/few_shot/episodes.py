"""Episodes of an evaluation: which statements are examples and queries, and the scores that a method gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import Episodes, draw_episodes, rows_by_relation
from protorel.encoders import best_of
from protorel.evaluation.embedding_space import EmbeddingSpace
from protorel.evaluation.few_shot.encoder_scores import EpisodeWatcher, learned_scores, tuned_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import HubnessCorrection, described_ways, vector_method
from protorel.statements import BadInput, Statement

_AT_A_TIME = 250
"""Episodes scored at a time, to bound the memory."""


@dataclass(frozen=True, slots=True)
class Exam:
    """Relations, their rows in a data set, and the episodes drawn from them."""

    names: tuple[str, ...]
    rows: Sequence[NDArray[np.int64]]
    episodes: Episodes
    groups: NDArray[np.int64] | None


def draw_exam(relations: Sequence[str], settings: EpisodeSettings, *, groups: NDArray[np.int64] | None = None) -> Exam:
    """Draw episodes from the labels of a data set; with `groups`, queries and examples share no entity pair."""
    names = tuple(sorted(set(relations)))
    codes = {name: index for index, name in enumerate(names)}
    rows = rows_by_relation(np.asarray([codes[name] for name in relations], dtype=np.int32), len(names))
    way, shot, count, seed = settings.way, settings.shot, settings.episodes, settings.seed
    drawn = draw_episodes(rows, way=way, shot=shot, count=count, seed=seed, groups=groups, names=names)
    return Exam(names, rows, drawn, groups)


def exam_scores(
    space: EmbeddingSpace,
    statements: Sequence[Statement],
    exam: Exam,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
    hubness: HubnessCorrection | None = None,
    watch: EpisodeWatcher | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Return the score of every candidate for every query, by the method of the settings.

    Args:
        space: The model, and how its vectors are compared.
        statements: The statements that the episodes were drawn from.
        exam: The episodes.
        settings: Their method and its settings.
        texts: One vector per relation, in the order of `exam.names`.
        hubness: The penalty of candidates that are close to many unrelated statements.
        watch: Called with the number of finished episodes by methods that cannot use stored vectors, which are slow.

    Raises:
        BadInput: the method has weights, and the model was not tuned with it.
    """
    model, drawn = space.model, exam.episodes
    if settings.method.needs == "encoder":
        return tuned_scores(model, settings.method, statements, drawn, seed=settings.seed, watch=watch)
    if settings.method.reads_stored_vectors:
        return episode_scores(space.statements(statements), drawn, settings, texts=texts, hubness=hubness)
    if model.method is None:
        raise BadInput(f"{model.name}: expected a run that was tuned with {settings.method.name}, got one without")
    model.method.check(settings.way, settings.shot)
    return learned_scores(model, model.method, statements, drawn, watch=watch)


def episode_scores(
    vectors: Float[Tensor, "statements width"],
    drawn: Episodes,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
    hubness: HubnessCorrection | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Return the score of every candidate for every query, by a method on stored vectors; arguments as above."""
    if settings.described != (texts is not None):
        raise ValueError(f"texts: expected {'some' if settings.described else 'none'} by the settings")
    if hubness is not None:
        settings.check_takes_hubness()
    method = vector_method(settings.method, settings.similarity)
    scores = []
    for start in range(0, len(drawn), _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        support = vectors[torch.from_numpy(drawn.support[part])]
        query = vectors[torch.from_numpy(drawn.query[part])]
        if texts is None:
            found = method(support, query)
        else:
            own = texts[torch.from_numpy(drawn.relations[part])]
            found = method(support, query, texts=own, text_weight=settings.text_weight)
            support = described_ways(support, own, text_weight=settings.text_weight)
        scores.append(found if hubness is None else found - hubness.penalty(support))
    return torch.cat(scores)


def answered_right(scores: Float[Tensor, "episodes query way"]) -> NDArray[np.bool_]:
    """Return for each query whether its own relation scored highest: query i belongs to candidate i."""
    right: NDArray[np.bool_] = (best_of(scores, "queries") == torch.arange(scores.shape[-1])).numpy()
    return right
