"""Micro- and macro-averaged precision, recall and F1 of answered labels, each with a 95 % interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.answers.relation_scores import macro, shares
from protorel.evaluation.redrawing import as_numbers, measured, redrawn_counts
from protorel.evaluation.result import Measurement
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class RelationScore:
    """How well one relation was told from the others."""

    precision: float
    recall: float
    f1: float
    gold: int
    answered: int


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Figures over all statements (micro) and over relations (macro); the `no_relation` label is in neither."""

    accuracy: Measurement
    """The share of right answers among all statements, `no_relation` included."""
    micro_precision: Measurement
    micro_recall: Measurement
    micro_f1: Measurement
    macro_precision: Measurement
    macro_recall: Measurement
    macro_f1: Measurement
    per_relation: dict[str, RelationScore]
    confusion: dict[str, dict[str, int]]
    """For each label, how often its statements were answered with each."""
    no_relation: str | None
    seed: int

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            **{name: as_numbers(getattr(self, name)) for name in _FIGURES},
            "per_relation": {
                name: {place: getattr(score, place) for place in RelationScore.__slots__}
                for name, score in self.per_relation.items()
            },
            "confusion": self.confusion,
            "no_relation": self.no_relation,
            "seed": self.seed,
        }


_FIGURES = (
    "accuracy",
    *(f"{average}_{figure}" for average in ("micro", "macro") for figure in ("precision", "recall", "f1")),
)


def class_scores(
    gold: Sequence[str], answers: Sequence[str], *, no_relation: str | None = None, seed: int = 0
) -> ClassScores:
    """Score answered labels against gold ones, one of each for a statement.

    `no_relation` names the label that says that there is none: as in TACRED it is no relation to be found, so a right
    "none" earns nothing and a wrong one loses a relation. Macro averages are over the relations that stand in gold or
    answers. Intervals are by redrawing statements.
    """
    if len(gold) != len(answers) or not gold:
        raise BadInput(f"{len(gold)} gold labels and {len(answers)} answers were given, one of each a statement")
    table = Counter(zip(gold, answers, strict=True))
    names = sorted({*gold, *answers})
    relations = [name for name in names if name != no_relation]
    if not relations:
        raise BadInput(f"all labels and answers are {no_relation!r}: there is no relation to score")
    # The label that is none comes last, where it is cut off.
    column = {name: place for place, name in enumerate((*relations, *({*names} - {*relations})))}
    counts = np.array(list(table.values()), dtype=np.int64)
    counted = _Counted(
        gold=np.array([column[label] for label, _ in table]),
        answer=np.array([column[label] for _, label in table]),
        labels=len(column),
        relations=len(relations),
    )
    found = counted.figures(counts)
    redrawn = np.array([counted.figures(drawn) for drawn in redrawn_counts(counts, seed=seed)])
    each = [measured(value, redrawn[:, place], count=len(gold)) for place, value in enumerate(found)]
    right, answered, wanted = counted.sums(counts)
    scores = zip(relations, *shares(right, answered, wanted), wanted, answered, strict=True)
    confusion: dict[str, dict[str, int]] = {}
    for (label, answer), count in sorted(table.items()):
        confusion.setdefault(label, {})[answer] = count
    return ClassScores(
        **dict(zip(_FIGURES, each, strict=True)),
        per_relation={
            name: RelationScore(float(precision), float(recall), float(f1), int(of), int(said))
            for name, precision, recall, f1, of, said in scores
        },
        confusion=confusion,
        no_relation=no_relation,
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """The kinds of (gold, answer) that occur; how often each does is given anew with each draw."""

    gold: NDArray[np.int64]
    answer: NDArray[np.int64]
    labels: int
    relations: int

    def sums(self, counts: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Return, for each relation, how many answers were right, given and wanted."""
        hits = counts * (self.gold == self.answer)
        return tuple(
            np.bincount(of, weights=weights, minlength=self.labels)[: self.relations].astype(np.float64)
            for of, weights in ((self.gold, hits), (self.answer, counts), (self.gold, counts))
        )

    def figures(self, counts: NDArray[np.int64]) -> tuple[float, ...]:
        """Return the figures in the order of `_FIGURES`."""
        right, answered, wanted = self.sums(counts)
        accuracy = counts[self.gold == self.answer].sum() / counts.sum()
        micro = shares(right.sum(), answered.sum(), wanted.sum())
        average = macro(shares(right, answered, wanted), (answered > 0) | (wanted > 0))
        return tuple(float(value) for value in (accuracy, *micro, *average))
