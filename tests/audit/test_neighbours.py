"""The agreement of neighbours is that of a plain loop, and a repeated sentence is no neighbour."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.audit import neighbours as module
from protorel.audit.neighbours import SHARPNESS, neighbour_agreement


def plain_loop(vectors, labels, sentences, neighbours: int) -> list[float]:
    found = []
    for row, vector in enumerate(vectors):
        near = []
        for other, compared in enumerate(vectors):
            if sentences[other] != sentences[row]:
                cosine = float(vector @ compared) / float(np.linalg.norm(vector) * np.linalg.norm(compared))
                near.append((cosine, labels[other] == labels[row]))
        near = sorted(near, key=lambda one: -one[0])[:neighbours]
        total = math.fsum(math.exp(SHARPNESS * cosine) for cosine, _ in near)
        agree = math.fsum(math.exp(SHARPNESS * cosine) for cosine, same in near if same)
        found.append(agree / total if near else 0.5)
    return found


@settings(max_examples=25)
@given(count=st.integers(2, 40), sentences=st.integers(1, 30), neighbours=st.integers(1, 25), seed=st.integers(0, 999))
def test_the_agreement_is_that_of_a_plain_loop(count, sentences, neighbours, seed):
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(count, 6)).astype(np.float32)
    labels, said = chance.integers(3, size=count), chance.integers(sentences, size=count)
    found = neighbour_agreement(vectors, labels, said, neighbours=neighbours)
    np.testing.assert_allclose(found, plain_loop(vectors, labels, said, neighbours), atol=1e-4)


def test_a_statement_with_the_same_sentence_is_never_a_neighbour(clusters):
    vectors, labels = clusters(30, 3)
    copied = np.concatenate([vectors, vectors])
    both = np.concatenate([labels, (labels + 1) % 3])
    said = np.concatenate([np.arange(30), np.arange(30)])
    found = neighbour_agreement(copied, both, said, neighbours=2)
    assert found.tolist() == pytest.approx(plain_loop(copied, both, said, 2), abs=1e-4)
    alone = neighbour_agreement(vectors, labels, np.zeros(30, dtype=np.int64), neighbours=5)
    assert alone.tolist() == [0.5] * 30


@pytest.mark.parametrize("cells", [1, 100, 333])
def test_the_size_of_a_block_does_not_matter(clusters, monkeypatch, cells):
    vectors, labels = clusters(50)
    whole = neighbour_agreement(vectors, labels, np.arange(50) // 2, neighbours=7)
    monkeypatch.setattr(module, "_CELLS", cells)
    parts = neighbour_agreement(vectors, labels, np.arange(50) // 2, neighbours=7)
    np.testing.assert_allclose(parts, whole, atol=1e-5)


def test_one_statement_has_no_neighbours():
    assert neighbour_agreement(
        np.ones((1, 3), dtype=np.float32), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), neighbours=5
    ).tolist() == [0.5]
