"""The official scorer of SemEval 2010 task 8 (version 1.2), to the digit, and its report, to the space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.evaluation.classification.class_scores import macro_average, precision_recall_f1
from protorel.evaluation.classification.semeval_counts import (
    OTHER,
    SEMEVAL_RELATIONS,
    SemEvalCounts,
    check_label,
    directed,
    official,
    undirected,
    without_direction,
)
from protorel.evaluation.measurement import Measurement, bootstrap_counts, bootstrap_measurement
from protorel.io import shown
from protorel.statements import BadInput

Pair = tuple[str, str | None]
"""A statement's label in the key, and the answer; None where it was skipped."""


@dataclass(frozen=True, slots=True)
class SemEvalScore:
    """The three parts of the official report, and its one official figure with an interval."""

    directed: SemEvalCounts
    undirected: SemEvalCounts
    official: SemEvalCounts
    macro_f1: Measurement
    """The official macro-averaged F1, with a 95 % interval bootstrapped over the statements of the key."""
    seed: int

    @property
    def f1(self) -> float:
        """The official macro-averaged F1, between 0 and 1."""
        return self.macro_f1.value

    @property
    def skipped(self) -> int:
        """The number of statements of the key without an answer."""
        return self.official.total - self.official.answered

    def report(self) -> str:
        """Return what the official scorer prints."""
        return _report(self.directed, self.undirected, self.official)

    def as_json(self) -> dict[str, Any]:
        """Return the official F1 with its margin, and the figures of all three parts."""
        return {
            "scorer": "semeval",
            "f1": self.f1,
            "margin": self.macro_f1.margin if self.macro_f1.count > 1 else None,
            "seed": self.seed,
            "statements": self.official.total,
            "skipped": self.skipped,
            "wrong_direction": self.official.wrong_direction_total,
            "directed": self.directed.as_json(),
            "undirected": self.undirected.as_json(),
            "official": self.official.as_json(),
        }


def score_semeval(gold: Mapping[str, str], answers: Mapping[str, str], *, seed: int = 0) -> SemEvalScore:
    """Score answers against a key, as the task's official scorer does.

    Args:
        gold: The correct label of each id.
        answers: The answered label of each id; an id of the key without an answer is skipped, as the task allows.
        seed: Random seed for the interval.

    Returns:
        The three parts of the official report, and the official macro-averaged F1 with an interval.

    Raises:
        BadInput: A label is not one of the task's nineteen, an id is not in the key, there are no answers, or the key
            contains no label but Other.

    Example:
        >>> key = {"1": "Cause-Effect(e1,e2)", "2": "Cause-Effect(e2,e1)", "3": "Other"}
        >>> score = score_semeval(key, {"1": "Cause-Effect(e1,e2)", "2": "Cause-Effect(e1,e2)", "3": "Other"})
        >>> score.f1, score.official.wrong_direction_total
        (0.5, 1)
    """
    _check(gold, answers)
    pairs = [(label, answers.get(name)) for name, label in gold.items()]
    interval = semeval_f1_interval(pairs, seed=seed)
    return SemEvalScore(directed(pairs), undirected(pairs), official(pairs), interval, seed)


def unknown_ids(gold: Mapping[str, str], answers: Mapping[str, str]) -> list[str]:
    """Return the ids of answers that are not in the key."""
    return [name for name in answers if name not in gold]


def semeval_f1_interval(pairs: Iterable[Pair], *, seed: int = 0) -> Measurement:
    """Return the official macro-averaged F1 with a 95 % interval, bootstrapped over the statements of the key."""
    table = Counter(pairs)
    column = {name: place for place, name in enumerate((*SEMEVAL_RELATIONS, OTHER))}
    gold = np.array([column[without_direction(label)] for label, _ in table])
    # A skipped statement is an answer of no relation, as Other is; its column is cut off below.
    answer = np.array([column[without_direction(answered or OTHER)] for _, answered in table])
    right = np.array([label == answered for label, answered in table])
    counts = np.array(list(table.values()), dtype=np.int64)

    def macro_f1(drawn: np.ndarray[Any, np.dtype[np.int64]]) -> float:
        hits, answered, of_gold = (
            np.bincount(of, weights=weights, minlength=len(column))[:-1]
            for of, weights in ((gold, drawn * right), (answer, drawn), (gold, drawn))
        )
        return float(macro_average(precision_recall_f1(hits, answered, of_gold), of_gold > 0).f1)

    resampled = np.array([macro_f1(drawn) for drawn in bootstrap_counts(counts, seed=seed)])
    return bootstrap_measurement(macro_f1(counts), resampled, count=int(counts.sum()))


def _check(gold: Mapping[str, str], answers: Mapping[str, str]) -> None:
    for label in {*gold.values(), *answers.values()}:
        check_label(label)
    if unknown := unknown_ids(gold, answers):
        raise BadInput(
            f"{len(unknown)} of {len(answers)} answers have an id that is not in the key, the first: "
            f"{shown(unknown[0])}"
        )
    if not answers:
        raise BadInput(f"expected answers to the {len(gold)} statements of the key, got none")
    if set(gold.values()) <= {OTHER}:
        raise BadInput("expected a key with relations, got only Other")


