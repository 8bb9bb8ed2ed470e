"""Micro- and macro-averaged precision, recall and F1 of answered labels, each with a 95 % interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.measurement import Measurement, as_numbers, bootstrap_counts, bootstrap_measurement
from protorel.statements import BadInput


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and F1 of one relation, or arrays of them for several; 0 where a denominator is 0."""

    precision: Any
    recall: Any
    f1: Any


def precision_recall_f1(right: Any, answered: Any, gold: Any) -> PrecisionRecallF1:
    """Return precision, recall and F1 from counts, which are numbers or arrays of one shape."""
    precision, recall = _ratio(right, answered), _ratio(right, gold)
    return PrecisionRecallF1(precision, recall, _ratio(2 * precision * recall, precision + recall))


def macro_average(each: PrecisionRecallF1, counted: NDArray[np.bool_]) -> PrecisionRecallF1:
    """Average over the counted relations (the last axis); NaN where none is counted."""
    number = counted.sum(-1)
    sums = (np.where(counted, values, 0.0).sum(-1) for values in each)
    return PrecisionRecallF1(
        *(np.divide(total, number, out=np.full(np.shape(total), np.nan), where=number > 0) for total in sums)
    )


def _ratio(above: Any, below: Any) -> NDArray[np.float64]:
    top, bottom = np.broadcast_arrays(np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64))
    ratio: NDArray[np.float64] = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
    return ratio


@dataclass(frozen=True, slots=True)
class RelationScore:
    """The scores of one relation, and how often it is the gold label and the answer."""

    precision: float
    recall: float
    f1: float
    gold: int
    answered: int


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Scores over all statements (micro) and over relations (macro); neither counts the `no_relation` label."""

    accuracy: Measurement
    """The share of correct answers among all statements, `no_relation` included."""
    micro_precision: Measurement
    micro_recall: Measurement
    micro_f1: Measurement
    macro_precision: Measurement
    macro_recall: Measurement
    macro_f1: Measurement
    per_relation: dict[str, RelationScore]
    confusion: dict[str, dict[str, int]]
    """Counts by gold label, then by answer."""
    no_relation: str | None
    seed: int

    def as_json(self) -> dict[str, Any]:
        """Return all scores as plain numbers."""
        return {
            **{name: as_numbers(getattr(self, name)) for name in _FIGURES},
            "per_relation": {
                name: {field: getattr(score, field) for field in RelationScore.__slots__}
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
    """Score answers against gold labels.

    Args:
        gold: The correct label of each statement.
        answers: The answer to each statement.
        no_relation: The label for "no relation". As in TACRED it is not scored itself: a correct "none" earns
            nothing, a wrong one misses a relation.
        seed: Random seed for the intervals, which are bootstrapped over statements.

    Returns:
        Accuracy, micro and macro scores with intervals, scores per relation and the confusion counts. Macro averages
        are over the relations that occur in gold labels or answers.

    Raises:
        BadInput: The two differ in length, are empty, or contain no relation.

    Example:
        >>> found = class_scores(["born_in", "none", "spouse"], ["born_in", "spouse", "none"], no_relation="none")
        >>> found.micro_f1.value, found.confusion["none"]
        (0.5, {'spouse': 1})
    """
    if len(gold) != len(answers) or not gold:
        raise BadInput(f"expected one answer per gold label, got {len(gold)} gold labels and {len(answers)} answers")
    table = Counter(zip(gold, answers, strict=True))
    names = sorted({*gold, *answers})
    relations = [name for name in names if name != no_relation]
    if not relations:
        raise BadInput(f"expected at least one relation to score, got only {no_relation!r}")
    # The label for "no relation" comes last, where it is cut off.
    column = {name: place for place, name in enumerate((*relations, *({*names} - {*relations})))}
    counts = np.array(list(table.values()), dtype=np.int64)
    confusions = _Confusions(
        gold=np.array([column[label] for label, _ in table]),
        answer=np.array([column[label] for _, label in table]),
        labels=len(column),
        relations=len(relations),
    )
    found = confusions.figures(counts)
    resampled = np.array([confusions.figures(drawn) for drawn in bootstrap_counts(counts, seed=seed)])
    each = [bootstrap_measurement(value, resampled[:, place], count=len(gold)) for place, value in enumerate(found)]
    right, answered, of_gold = confusions.sums(counts)
    scores = zip(relations, *precision_recall_f1(right, answered, of_gold), of_gold, answered, strict=True)
    confusion: dict[str, dict[str, int]] = {}
    for (label, answer), count in sorted(table.items()):
        confusion.setdefault(label, {})[answer] = count
    return ClassScores(
        **dict(zip(_FIGURES, each, strict=True)),
        per_relation={
            name: RelationScore(float(precision), float(recall), float(f1), int(in_gold), int(in_answers))
            for name, precision, recall, f1, in_gold, in_answers in scores
        },
        confusion=confusion,
        no_relation=no_relation,
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class _Confusions:
    """The (gold, answer) pairs that occur; each bootstrap sample brings its own counts of them."""

    gold: NDArray[np.int64]
    answer: NDArray[np.int64]
    labels: int
    relations: int

    def sums(self, counts: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Return, per relation, the number of correct answers, of answers and of gold labels."""
        hits = counts * (self.gold == self.answer)
        return tuple(
            np.bincount(of, weights=weights, minlength=self.labels)[: self.relations].astype(np.float64)
            for of, weights in ((self.gold, hits), (self.answer, counts), (self.gold, counts))
        )

    def figures(self, counts: NDArray[np.int64]) -> tuple[float, ...]:
        """Return the figures in the order of `_FIGURES`."""
        right, answered, of_gold = self.sums(counts)
        accuracy = counts[self.gold == self.answer].sum() / counts.sum()
        micro = precision_recall_f1(right.sum(), answered.sum(), of_gold.sum())
        macro = macro_average(precision_recall_f1(right, answered, of_gold), (answered > 0) | (of_gold > 0))
        return tuple(float(value) for value in (accuracy, *micro, *macro))
