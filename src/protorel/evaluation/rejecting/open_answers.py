"""What a model answers in episodes where some queries belong to none of the ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import OpenEpisodes, mix_outsiders
from protorel.evaluation.episode_exam import Exam, answered_right, episode_scores
from protorel.evaluation.settings import EpisodeSettings

Scores = NDArray[np.floating]
"""A score for each way, along the last axis."""


@dataclass(frozen=True, slots=True)
class OpenAnswers:
    """Scores of episodes × queries × ways, and what is true of each query."""

    scores: Scores
    right: NDArray[np.bool_]
    """Whether the best way is the query's relation; never for an outsider."""
    known: NDArray[np.bool_]
    """Whether the query's relation is one of the ways."""


def draw_open(exam: Exam, settings: EpisodeSettings, *, share: float) -> OpenEpisodes:
    """Replace a share of an exam's queries by outsiders."""
    return mix_outsiders(exam.episodes, exam.rows, share=share, seed=settings.seed, groups=exam.groups)


def open_answers(
    vectors: Float[Tensor, "statements width"],
    drawn: OpenEpisodes,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
) -> OpenAnswers:
    """Answer episodes with outsiders."""
    scores = episode_scores(vectors, drawn.episodes, settings, texts=texts)
    return OpenAnswers(scores.numpy(), answered_right(scores) & drawn.known, drawn.known)
