"""Snowball (Agichtein and Gravano 2000): from pairs to patterns, from patterns to pairs, until both agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protorel.patterns.clustering import centroids, matched, single_pass
from protorel.patterns.confidence import best_by_group, noisy_or
from protorel.patterns.corpus import PatternCorpus
from protorel.patterns.settings import SnowballSettings


@dataclass(frozen=True, slots=True)
class RelationPatterns:
    """The patterns of one relation, those that match most of its own statements first."""

    relation: str
    vectors: csr_array
    """Patterns × columns of the context space."""
    confidence: NDArray[np.float64]
    positive: NDArray[np.int64]
    """How many pairs that hold the relation each pattern matches."""
    negative: NDArray[np.int64]
    """How many pairs that are said to hold other relations only."""
    own: NDArray[np.int64]
    """How many statements with the relation's label."""
    matches: csr_array
    """All rows of the corpus × patterns."""
    rounds: int
    trusted: int
    """How many pairs the patterns were made from: the seeds, and those found on the way."""

    def __len__(self) -> int:
        return len(self.confidence)


@dataclass(frozen=True, slots=True)
class _Found:
    """The patterns of one round."""

    vectors: csr_array
    matches: csr_array
    best: csr_array
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    confidence: NDArray[np.float64]


def find_patterns(corpus: PatternCorpus, relation: str, settings: SnowballSettings) -> RelationPatterns:
    """Find the patterns by which pairs of a relation are told from all others.

    Every pair with the relation's label is a seed. A round clusters the contexts of trusted pairs into patterns,
    weighs each pattern by the pairs that it matches in the whole corpus, and trusts the pairs that the patterns vouch
    for from then on. A pair that is labelled with other relations only is a counterexample and stays one, so new pairs
    come from statements without a label. It ends when none comes, or after `settings.rounds`.
    """
    number = corpus.relations.index(relation)
    trusted = corpus.pairs_with(number)
    others = corpus.pairs_labelled() & ~trusted
    for done in range(1, settings.rounds + 1):
        found = _one_round(corpus, trusted, others, settings)
        new = (noisy_or(found.best, found.confidence) >= settings.sure) & ~trusted & ~others
        if not new.any() or done == settings.rounds:
            break
        trusted = trusted | new
    own = np.asarray((found.matches[corpus.rows_with(number)] > 0).sum(0), dtype=np.int64)
    order = np.lexsort((-found.confidence, -own))
    return RelationPatterns(
        relation,
        csr_array(found.vectors[order]),
        found.confidence[order],
        found.positive[order],
        found.negative[order],
        own[order],
        csr_array(found.matches[:, order]),
        rounds=done,
        trusted=int(trusted.sum()),
    )


def _one_round(
    corpus: PatternCorpus, trusted: NDArray[np.bool_], others: NDArray[np.bool_], settings: SnowballSettings
) -> _Found:
    rows = np.flatnonzero(trusted[corpus.pair_of])
    contexts = csr_array(corpus.vectors[rows])
    dealt = single_pass(contexts, corpus.space, threshold=settings.threshold, most=settings.most_clusters)
    supported = _supported(dealt, corpus.pair_of[rows], settings.min_pairs)
    vectors = centroids(contexts, dealt, supported, corpus.space)
    matches = matched(corpus.vectors, vectors, threshold=settings.threshold)
    best = best_by_group(matches, corpus.pair_of, len(trusted))
    positive, negative = (np.asarray((best[pairs] > 0).sum(0), dtype=np.int64) for pairs in (trusted, others))
    return _Found(vectors, matches, best, positive, negative, settings.confidence(positive, negative))


def _supported(dealt: NDArray[np.int64], pairs: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Return the clusters in which the contexts of `least` pairs or more lie."""
    cells = np.unique(np.stack([dealt, pairs], axis=1)[dealt >= 0], axis=0)
    clusters, counts = np.unique(cells[:, 0], return_counts=True)
    return np.asarray(clusters[counts >= least], dtype=np.int64)
