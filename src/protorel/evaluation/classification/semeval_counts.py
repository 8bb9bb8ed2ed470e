"""The labels of SemEval 2010 task 8, and the three confusion matrices that its official scorer counts.

The statements of `convert --format semeval` carry the task's own labels, direction included, so that a model's answers
can be written to an answer file as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

from protorel.io import shown
from protorel.statements import BadInput

OTHER = "Other"
"""None of the nine relations: it has no direction, and no average counts it."""
SEMEVAL_RELATIONS = (
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
)
SEMEVAL_LABELS = (*(f"{name}({order})" for name in SEMEVAL_RELATIONS for order in ("e1,e2", "e2,e1")), OTHER)
"""The nineteen labels of an answer file."""

_DIRECTION = re.compile(r"\(e[12],e[12]\)$")


def without_direction(label: str) -> str:
    """Return the relation of a label.

    >>> without_direction("Cause-Effect(e2,e1)")
    'Cause-Effect'
    """
    return _DIRECTION.sub("", label)


def check_label(label: str, *, where: str = "") -> None:
    """Raise `BadInput` for a label that is not one of the nineteen, as the official scorer does.

    `where` begins the message.
    """
    if label in SEMEVAL_LABELS:
        return
    if label in SEMEVAL_RELATIONS:
        raise BadInput(f"{where}expected {label}(e1,e2) or {label}(e2,e1), got {label!r} without a direction")
    near = get_close_matches(label, SEMEVAL_LABELS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"{where}expected one of the task's {len(SEMEVAL_LABELS)} labels, got {shown(label)}{hint}")


class Percentages(NamedTuple):
    """Precision, recall and F1 between 0 and 100, as the official scorer computes them, to the last bit."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, right: int, answered: int, actual: int) -> Percentages:
        """Divide; a share of nothing is 0."""
        precision = 100.0 * right / answered if answered else 0.0
        recall = 100.0 * right / actual if actual else 0.0
        return cls(precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0)


@dataclass(frozen=True, slots=True)
class SemEvalCounts:
    """A confusion matrix, and all that the official scorer derives from it."""

    actual: Mapping[str, int]
    """The number of statements of the key with each label."""
    confused: Mapping[tuple[str, str], int]
    """Counts by (label, answer)."""
    wrong_direction: Mapping[str, int] | None = None
    """Answers with the correct relation and the wrong direction, where they are counted outside the matrix."""

    @property
    def labels(self) -> list[str]:
        """The labels of the key in the scorer's order, Other last: no other label is scored."""
        return _in_order(self.actual)

    @property
    def unknown(self) -> list[str]:
        """Labels of answers that the key does not contain."""
        return _in_order({answer for _, answer in self.confused} - self.actual.keys())

    @property
    def total(self) -> int:
        """The number of statements of the key."""
        return sum(self.actual.values())

    @property
    def answered(self) -> int:
        """The number of statements with an answer."""
        return sum(self.confused.values()) + self.wrong_direction_total

    @property
    def wrong_direction_total(self) -> int:
        """The number of answers with the correct relation and the wrong direction."""
        return sum(self.wrong_direction.values()) if self.wrong_direction else 0

    @property
    def right(self) -> int:
        """The number of correct answers."""
        return sum(self.right_of(label) for label in self.actual)

    @property
    def others_skipped(self) -> int:
        """The number of statements of Other without an answer."""
        return self.actual.get(OTHER, 0) - self.row_sum(OTHER) - self.wrong_direction_of(OTHER)

    def right_of(self, label: str) -> int:
        """Return the number of correct answers of a label."""
        return self.confused.get((label, label), 0)

    def wrong_direction_of(self, label: str) -> int:
        """Return the number of statements of a label that were answered in the wrong direction."""
        return self.wrong_direction.get(label, 0) if self.wrong_direction else 0

    def row_sum(self, label: str) -> int:
        """Return the number of statements of a label in the matrix."""
        return sum(count for (gold, _), count in self.confused.items() if gold == label)

    def column_sum(self, label: str) -> int:
        """Return the number of answers in the matrix with a label."""
        return sum(count for (_, answer), count in self.confused.items() if answer == label)

    def of(self, label: str) -> Percentages:
        """Score one label; an answer in the wrong direction counts as a wrong answer of its relation."""
        return Percentages.of(
            self.right_of(label), self.column_sum(label) + self.wrong_direction_of(label), self.actual.get(label, 0)
        )

    @property
    def micro_counts(self) -> tuple[int, int, int]:
        """The numbers of correct answers, answers and gold labels of all relations, Other left out."""
        scored = [label for label in self.labels if label != OTHER]
        return (
            sum(self.right_of(label) for label in scored),
            sum(self.column_sum(label) + self.wrong_direction_of(label) for label in scored),
            sum(self.actual[label] for label in scored),
        )

    @property
    def micro(self) -> Percentages:
        """The scores of all relations together, Other left out."""
        return Percentages.of(*self.micro_counts)

    @property
    def macro(self) -> Percentages:
        """The mean scores of the key's relations, Other left out."""
        each = [self.of(label) for label in self.labels if label != OTHER]
        return Percentages(*(sum(values) / len(each) for values in zip(*each, strict=True)))

    def as_json(self) -> dict[str, Any]:
        """Return the figures, each share between 0 and 1, and the matrix that they come from."""
        return {
            "accuracy": self.right / self.total,
            "micro": _json(self.micro),
            "macro": _json(self.macro),
            "per_relation": {label: {**_json(self.of(label)), "count": self.actual[label]} for label in self.labels},
            "confusion": {
                gold: {answer: count for (of, answer), count in sorted(self.confused.items()) if of == gold}
                for gold in self.labels
            },
            "wrong_direction": dict(self.wrong_direction) if self.wrong_direction is not None else None,
        }


def directed(pairs: Iterable[tuple[str, str | None]]) -> SemEvalCounts:
    """Count (label, answer) pairs with each direction as a label of its own; None is a skipped statement."""
    actual: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for gold, answer in pairs:
        actual[gold] += 1
        if answer is not None:
            confused[gold, answer] += 1
    return SemEvalCounts(actual, confused)


def undirected(pairs: Iterable[tuple[str, str | None]]) -> SemEvalCounts:
    """Count relations, ignoring directions."""
    return directed(
        (without_direction(gold), None if answer is None else without_direction(answer)) for gold, answer in pairs
    )


def official(pairs: Iterable[tuple[str, str | None]]) -> SemEvalCounts:
    """Count relations; an answer in the wrong direction leaves the matrix and counts as wrong."""
    kept: list[tuple[str, str | None]] = []
    wrong_direction: Counter[str] = Counter()
    for gold, answer in pairs:
        relation = without_direction(gold)
        if answer is not None and answer != gold and without_direction(answer) == relation:
            wrong_direction[relation] += 1
            kept.append((gold, None))
        else:
            kept.append((gold, answer))
    counts = undirected(kept)
    return SemEvalCounts(counts.actual, counts.confused, wrong_direction)


def _in_order(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=lambda label: (label == OTHER, label))


def _json(percentages: Percentages) -> dict[str, float]:
    return {name: value / 100 for name, value in percentages._asdict().items()}
