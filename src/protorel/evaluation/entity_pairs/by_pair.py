"""Judging by entity pair, as distantly supervised relation extraction is judged: which facts do the statements give?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.entity_pairs.combining import COMBINE_RULES, Bags, Numbers
from protorel.evaluation.entity_pairs.pair_gold import PairGold, pair_golds
from protorel.evaluation.entity_pairs.ranking import Curve, Ranking
from protorel.evaluation.redrawing import as_numbers, measured
from protorel.evaluation.result import Measurement
from protorel.statements import BadInput, Statement, entity_pair

_DRAWS = 400
"""Each draw goes down the whole list of (pair, relation) scores, which may have millions."""


@dataclass(frozen=True, slots=True)
class PairFigures:
    """How well the ranked (pair, relation) scores agree with one gold; intervals are by redrawing pairs."""

    pairs: int
    facts: int
    """How many (pair, relation) there are to be found."""
    unreachable: int
    """How many of them are of a relation that has no score: they count as missed."""
    precision_at: dict[int, Measurement]
    """By the N that was asked for."""
    area: Measurement
    """Under the precision-recall curve: the average precision."""
    max_f1: Measurement

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain numbers."""
        return {
            "pairs": self.pairs,
            "facts": self.facts,
            "unreachable": self.unreachable,
            "precision_at": {str(number): as_numbers(figure) for number, figure in self.precision_at.items()},
            "area": as_numbers(self.area),
            "max_f1": as_numbers(self.max_f1),
        }


@dataclass(frozen=True, slots=True)
class PairResult:
    """The figures by the labels, and by what the text expresses where somebody checked."""

    combine: str
    statements: int
    relations: int
    """How many relations are scored for each pair."""
    labelled: PairFigures
    """A pair's facts are all labels that its statements carry."""
    expressed: PairFigures | None
    """A pair's facts are the relations that one of its statements truly expresses; None where nobody checked."""
    seed: int

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            "combine": self.combine,
            "statements": self.statements,
            "scored_relations": self.relations,
            "seed": self.seed,
            "labelled": self.labelled.as_json(),
            "expressed": self.expressed.as_json() if self.expressed else None,
        }

    def notes(self) -> list[str]:
        """Return what somebody who reads the figures must know, each in a line."""
        said = []
        for name, figures in (("labels", self.labelled), ("text", self.expressed)):
            if figures is None:
                continue
            scores = figures.pairs * self.relations
            if short := [number for number in figures.precision_at if number > scores]:
                asked = ", ".join(map(str, short))
                said.append(f"by {name}: there are {scores} (pair, relation) scores, fewer than {asked}: all are taken")
            if figures.unreachable:
                said.append(
                    f"by {name}: {figures.unreachable} of {figures.facts} facts are of relations that the run does "
                    "not know; they count as missed"
                )
        return said


def judge_by_pair(
    probabilities: Numbers,
    names: Sequence[str],
    statements: Sequence[Statement],
    *,
    combine: str,
    vectors: Numbers | None = None,
    relation_vectors: Numbers | None = None,
    no_relation: str | None = None,
    at: Sequence[int] = (100, 200, 300),
    attention_scale: float = 1.0,
    seed: int = 0,
) -> PairResult:
    """Combine what the statements of each pair say, rank all (pair, relation) scores, and compare with the gold.

    `probabilities` has a row a statement and a column a name. A sentence that stands in two rows, for two labels,
    speaks once. `no_relation` is a label that is neither ranked nor a fact.
    """
    _check(probabilities, names, statements, combine, at)
    pairs: dict[tuple[str, str], int] = {}
    owner = np.array([pairs.setdefault(entity_pair(statement), len(pairs)) for statement in statements])
    once = {(pair, statement.key): row for row, (pair, statement) in enumerate(zip(owner, statements, strict=True))}
    rows = np.array(sorted(once.values(), key=lambda row: (owner[row], row)))
    bags = Bags(
        np.asarray(probabilities, dtype=np.float64)[rows],
        np.searchsorted(owner[rows], np.arange(len(pairs))),
        None if vectors is None or relation_vectors is None else _cosines(vectors[rows], relation_vectors),
        attention_scale,
    )
    ranked = [place for place, name in enumerate(names) if name != no_relation]
    scores = COMBINE_RULES[combine](bags)[:, ranked]
    labels, texts = pair_golds(statements, owner, len(pairs), no_relation=no_relation)
    scored = [names[place] for place in ranked]
    return PairResult(
        combine=combine,
        statements=len(statements),
        relations=len(ranked),
        labelled=_figures(scores, scored, labels, at=at, seed=seed),
        expressed=_figures(scores, scored, texts, at=at, seed=seed) if texts else None,
        seed=seed,
    )


def _figures(scores: Numbers, names: Sequence[str], gold: PairGold, *, at: Sequence[int], seed: int) -> PairFigures:
    truth, facts = gold.truth(names), gold.facts
    owner = np.repeat(np.arange(len(gold.pairs)), len(names))
    ranking = Ranking.of(scores[gold.pairs].ravel(), truth.ravel(), owner)

    def figures(curve: Curve) -> list[float]:
        return [*(curve.precision_at(number) for number in at), curve.area(), curve.best_f1()]

    count = len(gold.pairs)
    found = figures(ranking.curve(np.ones(count), float(facts.sum())))
    rng = np.random.default_rng([seed, count])
    draws = (rng.multinomial(count, np.full(count, 1 / count)).astype(np.float64) for _ in range(_DRAWS))
    redrawn = np.array([figures(ranking.curve(drawn, float(drawn @ facts))) for drawn in draws])
    each = [measured(value, redrawn[:, place], count=count) for place, value in enumerate(found)]
    return PairFigures(
        pairs=count,
        facts=int(facts.sum()),
        unreachable=int(facts.sum() - truth.sum()),
        precision_at=dict(zip(at, each[:-2], strict=True)),
        area=each[-2],
        max_f1=each[-1],
    )


def _cosines(vectors: Numbers, relation_vectors: Numbers) -> Numbers:
    left, right = (np.asarray(given, dtype=np.float64) for given in (vectors, relation_vectors))
    left, right = (given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-12) for given in (left, right))
    return np.asarray(left @ right.T)


def _check(
    probabilities: NDArray[Any], names: Sequence[str], statements: Sequence[Statement], combine: str, at: Sequence[int]
) -> None:
    if combine not in COMBINE_RULES:
        raise BadInput(f"combine is {combine!r}, one of {', '.join(COMBINE_RULES)} is wanted")
    if probabilities.shape != (len(statements), len(names)):
        raise BadInput(
            f"probabilities are {' × '.join(map(str, probabilities.shape))}, "
            f"{len(statements)} statements × {len(names)} relations are wanted"
        )
    if not np.isfinite(probabilities).all():
        raise BadInput("some probabilities are not finite, so they cannot be ranked")
    if wrong := [number for number in at if number < 1]:
        raise BadInput(f"precision at {wrong[0]} was asked for, at least 1 is wanted")
