"""The plan of a few-shot evaluation: data and episodes, read and checked before the model is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from protorel.batches import pair_groups
from protorel.evaluation.embedding_space import EmbeddingSpace, whiten_by
from protorel.evaluation.few_shot.episodes import Exam, draw_exam
from protorel.evaluation.few_shot.method_choice import episode_settings
from protorel.evaluation.few_shot.settings import EpisodeSettings, FewShotSettings, NoneSettings
from protorel.evaluation.labelled_data import HeldOut, hold_out_of, under_test
from protorel.evaluation.leakage_report import relations_seen
from protorel.evaluation.open_set.held_out_rejection import HeldOutExam, draw_held_out
from protorel.evaluation.open_set.none_of_these import OpenSetPlan
from protorel.evaluation.open_set.rejection import draw_open
from protorel.fewshot import HubnessCorrection
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, Equivalents, Statement, load_equivalents


@dataclass(frozen=True, slots=True)
class FewShotPlan:
    """All that an evaluation needs, except for the model."""

    settings: FewShotSettings
    episodes: EpisodeSettings
    equivalents: Equivalents
    statements: list[Statement]
    """The statements under test."""
    relations: list[str]
    """The label of each statement under test."""
    exam: Exam
    unrelated: HeldOut | None
    """Statements of other relations for the hubness correction."""
    to_whiten_by: list[Statement] | None
    open_set: OpenSetPlan | None
    """Episodes with queries that belong to no candidate relation."""

    def space(self, model: RelationModel) -> EmbeddingSpace:
        """Return the space of the model's vectors, whitened if the settings say so."""
        if self.to_whiten_by is None:
            return EmbeddingSpace(model)
        return EmbeddingSpace(model, whiten_by(model, self.to_whiten_by, self.relations, equivalents=self.equivalents))

    def descriptions(self, model: RelationModel) -> Descriptions | None:
        """Return the descriptions of relations as the model reads them."""
        return self.settings.texts.read_by(model) if self.settings.texts else None

    def hubness(self, space: EmbeddingSpace) -> HubnessCorrection | None:
        """Return the hubness correction in the space in which candidates are compared."""
        return HubnessCorrection(space.statements(self.unrelated.statements)) if self.unrelated else None

    def hubness_json(self, correction: HubnessCorrection | None) -> dict[str, Any] | None:
        """Return which statements the correction uses, and its settings."""
        if correction is None or self.unrelated is None:
            return None
        return self.unrelated.as_json() | {"weight": correction.weight, "share": correction.share}

    def notes(self) -> tuple[str, ...]:
        """Return a note if the default number of episodes is small."""
        slow = self.episodes.method.why_slow
        if slow is None or self.settings.episodes is not None:
            return ()
        return (f"evaluated on {self.episodes.episodes} episodes, not 10,000: {slow}; --episodes N changes it",)


def plan_few_shot(model: RelationModel | ModelSource, data: DataSet, settings: FewShotSettings) -> FewShotPlan:
    """Read the data and draw the episodes of an evaluation.

    Raises:
        BadInput: settings do not fit each other, the model or the data.
    """
    meanings, texts, none = settings.equivalents or load_equivalents(), settings.texts, settings.none
    episodes = episode_settings(model, settings)
    statements, relations = under_test(data, only=settings.only)
    unrelated = hold_out_of(settings.hubness, relations, equivalents=meanings) if settings.hubness else None
    with _named(data):
        exam = draw_exam(relations, episodes, groups=pair_groups(statements) if settings.apart_pairs else None)
        mixed = draw_open(exam, episodes, share=none.share) if none else None
    if texts is not None:
        texts.descriptions.wordings(exam.names)
    open_set = None
    if none is not None and mixed is not None:
        open_set = OpenSetPlan(none, episodes, meanings, mixed, _held_out(model, settings, none, exam, episodes))
    to_whiten_by = list(settings.whiten.source()) if settings.whiten else None
    return FewShotPlan(settings, episodes, meanings, statements, relations, exam, unrelated, to_whiten_by, open_set)


def _held_out(
    model: RelationModel | ModelSource,
    settings: FewShotSettings,
    none: NoneSettings,
    exam: Exam,
    episodes: EpisodeSettings,
) -> HeldOutExam:
    source = none.held_out or settings.whiten
    assert source is not None  # episode_settings checks it
    with _named(source):
        return draw_held_out(
            source,
            exam,
            episodes,
            share=none.share,
            seen=relations_seen(model),
            equivalents=settings.equivalents or load_equivalents(),
            descriptions=settings.texts.descriptions if settings.texts else None,
        )


@contextmanager
def _named(data: DataSet) -> Iterator[None]:
    """Put the name of the file before an error."""
    try:
        yield
    except BadInput as problem:
        raise BadInput(f"{data.path or data.name}: {problem}") from problem
