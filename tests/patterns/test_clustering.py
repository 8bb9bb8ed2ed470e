"""Single-pass clustering and matching, against slow loops over dense vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from protorel.patterns import clustering
from protorel.patterns.clustering import centroids, matched, single_pass
from protorel.patterns.context_vectors import ContextVectors
from protorel.patterns.contexts import PARTS, Context, Slot

WORDS = ["was", "born", "in", "died", "at", "near", ",", ""]


def some_contexts(seed: int, count: int = 60) -> list[Context]:
    rng = np.random.default_rng(seed)

    def words(most):
        return tuple(rng.choice(WORDS, size=rng.integers(1, most + 1)).tolist())

    return [Context(Slot(bool(rng.random() < 0.7), None, None), words(2), words(4), words(2)) for _ in range(count)]


def built(seed, count=60):
    builder = ContextVectors()
    for context in some_contexts(seed, count):
        builder.add(context)
    return builder.finish(shares=(0.2, 0.6, 0.2))


def plain_centroid(members, space):
    total = sum(members)
    for part in range(len(PARTS)):
        of_part = space.part_of == part
        length = np.sqrt((total[of_part] ** 2).sum())
        if length:
            total = np.where(of_part, total * np.sqrt(space.shares[part]) / length, total)
    return total


def plain_single_pass(rows, space, threshold, most):
    clusters, dealt = [], []
    for row in rows:
        matches = [row @ plain_centroid(members, space) for members in clusters]
        best = int(np.argmax(matches)) if matches else -1
        if best >= 0 and matches[best] >= threshold:
            clusters[best].append(row)
            dealt.append(best)
        elif len(clusters) < most:
            clusters.append([row])
            dealt.append(len(clusters) - 1)
        else:
            dealt.append(-1)
    return dealt, clusters


@settings(max_examples=25)
# Thresholds that no sum of these weights meets by chance, so that rounding decides nothing.
@given(st.integers(0, 10_000), st.sampled_from([0.41234, 0.61234, 0.81234]), st.sampled_from([1, 3, 17, 100]))
def test_one_pass_deals_contexts_as_slow_loops_do(seed, threshold, most):
    vectors, space = built(seed, 40)
    expected, clusters = plain_single_pass(vectors.toarray().astype(float), space, threshold, most)
    dealt = single_pass(vectors, space, threshold=threshold, most=most)
    assert dealt.tolist() == expected
    wanted = np.arange(0, len(clusters), 2)
    found = centroids(vectors, dealt, wanted, space).toarray()
    for row, cluster in zip(found, wanted, strict=True):
        assert row == pytest.approx(plain_centroid(clusters[cluster], space), abs=1e-5)


def test_equal_contexts_make_one_cluster_and_unlike_ones_many():
    vectors, space = built(0)
    again = csr_array(np.repeat(vectors.toarray()[:1], 5, axis=0))
    assert single_pass(again, space, threshold=0.9, most=9).tolist() == [0, 0, 0, 0, 0]
    assert len(set(single_pass(vectors, space, threshold=0.99, most=99).tolist())) > 30
    assert single_pass(csr_array(vectors[:0]), space, threshold=0.5, most=9).tolist() == []


def test_matches_below_the_threshold_are_none_and_blocks_change_nothing(monkeypatch):
    vectors, space = built(3)
    dealt = single_pass(vectors, space, threshold=0.6, most=100)
    patterns = centroids(vectors, dealt, np.arange(5), space)
    every = vectors.toarray() @ patterns.toarray().T
    expected = np.where(every >= 0.5, every, 0)
    assert 0 < (expected > 0).sum() < (every > 0).sum()
    for block in (7, 4096):
        monkeypatch.setattr(clustering, "_BLOCK", block)
        found = matched(vectors, patterns, threshold=0.5)
        assert found.shape == (60, 5)
        assert found.toarray() == pytest.approx(expected, abs=1e-6)
        assert found.nnz == (expected > 0).sum()


def test_no_cluster_makes_no_centroid_and_no_match():
    vectors, space = built(3)
    dealt = single_pass(vectors, space, threshold=0.6, most=100)
    none = centroids(vectors, dealt, np.empty(0, dtype=np.int64), space)
    assert none.shape == (0, len(space))
    assert matched(vectors, none, threshold=0.5).shape == (60, 0)