# The report: people compare it with the official one, so every space is kept.


def _report(directed: SemEvalCounts, undirected: SemEvalCounts, official: SemEvalCounts) -> str:
    """Return warnings, three parts, and the closing line with the official figure."""
    warnings = [
        f"!!!WARNING!!! The proposed file contains {directed.column_sum(label)} label(s) of type '{_shown(label)}', "
        "which is NOT present in the key file.\n\n"
        for label in directed.unknown
    ]
    titled = (
        ("(2*9+1)-WAY EVALUATION (USING DIRECTIONALITY)", directed),
        ("(9+1)-WAY EVALUATION IGNORING DIRECTIONALITY ", undirected),
        ("(9+1)-WAY EVALUATION TAKING DIRECTIONALITY INTO ACCOUNT -- OFFICIAL ", official),
    )
    parts = [f"<<< {title}>>>:\n\n{_part(part)}" for title, part in titled]
    closing = (
        "<<< The official score is (9+1)-way evaluation with directionality taken into account: "
        f"macro-averaged F1 = {official.macro.f1:.2f}% >>>\n"
    )
    return "".join([*warnings, *parts, closing])


def _part(part: SemEvalCounts) -> str:
    right, answered, actual = part.micro_counts
    micro, macro = part.micro, part.macro
    return "\n".join(
        [
            *_matrix(part),
            "",
            f"Coverage = {_share(part.answered, part.total)}",
            f"Accuracy (calculated for the above confusion matrix) = {_share(part.right, part.answered)}",
            f"Accuracy (considering all skipped examples as Wrong) = {_share(part.right, part.total)}",
            f"Accuracy (considering all skipped examples as Other) = "
            f"{_share(part.right + part.others_skipped, part.total)}",
            "",
            "Results for the individual relations:",
            *(_relation(part, label) for label in part.labels),
            "",
            "Micro-averaged result (excluding Other):",
            f"P = {right:4d}/{answered:4d} = {micro.precision:6.2f}%     R = {right:4d}/{actual:4d} = "
            f"{micro.recall:6.2f}%     F1 = {micro.f1:6.2f}%",
            "",
            "MACRO-averaged result (excluding Other):",
            f"P = {macro.precision:6.2f}%\tR = {macro.recall:6.2f}%\tF1 = {macro.f1:6.2f}%",
            "\n\n\n",
        ]
    )


def _matrix(part: SemEvalCounts) -> list[str]:
    columns = [*part.labels, *part.unknown]
    rule = "      +" + "-----" * len(columns) + "+"
    sums = " -SUM- xDIRx skip  ACTUAL" if part.wrong_direction is not None else " -SUM- skip ACTUAL"
    lines = [
        "Confusion matrix:",
        "       " + "".join(f" {_short(label, part):>4}" for label in columns) + " <-- classified as",
        rule + sums,
    ]
    for label in part.labels:
        cells = "".join(f"{part.confused.get((label, answer), 0):4d} " for answer in columns)
        row = _sums(part, part.row_sum(label), part.wrong_direction_of(label), part.actual[label])
        lines.append(f" {_short(label, part):>4} |{cells}|{row}")
    below = "".join(f"{part.column_sum(label):4d} " for label in columns)
    inside = part.answered - part.wrong_direction_total
    return [*lines, rule, f" -SUM- {below} {_sums(part, inside, part.wrong_direction_total, part.total)}"]


def _sums(part: SemEvalCounts, inside: int, wrong_direction: int, actual: int) -> str:
    skipped = actual - inside - wrong_direction
    if part.wrong_direction is None:
        return f" {inside:4d} {skipped:4d} {actual:4d}"
    return f" {inside:4d}  {wrong_direction:4d}  {skipped:4d} {actual:6d}"


def _relation(part: SemEvalCounts, label: str) -> str:
    right, answered, actual = part.right_of(label), part.column_sum(label), part.actual[label]
    found = part.of(label)
    counted_outside = part.wrong_direction is not None
    below = f"({answered:4d} +{part.wrong_direction_of(label):4d})" if counted_outside else f"{answered:4d}"
    return (
        f"{_shown(label):>25} :    P = {right:4d}/{below} = {found.precision:6.2f}%     "
        f"R = {right:4d}/{actual:4d} = {found.recall:6.2f}%     F1 = {found.f1:6.2f}%"
    )


def _share(above: int, below: int) -> str:
    return f"{above}/{below} = {100.0 * above / below:5.2f}%"


def _short(label: str, part: SemEvalCounts) -> str:
    """Return the initials of a relation and its first entity's number, with a star where the key lacks the label."""
    if label == OTHER:
        return "_O_"
    first, second = (word[0] for word in label.split("-"))
    number = label[label.index("(e") + 2] if "(" in label else ""
    return (f"{first}-{second}" if label in part.actual else f"*{first}{second}") + number


def _shown(label: str) -> str:
    return f"_{OTHER}" if label == OTHER else label
