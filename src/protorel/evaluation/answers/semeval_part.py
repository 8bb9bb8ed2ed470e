"""One of the three ways in which the official scorer of SemEval 2010 task 8 counts the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from protorel.evaluation.answers.semeval_labels import OTHER, without_direction


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
class SemEvalPart:
    """A confusion matrix, and all that the scorer derives from it."""

    actual: Mapping[str, int]
    """How many statements of the key carry each label."""
    confused: Mapping[tuple[str, str], int]
    """How often a statement of one label was answered with another, or the same."""
    turned: Mapping[str, int] | None = None
    """How often the relation was right and the direction wrong, where that is counted apart from the matrix."""

    @property
    def labels(self) -> list[str]:
        """The labels of the key in the scorer's order, Other last: no other label is scored."""
        return _in_order(self.actual)

    @property
    def strange(self) -> list[str]:
        """Labels that were answered and that the key does not hold."""
        return _in_order({answer for _, answer in self.confused} - self.actual.keys())

    @property
    def total(self) -> int:
        """How many statements the key holds."""
        return sum(self.actual.values())

    @property
    def answered(self) -> int:
        """How many of them were answered."""
        return sum(self.confused.values()) + self.turned_total

    @property
    def turned_total(self) -> int:
        """How many answers had the right relation and the wrong direction."""
        return sum(self.turned.values()) if self.turned else 0

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(self.right_of(label) for label in self.actual)

    @property
    def others_skipped(self) -> int:
        """How many statements of Other were not answered."""
        return self.actual.get(OTHER, 0) - self.row_sum(OTHER) - self.turned_of(OTHER)

    def right_of(self, label: str) -> int:
        """How many statements of a label were answered with it."""
        return self.confused.get((label, label), 0)

    def turned_of(self, label: str) -> int:
        """How many statements of a label were answered with its relation the wrong way round."""
        return self.turned.get(label, 0) if self.turned else 0

    def row_sum(self, label: str) -> int:
        """How many statements of a label stand in the matrix."""
        return sum(count for (gold, _), count in self.confused.items() if gold == label)

    def column_sum(self, label: str) -> int:
        """How many answers in the matrix are a label."""
        return sum(count for (_, answer), count in self.confused.items() if answer == label)

    def of(self, label: str) -> Percentages:
        """Score one label; an answer the wrong way round counts as a wrong answer of its relation."""
        return Percentages.of(
            self.right_of(label), self.column_sum(label) + self.turned_of(label), self.actual.get(label, 0)
        )

    @property
    def micro_counts(self) -> tuple[int, int, int]:
        """How many answers were right, given and wanted, all relations together, Other left out."""
        scored = [label for label in self.labels if label != OTHER]
        return (
            sum(self.right_of(label) for label in scored),
            sum(self.column_sum(label) + self.turned_of(label) for label in scored),
            sum(self.actual[label] for label in scored),
        )

    @property
    def micro(self) -> Percentages:
        """Score all relations together, Other left out."""
        return Percentages.of(*self.micro_counts)

    @property
    def macro(self) -> Percentages:
        """Average the scores of the key's relations, Other left out."""
        each = [self.of(label) for label in self.labels if label != OTHER]
        return Percentages(*(sum(values) / len(each) for values in zip(*each, strict=True)))

    def as_json(self) -> dict[str, Any]:
        """Return the figures, each share between 0 and 1, and the matrix they come from."""
        return {
            "accuracy": self.right / self.total,
            "micro": _json(self.micro),
            "macro": _json(self.macro),
            "per_relation": {label: {**_json(self.of(label)), "count": self.actual[label]} for label in self.labels},
            "confusion": {
                gold: {answer: count for (of, answer), count in sorted(self.confused.items()) if of == gold}
                for gold in self.labels
            },
            "wrong_direction": dict(self.turned) if self.turned is not None else None,
        }


def directed(pairs: Iterable[tuple[str, str | None]]) -> SemEvalPart:
    """Count with each direction as a label of its own; an answer that is None was skipped."""
    actual: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for gold, answer in pairs:
        actual[gold] += 1
        if answer is not None:
            confused[gold, answer] += 1
    return SemEvalPart(actual, confused)


def undirected(pairs: Iterable[tuple[str, str | None]]) -> SemEvalPart:
    """Count with no regard for directions."""
    return directed(
        (without_direction(gold), None if answer is None else without_direction(answer)) for gold, answer in pairs
    )


def official(pairs: Iterable[tuple[str, str | None]]) -> SemEvalPart:
    """Count relations, with an answer the wrong way round taken out of the matrix and counted as wrong."""
    kept: list[tuple[str, str | None]] = []
    turned: Counter[str] = Counter()
    for gold, answer in pairs:
        relation = without_direction(gold)
        if answer is not None and answer != gold and without_direction(answer) == relation:
            turned[relation] += 1
            kept.append((gold, None))
        else:
            kept.append((gold, answer))
    part = undirected(kept)
    return SemEvalPart(part.actual, part.confused, turned)


def _in_order(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=lambda label: (label == OTHER, label))


def _json(percentages: Percentages) -> dict[str, float]:
    return {name: value / 100 for name, value in percentages._asdict().items()}
