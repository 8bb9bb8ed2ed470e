"""Rule prototypes of the paper's IND baseline: the mean of a relation's patterns, fixed before training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protorel.patterns.corpus import PatternCorpus
from protorel.patterns.settings import SnowballSettings
from protorel.patterns.snowball import RelationPatterns, find_patterns

HEAVIEST = 2.0
"""The highest weight of a statement relative to the mean of its relation; two weights multiply a logit."""


def rule_prototype(patterns: RelationPatterns, *, top: int) -> NDArray[np.float64]:
    """Return the mean of the `top` patterns that match most statements of the relation; 0 if there is none."""
    chosen = patterns.vectors[:top]
    return np.asarray(chosen.sum(0) / max(1, chosen.shape[0]), dtype=np.float64)


def similarity_to(prototype: NDArray[np.float64], contexts: csr_array) -> NDArray[np.float64]:
    """Return the cosine similarity of each context and a rule prototype.

    The norm of a context is 1 including its words without a column, so these lower the similarity.
    """
    length = float(np.linalg.norm(prototype))
    return np.asarray(contexts @ prototype, dtype=np.float64) / (length or 1.0)


def relative(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights with a mean of about 1 within a relation, at most `HEAVIEST`.

    If no statement is similar to the rules, for example because there are none, all weights are 1: IND is equation 3.
    """
    mean = similarities.mean() if len(similarities) else 0.0
    return np.minimum(similarities / mean, HEAVIEST) if mean > 0 else np.ones(len(similarities))


def rule_weights(corpus: PatternCorpus, settings: SnowballSettings, *, top: int) -> NDArray[np.float32]:
    """Return the weight of each statement of the data, in order: its similarity to its relation's rule prototype."""
    weights = np.ones(len(corpus.row_of), dtype=np.float32)
    for number, relation in enumerate(corpus.relations.ids):
        own = np.flatnonzero(corpus.label_of == number)
        prototype = rule_prototype(find_patterns(corpus, relation, settings), top=top)
        weights[own] = relative(similarity_to(prototype, csr_array(corpus.vectors[corpus.row_of[own]])))
    return weights
