"""A rejecting rule from held-out relations: the same episodes, of relations that nobody is judged by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.batches import OpenEpisodes, pair_groups
from protorel.evaluation.episode_exam import Exam, draw_exam
from protorel.evaluation.held_out import hold_out
from protorel.evaluation.judged_space import JudgedSpace
from protorel.evaluation.rejecting.open_answers import draw_open, open_answers
from protorel.evaluation.rejecting.rejection import Rejection, learn_rejection
from protorel.evaluation.settings import EpisodeSettings, NoneSettings
from protorel.statements import BadInput, DataSet, Descriptions, Equivalents, Statement, fingerprint

EPISODES = 2000
"""Episodes that a threshold is learned from, at most."""


@dataclass(frozen=True, slots=True)
class HeldOutRejection:
    """A rejecting rule, and what it was learned from."""

    rejection: Rejection
    name: str
    fingerprint: str
    statements: int
    relations: int
    left_out: int
    """Relations under test, by meaning: strictly not used."""
    unusable: int
    """Relations with too few statements or entity pairs, without a text, or with a label that says there is none."""
    trained_on: int
    """Relations that the run was trained on: it is surer of those than of new ones."""

    def as_json(self) -> dict[str, Any]:
        """Return the rule, and by name and fingerprint what it was learned from."""
        said = asdict(self)
        rule = said.pop("rejection")
        # JSON knows no infinity: no threshold where everything is answered.
        return {"rule": rule | {"threshold": rule["threshold"] if math.isfinite(rule["threshold"]) else None}, **said}

    def notes(self) -> list[str]:
        """Return what somebody who reads the figure must know."""
        if not self.trained_on:
            return []
        return [
            f"the run was trained on {self.trained_on} of the {self.relations} relations that the threshold comes "
            "from: on new ones it is less sure, so that more may be rejected than is best"
        ]


@dataclass(frozen=True, slots=True)
class HeldOutExam:
    """Statements and episodes by which a rejecting rule will be learned."""

    name: str
    statements: tuple[Statement, ...]
    exam: Exam
    mixed: OpenEpisodes
    settings: EpisodeSettings
    left_out: int
    unusable: int
    seen: frozenset[str]


def draw_held_out(
    data: DataSet,
    tested: Exam,
    settings: EpisodeSettings,
    *,
    share: float,
    seen: Collection[str],
    equivalents: Equivalents,
    descriptions: Descriptions | None = None,
) -> HeldOutExam:
    """Draw episodes of held-out relations as those under test are drawn; what cannot be drawn is refused at once.

    Relations that the run was trained on (`seen`) are passed over where the others are enough: it is surer of them.
    """
    others = hold_out(list(data.source()), tested.names, equivalents=equivalents)
    groups = pair_groups(others.statements) if tested.groups is not None else None
    usable = _usable(others.relations, groups, settings.shot)
    usable = {r for r in usable if equivalents.meaning(r) and (descriptions is None or r in descriptions)}
    unusable = len(others.names) - len(usable)
    needed = settings.way + (share > 0)
    if len(usable) < needed:
        raise BadInput(
            f"{len(usable)} relations besides those under test can be used for a threshold, "
            f"{settings.way} ways{' and a query from outside' if share else ''} need {needed}"
        )
    if len(new := usable - frozenset(equivalents.among(usable, seen))) >= needed:
        usable = new
    places = [place for place, relation in enumerate(others.relations) if relation in usable]
    fewer = replace(settings, episodes=min(settings.episodes, EPISODES))
    exam = draw_exam(
        [others.relations[place] for place in places], fewer, groups=None if groups is None else groups[places]
    )
    statements = tuple(others.statements[place] for place in places)
    mixed = draw_open(exam, fewer, share=share)
    return HeldOutExam(data.name, statements, exam, mixed, fewer, others.left_out, unusable, frozenset(seen))


def learn_held_out_rejection(
    space: JudgedSpace,
    drawn: HeldOutExam,
    none: NoneSettings,
    *,
    equivalents: Equivalents,
    descriptions: Descriptions | None = None,
) -> HeldOutRejection:
    """Learn the rule and its threshold from episodes of held-out relations with the same share of outsiders."""
    vectors = space.statements(drawn.statements)
    texts = space.wordings(descriptions.wordings(drawn.exam.names)) if descriptions is not None else None
    answers = open_answers(vectors, drawn.mixed, drawn.settings, texts=texts)
    return HeldOutRejection(
        rejection=learn_rejection(answers, wanted_error=none.wanted_error),
        name=drawn.name,
        fingerprint=fingerprint(drawn.statements),
        statements=len(drawn.statements),
        relations=len(drawn.exam.names),
        left_out=drawn.left_out,
        unusable=drawn.unusable,
        trained_on=len(equivalents.among(drawn.exam.names, drawn.seen)),
    )


def _usable(relations: Sequence[str], groups: NDArray[np.int64] | None, shot: int) -> set[str]:
    """Return the relations of which an episode can be drawn."""
    sizes = Counter(relations)
    if groups is None:
        return {relation for relation, size in sizes.items() if size > shot}
    pairs = Counter(zip(relations, groups.tolist(), strict=True))
    return {relation for (relation, _), size in pairs.items() if sizes[relation] - size >= shot}
