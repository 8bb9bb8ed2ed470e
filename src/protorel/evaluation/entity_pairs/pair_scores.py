"""Score facts by entity pair: aggregate each pair's statements, rank (pair, relation) scores, compare with facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.entity_pairs.aggregation import (
    COMBINE_RULES,
    Bags,
    Numbers,
    PairFacts,
    PairSettings,
    pair_facts,
)
from protorel.evaluation.entity_pairs.precision_recall_curve import Curve, Ranking
from protorel.evaluation.measurement import Measurement, as_numbers, bootstrap_measurement
from protorel.statements import BadInput, Statement, entity_pair

_DRAWS = 400
"""Bootstrap samples; each goes through all (pair, relation) scores, which may be millions."""


@dataclass(frozen=True, slots=True)
class PairFigures:
    """How well the ranked (pair, relation) scores agree with the facts; intervals are bootstrapped over pairs."""

    pairs: int
    facts: int
    """The number of (pair, relation) facts to find."""
    unreachable: int
    """The number of facts whose relation has no score: they count as missed."""
    precision_at: dict[int, Measurement]
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

    def notes(self, relations: int) -> list[str]:
        """Return notes on how to read the figures, where each pair has scores for `relations` relations."""
        notes, scores = [], self.pairs * relations
        if beyond := [number for number in self.precision_at if number > scores]:
            notes.append(
                f"there are {scores} (pair, relation) scores; precision at {_listed(beyond)} is that of all {scores}"
            )
        found, known = self.facts - self.unreachable, " of relations that the run knows" if self.unreachable else ""
        if limited := [number for number in self.precision_at if min(number, scores) > found]:
            highest = _listed([f"{100 * found / min(number, scores):.1f}%" for number in limited])
            notes.append(f"there are {found} facts{known}; precision at {_listed(limited)} cannot exceed {highest}")
        if self.unreachable:
            notes.append(
                f"{self.unreachable} of {self.facts} facts are of relations that the run does not know; "
                "they count as missed"
            )
        return notes


@dataclass(frozen=True, slots=True)
class PairResult:
    """The figures by label, and by what the text expresses where people checked it."""

    combine: str
    statements: int
    relations: int
    """The number of relations that are scored for each pair."""
    labelled: PairFigures
    """A pair's facts are all labels of its statements."""
    expressed: PairFigures | None
    """A pair's facts are the relations that one of its statements expresses; None where no statement was checked."""
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
        """Return notes on how to read the figures."""
        both = (("labels", self.labelled), ("text", self.expressed))
        return [f"by {name}: {note}" for name, one in both if one is not None for note in one.notes(self.relations)]


def score_pairs(
    probabilities: Numbers,
    names: Sequence[str],
    statements: Sequence[Statement],
    settings: PairSettings | None = None,
    *,
    vectors: Numbers | None = None,
    relation_vectors: Numbers | None = None,
) -> PairResult:
    """Score the facts that the statements of each entity pair give.

    A sentence in two rows, with two labels, counts once.

    Args:
        probabilities: One row per statement, one column per name.
        names: The relations.
        statements: Distantly labelled statements.
        settings: How to aggregate, and what to report.
        vectors: One vector per statement, for attention.
        relation_vectors: One vector per name, for attention.

    Returns:
        Precision at N, area and best F1, by label and by text.

    Raises:
        BadInput: The shapes disagree, a probability is not finite, no statement carries a relation, or attention has
            no vectors.

    Example:
        >>> from protorel.statements import Span
        >>> ada = Statement("Ada left Lunsk.", Span(0, 3), Span(9, 14), "born_in")
        >>> bela = Statement("Bela met Oster.", Span(0, 4), Span(9, 14), "spouse")
        >>> given = np.array([[0.9, 0.1], [0.6, 0.4]])
        >>> found = score_pairs(given, ["born_in", "spouse"], [ada, bela], PairSettings(at=(1, 2)))
        >>> [figure.value for figure in found.labelled.precision_at.values()]
        [1.0, 0.5]
    """
    settings = settings or PairSettings()
    _check(probabilities, names, statements)
    pairs: dict[tuple[str, str], int] = {}
    owner = np.array([pairs.setdefault(entity_pair(statement), len(pairs)) for statement in statements])
    once = {(pair, statement.key): row for row, (pair, statement) in enumerate(zip(owner, statements, strict=True))}
    rows = np.array(sorted(once.values(), key=lambda row: (owner[row], row)))
    bags = Bags(
        np.asarray(probabilities, dtype=np.float64)[rows],
        np.searchsorted(owner[rows], np.arange(len(pairs))),
        None if vectors is None or relation_vectors is None else _cosines(vectors[rows], relation_vectors),
        settings.attention_scale,
    )
    ranked = [place for place, name in enumerate(names) if name != settings.no_relation]
    scores = COMBINE_RULES[settings.combine](bags)[:, ranked]
    labels, texts = pair_facts(statements, owner, len(pairs), no_relation=settings.no_relation)
    scored = [names[place] for place in ranked]
    return PairResult(
        combine=settings.combine,
        statements=len(statements),
        relations=len(ranked),
        labelled=_figures(scores, scored, labels, settings),
        expressed=_figures(scores, scored, texts, settings) if texts else None,
        seed=settings.seed,
    )


def _figures(scores: Numbers, names: Sequence[str], facts: PairFacts, settings: PairSettings) -> PairFigures:
    truth, counts = facts.truth(names), facts.counts
    owner = np.repeat(np.arange(len(facts.pairs)), len(names))
    ranking = Ranking.of(scores[facts.pairs].ravel(), truth.ravel(), owner)

    def figures(curve: Curve) -> list[float]:
        return [*(curve.precision_at(number) for number in settings.at), curve.area(), curve.best_f1()]

    count = len(facts.pairs)
    found = figures(ranking.curve(np.ones(count), float(counts.sum())))
    rng = np.random.default_rng([settings.seed, count])
    draws = (rng.multinomial(count, np.full(count, 1 / count)).astype(np.float64) for _ in range(_DRAWS))
    resampled = np.array([figures(ranking.curve(drawn, float(drawn @ counts))) for drawn in draws])
    each = [bootstrap_measurement(value, resampled[:, place], count=count) for place, value in enumerate(found)]
    return PairFigures(
        pairs=count,
        facts=int(counts.sum()),
        unreachable=int(counts.sum() - truth.sum()),
        precision_at=dict(zip(settings.at, each[:-2], strict=True)),
        area=each[-2],
        max_f1=each[-1],
    )


def _cosines(vectors: Numbers, relation_vectors: Numbers) -> Numbers:
    left, right = (np.asarray(given, dtype=np.float64) for given in (vectors, relation_vectors))
    left, right = (given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-12) for given in (left, right))
    return np.asarray(left @ right.T)


def _check(probabilities: NDArray[Any], names: Sequence[str], statements: Sequence[Statement]) -> None:
    if probabilities.shape != (len(statements), len(names)):
        raise BadInput(
            f"probabilities: expected {len(statements)} statements × {len(names)} relations, "
            f"got {' × '.join(map(str, probabilities.shape))}"
        )
    if not np.isfinite(probabilities).all():
        raise BadInput("probabilities: expected finite numbers, got some that are not finite")


def _listed(things: Sequence[object]) -> str:
    return ", ".join(map(str, things))
