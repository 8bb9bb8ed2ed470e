from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from protorel.patterns.snowball import best_by_group, confidence_of, noisy_or

POSITIVE, NEGATIVE = np.array([8, 1, 0, 2, 0]), np.array([2, 0, 5, 2, 0])


def test_the_confidence_of_a_pattern_is_the_share_of_true_pairs():
    assert confidence_of(POSITIVE, NEGATIVE).tolist() == [0.8, 1.0, 0.0, 0.5, 0.0]


def random_matches(seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((30, 6)) < 0.3, rng.random((30, 6)), 0.0), rng.integers(0, 9, size=30)


def test_the_best_match_of_a_pair_is_over_all_its_statements():
    dense, pairs = random_matches()
    expected = np.zeros((10, 6))
    for row, pair in enumerate(pairs):
        for pattern in range(6):
            expected[pair, pattern] = max(expected[pair, pattern], dense[row, pattern])
    assert (best_by_group(csr_array(dense), pairs, 10).toarray() == expected).all()
    assert best_by_group(csr_array(np.zeros((30, 6))), pairs, 10).nnz == 0
    assert best_by_group(csr_array((30, 0)), pairs, 10).shape == (10, 0)


def test_a_pair_is_believed_by_all_its_patterns_together():
    dense, _ = random_matches(1)
    confidence = np.array([0.1, 0.9, 1.0, 0.0, 0.5, 0.3])
    expected = [1 - math.prod(1 - c * m for c, m in zip(confidence, row, strict=True)) for row in dense]
    assert noisy_or(csr_array(dense), confidence) == pytest.approx(np.array(expected))


def test_a_perfect_match_of_a_certain_pattern_is_certain_and_nothing_is_nothing():
    found = noisy_or(csr_array(np.array([[1.0, 1.0], [0.0, 0.0]])), np.ones(2))
    assert found.tolist() == pytest.approx([1.0, 0.0])
