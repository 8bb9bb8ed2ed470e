"""Snowball (Agichtein and Gravano 2000): from pairs to patterns, from patterns to pairs, until no pair is new."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protorel.patterns.clustering import centroids, matched, single_pass
from protorel.patterns.corpus import PatternCorpus
from protorel.patterns.settings import SnowballSettings

_CERTAIN = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class RelationPatterns:
    """The patterns of one relation, ordered by the number of its statements that they match."""

    relation: str
    vectors: csr_array
    """Patterns × columns of the context space."""
    confidence: NDArray[np.float64]
    positive: NDArray[np.int64]
    """The number of pairs with the relation that each pattern matches."""
    negative: NDArray[np.int64]
    """The number of pairs labelled only with other relations."""
    own: NDArray[np.int64]
    """The number of statements with the relation's label."""
    matches: csr_array
    """All rows of the corpus × patterns."""
    rounds: int
    trusted: int
    """The number of pairs that the patterns were made from: the seeds, and those found in earlier rounds."""

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
    """Return the patterns that distinguish the pairs of a relation from all others.

    Every pair with the relation's label is a seed. A round clusters the contexts of the trusted pairs into patterns,
    computes the confidence of each pattern from the pairs that it matches in the entire corpus, and adds the pairs that
    the patterns match with enough confidence to the trusted ones. A pair that is labelled only with other relations
    stays a counterexample, so new pairs come from unlabelled statements. The search ends when no pair is new, or after
    `settings.rounds`.
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
    assigned = single_pass(contexts, corpus.space, threshold=settings.threshold, most=settings.most_clusters)
    supported = _supported(assigned, corpus.pair_of[rows], settings.min_pairs)
    vectors = centroids(contexts, assigned, supported, corpus.space)
    matches = matched(corpus.vectors, vectors, threshold=settings.threshold)
    best = best_by_group(matches, corpus.pair_of, len(trusted))
    positive, negative = (np.asarray((best[pairs] > 0).sum(0), dtype=np.int64) for pairs in (trusted, others))
    return _Found(vectors, matches, best, positive, negative, confidence_of(positive, negative))


def _supported(assigned: NDArray[np.int64], pairs: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Return the clusters with contexts of at least `least` pairs."""
    cells = np.unique(np.stack([assigned, pairs], axis=1)[assigned >= 0], axis=0)
    clusters, counts = np.unique(cells[:, 0], return_counts=True)
    return np.asarray(clusters[counts >= least], dtype=np.int64)


def confidence_of(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the confidence of each pattern, positive / (positive + negative); 0 if it matches no labelled pair."""
    return np.asarray(positive / np.maximum(1, positive + negative), dtype=np.float64)


def best_by_group(matches: csr_array, groups: NDArray[np.int64], count: int) -> csr_array:
    """Return the best match of each group of rows with each pattern, groups × patterns."""
    rows = np.repeat(groups, np.diff(matches.indptr))
    cells = rows * matches.shape[1] + matches.indices
    order = np.argsort(cells, kind="stable")
    found, starts = np.unique(cells[order], return_index=True)
    best = np.maximum.reduceat(matches.data[order], starts) if len(found) else matches.data[:0]
    return csr_array((best, np.divmod(found, max(1, matches.shape[1]))), shape=(count, matches.shape[1]))


def noisy_or(best: csr_array, confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - Π over patterns of (1 - confidence · match), for each row: Snowball's confidence in a pair."""
    believed = np.minimum(best.data * confidence[best.indices], _CERTAIN)
    doubts = csr_array((np.log1p(-believed), best.indices, best.indptr), shape=best.shape)
    return np.asarray(-np.expm1(doubts.sum(1)), dtype=np.float64)
