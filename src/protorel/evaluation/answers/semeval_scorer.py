"""The official scorer of SemEval 2010 task 8 (version 1.2), to the digit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.evaluation.answers.relation_scores import macro, shares
from protorel.evaluation.answers.semeval_labels import OTHER, SEMEVAL_RELATIONS, check_label, without_direction
from protorel.evaluation.answers.semeval_part import SemEvalPart, directed, official, undirected
from protorel.evaluation.answers.semeval_report import semeval_report
from protorel.evaluation.redrawing import measured, redrawn_counts
from protorel.evaluation.result import Measurement
from protorel.io import shown
from protorel.statements import BadInput

Pair = tuple[str, str | None]
"""A statement's label in the key, and the answer; None where it was skipped."""


@dataclass(frozen=True, slots=True)
class SemEvalScore:
    """The three parts of the official report, and its one official figure with an interval."""

    directed: SemEvalPart
    undirected: SemEvalPart
    official: SemEvalPart
    macro_f1: Measurement
    """The official macro-averaged F1, with a 95 % interval by redrawing the statements of the key."""
    seed: int

    @property
    def f1(self) -> float:
        """The official macro-averaged F1, between 0 and 1."""
        return self.macro_f1.value

    @property
    def skipped(self) -> int:
        """How many statements of the key have no answer."""
        return self.official.total - self.official.answered

    def report(self) -> str:
        """Return what the official scorer prints."""
        return semeval_report(self.directed, self.undirected, self.official)

    def as_json(self) -> dict[str, Any]:
        """Return the official F1 with its margin, and the figures of all three parts."""
        return {
            "scorer": "semeval",
            "f1": self.f1,
            "margin": self.macro_f1.margin if self.macro_f1.count > 1 else None,
            "seed": self.seed,
            "statements": self.official.total,
            "skipped": self.skipped,
            "wrong_direction": self.official.turned_total,
            "directed": self.directed.as_json(),
            "undirected": self.undirected.as_json(),
            "official": self.official.as_json(),
        }


def score_semeval(gold: Mapping[str, str], answers: Mapping[str, str], *, seed: int = 0) -> SemEvalScore:
    """Score answers by id against a key; statements of the key without an answer are skipped, as the task allows."""
    _check(gold, answers)
    pairs = [(label, answers.get(name)) for name, label in gold.items()]
    part = official(pairs)
    interval = semeval_f1_interval(pairs, seed=seed)
    return SemEvalScore(directed(pairs), undirected(pairs), part, interval, seed)


def unknown_ids(gold: Mapping[str, str], answers: Mapping[str, str]) -> list[str]:
    """Return the ids that are answered though the key does not hold them."""
    return [name for name in answers if name not in gold]


def semeval_f1_interval(pairs: Iterable[Pair], *, seed: int = 0) -> Measurement:
    """Return the official macro-averaged F1 with a 95 % interval by redrawing the statements of the key."""
    table = Counter(pairs)
    column = {name: place for place, name in enumerate((*SEMEVAL_RELATIONS, OTHER))}
    gold = np.array([column[without_direction(label)] for label, _ in table])
    # A skipped statement is no answer of any relation, and neither is Other, whose column is cut off below.
    answer = np.array([column[without_direction(said or OTHER)] for _, said in table])
    right = np.array([label == said for label, said in table])
    counts = np.array(list(table.values()), dtype=np.int64)

    def macro_f1(drawn: np.ndarray[Any, np.dtype[np.int64]]) -> float:
        hits, answered, wanted = (
            np.bincount(of, weights=weights, minlength=len(column))[:-1]
            for of, weights in ((gold, drawn * right), (answer, drawn), (gold, drawn))
        )
        return float(macro(shares(hits, answered, wanted), wanted > 0).f1)

    redrawn = np.array([macro_f1(drawn) for drawn in redrawn_counts(counts, seed=seed)])
    return measured(macro_f1(counts), redrawn, count=int(counts.sum()))


def _check(gold: Mapping[str, str], answers: Mapping[str, str]) -> None:
    for label in {*gold.values(), *answers.values()}:
        check_label(label)
    if strangers := unknown_ids(gold, answers):
        raise BadInput(
            f"{len(strangers)} of {len(answers)} answers have an id that the key does not hold, the first: "
            f"{shown(strangers[0])}"
        )
    if not answers:
        raise BadInput(f"none of the {len(gold)} statements of the key is answered")
    if set(gold.values()) <= {OTHER}:
        raise BadInput("the key holds no relation besides Other, so there is nothing to average")
