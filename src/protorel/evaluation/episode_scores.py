"""The answers of an exam, by whatever kind of method its settings name."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.episode_exam import Exam, episode_scores
from protorel.evaluation.judged_space import JudgedSpace
from protorel.evaluation.learned_scores import EpisodeWatcher, learned_scores
from protorel.evaluation.settings import EpisodeSettings
from protorel.evaluation.tuned_scores import tuned_scores
from protorel.fewshot import HubnessCorrection
from protorel.statements import BadInput, Statement


def exam_scores(
    space: JudgedSpace,
    statements: Sequence[Statement],
    exam: Exam,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
    crowd: HubnessCorrection | None = None,
    watch: EpisodeWatcher | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Score by a rule on stored vectors, by the method that the run has learned, or by an encoder tuned each time.

    Those that cannot read stored vectors are slow, and tell `watch` of their episodes.
    """
    model, drawn = space.model, exam.episodes
    if settings.method.needs == "encoder":
        return tuned_scores(model, settings.method, statements, drawn, seed=settings.seed, watch=watch)
    if settings.method.reads_stored_vectors:
        return episode_scores(space.statements(statements), drawn, settings, texts=texts, crowd=crowd)
    if model.method is None:
        raise BadInput(f"{model.name}: was tuned with no method of its own, {settings.method.name} is wanted")
    model.method.check(settings.way, settings.shot)
    return learned_scores(model, model.method, statements, drawn, watch=watch)
