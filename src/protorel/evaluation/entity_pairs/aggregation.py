"""From statements to entity pairs: how a pair's statements are aggregated, and which facts the pair has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput, Statement

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Settings of `evaluate_pairs`.

    Args:
        combine: How to aggregate the statements of a pair: a name in `COMBINE_RULES`.
        no_relation: The label for "no relation", which is neither ranked nor a fact; by default that of the run's
            classifier.
        at: The N of precision at N.
        attention_scale: The factor on cosines before attention's softmax.
        seed: Random seed for the intervals.

    Raises:
        BadInput: `combine` is unknown, or an N of `at` is below 1.

    Example:
        >>> PairSettings(combine="mean", at=(10,)).at
        (10,)
    """

    combine: str = "one"
    no_relation: str | None = None
    at: tuple[int, ...] = (100, 200, 300)
    attention_scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.combine not in COMBINE_RULES:
            raise BadInput(f"combine: expected one of {', '.join(COMBINE_RULES)}, got {self.combine!r}")
        if wrong := [number for number in self.at if number < 1]:
            raise BadInput(f"precision at N: expected 1 or more, got {wrong[0]}")


@dataclass(frozen=True, slots=True)
class Bags:
    """Statements grouped by pair; `starts` says at which row each pair begins."""

    probabilities: Numbers
    starts: NDArray[np.int64]
    cosines: Numbers | None = None
    """Of each statement's vector to each relation's, where vectors are given."""
    scale: float = 1.0


def at_least_one(bags: Bags) -> Numbers:
    """Return the highest probability: one statement that expresses the relation is enough."""
    return np.maximum.reduceat(bags.probabilities, bags.starts)


def mean(bags: Bags) -> Numbers:
    """Return the mean probability."""
    return np.add.reduceat(bags.probabilities, bags.starts) / _sizes(bags)[:, None]


def attention(bags: Bags) -> Numbers:
    """Return the mean weighted by selective attention (Lin et al. 2016).

    The weights are a softmax over the statements of the pair of `scale` times the cosine to the relation's vector.
    """
    if bags.cosines is None:
        raise BadInput("attention: expected vectors of statements and relations, got none")
    logits = bags.scale * bags.cosines
    # Minus the pair's highest, so that no exponential overflows; it cancels out.
    highest = np.repeat(np.maximum.reduceat(logits, bags.starts), _sizes(bags), axis=0)
    weights = np.exp(logits - highest)
    summed = np.add.reduceat(weights * bags.probabilities, bags.starts)
    return np.asarray(summed / np.add.reduceat(weights, bags.starts))


COMBINE_RULES: dict[str, Callable[[Bags], Numbers]] = {"one": at_least_one, "mean": mean, "attention": attention}


def _sizes(bags: Bags) -> NDArray[np.int64]:
    return np.diff(bags.starts, append=len(bags.probabilities))


@dataclass(frozen=True, slots=True)
class PairFacts:
    """The pairs that are evaluated, and the relations of each."""

    pairs: NDArray[np.int64]
    relations: tuple[frozenset[str], ...]

    @property
    def counts(self) -> Numbers:
        """The number of relations of each pair."""
        return np.array([len(relations) for relations in self.relations], dtype=np.float64)

    def truth(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each pair and each name whether the pair has that relation."""
        return np.array([[name in relations for name in names] for relations in self.relations], dtype=np.bool_)


def pair_facts(
    statements: Sequence[Statement], owner: NDArray[np.int64], count: int, *, no_relation: str | None = None
) -> tuple[PairFacts, PairFacts | None]:
    """Return each pair's facts by label and, where people checked the text, by what the text expresses.

    `owner` is the pair of each statement, `count` the number of pairs. By text, only pairs whose labelled statements
    were all checked are evaluated.
    """
    by_label: list[set[str]] = [set() for _ in range(count)]
    by_text: list[set[str]] = [set() for _ in range(count)]
    unchecked: set[int] = set()
    checked = False
    for pair, statement in zip(owner.tolist(), statements, strict=True):
        if statement.relation is None or statement.relation == no_relation:
            continue
        by_label[pair].add(statement.relation)
        if statement.expresses is None:
            unchecked.add(pair)
            continue
        checked = True
        if statement.expresses:
            by_text[pair].add(statement.relation)
    if not any(by_label):
        raise BadInput("expected statements that carry a relation, got none")
    known = [pair for pair in range(count) if pair not in unchecked]
    text = _facts(known, by_text) if checked and any(by_text[pair] for pair in known) else None
    return _facts(list(range(count)), by_label), text


def _facts(pairs: list[int], relations: list[set[str]]) -> PairFacts:
    return PairFacts(np.array(pairs, dtype=np.int64), tuple(frozenset(relations[pair]) for pair in pairs))
