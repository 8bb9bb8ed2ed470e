"""Rules by which the statements of one entity pair speak together: what they say of each relation becomes one score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bags:
    """Statements with those of a pair beside each other; `starts` says where each pair begins."""

    probabilities: Numbers
    starts: NDArray[np.int64]
    cosines: Numbers | None = None
    """Of each statement's vector to each relation's, where vectors are given."""
    scale: float = 1.0


def at_least_one(bags: Bags) -> Numbers:
    """Take the highest probability: one statement that expresses the relation is enough."""
    return np.maximum.reduceat(bags.probabilities, bags.starts)


def mean(bags: Bags) -> Numbers:
    """Take the mean: all statements count alike."""
    return np.add.reduceat(bags.probabilities, bags.starts) / _sizes(bags)[:, None]


def attention(bags: Bags) -> Numbers:
    """Weigh statements by how close they are to the relation asked for (selective attention, Lin et al. 2016).

    The weights are a softmax over the statements of the pair of `scale` times the cosine to the relation's vector.
    """
    if bags.cosines is None:
        raise BadInput("attention weighs statements by their vectors: vectors and relation vectors are wanted")
    logits = bags.scale * bags.cosines
    # Less the pair's highest, so that no exponential overflows; it cancels out.
    highest = np.repeat(np.maximum.reduceat(logits, bags.starts), _sizes(bags), axis=0)
    weights = np.exp(logits - highest)
    summed = np.add.reduceat(weights * bags.probabilities, bags.starts)
    return np.asarray(summed / np.add.reduceat(weights, bags.starts))


COMBINE_RULES: dict[str, Callable[[Bags], Numbers]] = {"one": at_least_one, "mean": mean, "attention": attention}


def _sizes(bags: Bags) -> NDArray[np.int64]:
    return np.diff(bags.starts, append=len(bags.probabilities))
