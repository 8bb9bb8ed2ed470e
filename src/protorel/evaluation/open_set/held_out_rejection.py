"""A rejection rule learned from held-out relations: episodes drawn as those under test, from other relations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.batches import OpenEpisodes, pair_groups
from protorel.evaluation.embedding_space import EmbeddingSpace
from protorel.evaluation.few_shot.episodes import Exam, draw_exam
from protorel.evaluation.few_shot.settings import EpisodeSettings, NoneSettings
from protorel.evaluation.labelled_data import hold_out
from protorel.evaluation.open_set.rejection import Rejection, draw_open, learn_rejection, open_answers
from protorel.statements import BadInput, DataSet, Descriptions, Equivalents, Statement, fingerprint

EPISODES = 2000
"""The most episodes that a threshold is learned from."""


@dataclass(frozen=True, slots=True)
class HeldOutRejection:
    """A rejection rule, and what it was learned from."""

    rejection: Rejection
    name: str
    fingerprint: str
    statements: int
    relations: int
    left_out: int
    """The number of relations under test, by meaning; they are not used."""
    unusable: int
    """The number of relations with too few statements or entity pairs, without a text, or that mean "no relation"."""
    trained_on: int
    """The number of relations that the run was trained on; it is more confident of those than of new ones."""

    def as_json(self) -> dict[str, Any]:
        """Return the rule, and the name and fingerprint of what it was learned from."""
        fields = asdict(self)
        rule = fields.pop("rejection")
        # JSON has no infinity: null where every query is answered.
        return {"rule": rule | {"threshold": rule["threshold"] if math.isfinite(rule["threshold"]) else None}, **fields}

    def notes(self) -> list[str]:
        """Return notes on how to read the figures."""
        if not self.trained_on:
            return []
        return [
            f"the run was trained on {self.trained_on} of the {self.relations} relations that the threshold "
            "was learned on; it is less confident of new ones, so it may reject too many"
        ]


@dataclass(frozen=True, slots=True)
class HeldOutExam:
    """Statements and episodes to learn a rejection rule from."""

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
    """Draw episodes of held-out relations, as those under test are drawn.

    Relations that the run was trained on (`seen`) are skipped where the others are enough, since it is more confident
    of them.

    Raises:
        BadInput: there are too few other relations.
    """
    others = hold_out(list(data.source()), tested.names, equivalents=equivalents)
    groups = pair_groups(others.statements) if tested.groups is not None else None
    usable = _usable(others.relations, groups, settings.shot)
    usable = {r for r in usable if equivalents.meaning(r) and (descriptions is None or r in descriptions)}
    unusable = len(others.names) - len(usable)
    needed = settings.way + (share > 0)
    if len(usable) < needed:
        raise BadInput(
            f"expected at least {needed} relations that are not under test, to learn a threshold from "
            f"{settings.way}-way episodes{' with queries from outside' if share else ''}, got {len(usable)}"
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
    space: EmbeddingSpace,
    drawn: HeldOutExam,
    none: NoneSettings,
    *,
    equivalents: Equivalents,
    descriptions: Descriptions | None = None,
) -> HeldOutRejection:
    """Return the rule and threshold learned from episodes of held-out relations with the same share of outsiders."""
    vectors = space.statements(drawn.statements)
    texts = space.texts(descriptions, drawn.exam.names)
    answers = open_answers(vectors, drawn.mixed, drawn.settings, texts=texts)
    return HeldOutRejection(
        rejection=learn_rejection(answers, max_error=none.max_error),
        name=drawn.name,
        fingerprint=fingerprint(drawn.statements),
        statements=len(drawn.statements),
        relations=len(drawn.exam.names),
        left_out=drawn.left_out,
        unusable=drawn.unusable,
        trained_on=len(equivalents.among(drawn.exam.names, drawn.seen)),
    )


def _usable(relations: Sequence[str], groups: NDArray[np.int64] | None, shot: int) -> set[str]:
    """Return the relations that have enough statements for an episode."""
    sizes = Counter(relations)
    if groups is None:
        return {relation for relation, size in sizes.items() if size > shot}
    pairs = Counter(zip(relations, groups.tolist(), strict=True))
    return {relation for (relation, _), size in pairs.items() if sizes[relation] - size >= shot}
