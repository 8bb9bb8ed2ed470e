"""The score on held-out statements that chooses an epoch. Figures to report come from the evaluation, not from here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

Metric = Literal["semeval", "macro", "micro", "accuracy"]

_DIRECTION = re.compile(r"\(e[12],e[12]\)$")


def dev_score(gold: Sequence[str], answers: Sequence[str], *, metric: Metric, no_relation: str | None = None) -> float:
    """Return a share between 0 and 1 by one of four measures.

    `accuracy` counts every label. The others are F1 without the label that says "no relation": `micro` over all
    answers, `macro` averaged over the labels that are wanted or answered, `semeval` averaged over the relations that
    are wanted, where an answer of the right relation in the wrong direction is wrong, as in the official scorer.
    """
    if metric == "accuracy":
        return sum(right == answer for right, answer in zip(gold, answers, strict=True)) / len(gold)
    counted_as: dict[str, Callable[[str], str]] = {
        "semeval": lambda label: _DIRECTION.sub("", label),
        "macro": lambda label: label,
        "micro": lambda _: "",
    }
    name = counted_as[metric]
    pairs = list(zip(gold, answers, strict=True))
    right = Counter(name(label) for label, answer in pairs if label == answer != no_relation)
    wanted = Counter(name(label) for label in gold if label != no_relation)
    answered = Counter(name(answer) for answer in answers if answer != no_relation)
    counted = wanted if metric == "semeval" else wanted | answered
    # F1 is 2 PR / (P + R), which is twice the right ones over all that were wanted and all that were answered.
    each = [2 * right[one] / (wanted[one] + answered[one]) for one in counted]
    return sum(each) / len(each) if each else 0.0
