"""Which episodes a judging draws, and how an answer is found in them."""

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
from protorel.evaluation.settings import EpisodeSettings
from protorel.fewshot import HubnessCorrection, described_ways, vector_method

_AT_A_TIME = 250
"""Episodes judged in one go: it bounds the memory."""


@dataclass(frozen=True, slots=True)
class Exam:
    """Relations, their rows in a data set, and the episodes drawn of them."""

    names: tuple[str, ...]
    rows: Sequence[NDArray[np.int64]]
    episodes: Episodes
    groups: NDArray[np.int64] | None


def draw_exam(relations: Sequence[str], settings: EpisodeSettings, *, groups: NDArray[np.int64] | None = None) -> Exam:
    """Draw the episodes of a data set by its labels; with `groups`, no query's entity pair is that of an example."""
    names = tuple(sorted(set(relations)))
    codes = {name: index for index, name in enumerate(names)}
    rows = rows_by_relation(np.asarray([codes[name] for name in relations], dtype=np.int32), len(names))
    way, shot, count, seed = settings.way, settings.shot, settings.episodes, settings.seed
    drawn = draw_episodes(rows, way=way, shot=shot, count=count, seed=seed, groups=groups, names=names)
    return Exam(names, rows, drawn, groups)


def episode_scores(
    vectors: Float[Tensor, "statements width"],
    drawn: Episodes,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
    crowd: HubnessCorrection | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Score every way for every query; `texts` holds a vector for each relation, in the order of their names.

    A way that is near to a `crowd` has a handicap.
    """
    if settings.described != (texts is not None):
        raise ValueError("texts are wanted where the settings say that ways are described, and only there")
    if crowd is not None:
        settings.check_takes_hubness()
    judge = vector_method(settings.method, settings.similarity)
    scores = []
    for start in range(0, len(drawn), _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        support = vectors[torch.from_numpy(drawn.support[part])]
        query = vectors[torch.from_numpy(drawn.query[part])]
        if texts is None:
            found = judge(support, query)
        else:
            own = texts[torch.from_numpy(drawn.relations[part])]
            found = judge(support, query, texts=own, text_weight=settings.text_weight)
            support = described_ways(support, own, text_weight=settings.text_weight)
        scores.append(found if crowd is None else found - crowd.penalty(support))
    return torch.cat(scores)


def answered_right(scores: Float[Tensor, "episodes query way"]) -> NDArray[np.bool_]:
    """Tell for each query whether the way at its own place scored highest."""
    right: NDArray[np.bool_] = (best_of(scores, "queries") == torch.arange(scores.shape[-1])).numpy()
    return right
