"""Methods that fit a classifier in every episode: against scikit-learn, and against plain loops."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from protorel.evaluation import few_shot_accuracy
from protorel.fewshot import vector_method
from protorel.fewshot.linear_probe import logistic_scores
from protorel.fewshot.tuned_head import tuned_head
from protorel.geometry import cosine, dot

FITTED_METHODS = ("linear_probe", "tuned_head")


def _vectors(way, shot, queries, width=6, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(way, shot, width, generator=generator, dtype=torch.float64),
        torch.randn(queries, width, generator=generator, dtype=torch.float64),
    )


def _unit(vectors):
    return vectors / vectors.norm(dim=-1, keepdim=True)


@pytest.mark.parametrize(("way", "shot", "width"), [(5, 1, 40), (5, 5, 40), (3, 4, 5)])
@pytest.mark.parametrize(("strength", "unit"), [(0.1, True), (10.0, True), (0.1, False), (1.0, False)])
@pytest.mark.parametrize("counted", [False, True])
def test_a_linear_probe_gives_the_probabilities_of_scikit_learn(way, shot, width, strength, unit, counted):
    support, query = _vectors(way, shot, 7, width)
    counts = torch.tensor([1.0, 2.0, 0.3, 1.0, 5.0][:shot]) if counted else None
    found = logistic_scores(support, query, unit=unit, counts=counts, strength=strength).softmax(-1)
    if unit:
        support, query = _unit(support), _unit(query)
    peer = LogisticRegression(C=strength, tol=1e-10, max_iter=10_000)
    weights = np.tile(counts.numpy(), way) if counts is not None else None
    peer.fit(support.flatten(0, 1).numpy(), np.repeat(np.arange(way), shot), sample_weight=weights)
    np.testing.assert_allclose(found.numpy(), peer.predict_proba(query.numpy()), atol=5e-5)


def test_with_two_ways_the_two_vectors_are_each_others_opposites():
    support, query = _vectors(2, 3, 7)
    found = logistic_scores(support, query, unit=False, strength=0.5).softmax(-1)
    # One vector v for both ways is w = v/2 and -v/2 of ours: ½|w|² + ½|w|² = ¼|v|², so half the penalty.
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    peer.fit(support.flatten(0, 1).numpy(), np.repeat(np.arange(2), 3))
    np.testing.assert_allclose(found.numpy(), peer.predict_proba(query.numpy()), atol=5e-5)


@pytest.mark.parametrize("unit", [True, False])
def test_a_tuned_head_takes_its_steps_as_written_in_loops(unit):
    support, query = _vectors(3, 2, 4)
    scores = tuned_head(support, query, similarity=cosine if unit else dot, steps=5, rate=0.7)
    if unit:
        support, query = _unit(support), _unit(query)
    examples = [(support[way, shot].tolist(), way) for way in range(3) for shot in range(2)]
    layer = [[0.0] * 6 for _ in range(3)]
    for _ in range(5):
        gradient = [[0.0] * 6 for _ in range(3)]
        for vector, own in examples:
            logits = [sum(w * x for w, x in zip(row, vector, strict=True)) for row in layer]
            total = sum(math.exp(logit) for logit in logits)
            for way in range(3):
                wrong = math.exp(logits[way]) / total - (way == own)
                for k in range(6):
                    gradient[way][k] += wrong * vector[k] / len(examples)
        layer = [[w - 0.7 * g for w, g in zip(*rows, strict=True)] for rows in zip(layer, gradient, strict=True)]
    for asked, found in zip(query.tolist(), scores.tolist(), strict=True):
        assert found == pytest.approx([sum(w * x for w, x in zip(row, asked, strict=True)) for row in layer])


@pytest.mark.parametrize("name", FITTED_METHODS)
def test_many_episodes_at_once_score_like_each_alone(name):
    method = vector_method(name)
    support, query = zip(*[_vectors(3, 2, 3, seed=seed) for seed in range(4)], strict=True)
    together = method(torch.stack(support).reshape(2, 2, 3, 2, 6), torch.stack(query).reshape(2, 2, 3, 6))
    for i in range(4):
        alone = method(support[i], query[i])
        torch.testing.assert_close(together[i // 2, i % 2].softmax(-1), alone.softmax(-1), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", FITTED_METHODS)
def test_lengths_count_unless_vectors_are_compared_by_the_cosine(name):
    support, query = _vectors(3, 2, 4)
    longer = support * torch.tensor([0.5, 2.0], dtype=torch.float64)[:, None]
    by_cosine, by_dot = vector_method(name, "cosine"), vector_method(name, "dot")
    torch.testing.assert_close(by_cosine(longer, query * 0.1), by_cosine(support, query), rtol=1e-3, atol=1e-3)
    assert not torch.allclose(by_dot(longer, query), by_dot(support, query), atol=1e-2)


@pytest.mark.parametrize("name", FITTED_METHODS)
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_ways_in_another_order_are_scored_alike_in_that_order(name, seed):
    support, query = _vectors(4, 2, 3, seed=seed)
    order = torch.randperm(4, generator=torch.Generator().manual_seed(seed))
    method = vector_method(name)
    torch.testing.assert_close(method(support[order], query), method(support, query)[:, order], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", FITTED_METHODS)
def test_equal_examples_tell_nothing_and_tight_clusters_all(name):
    method = vector_method(name)
    same = torch.ones(4, 2, 6, dtype=torch.float64)
    torch.testing.assert_close(method(same, _vectors(4, 2, 3)[1]).softmax(-1), torch.full((3, 4), 0.25).double())
    centres = torch.randn(6, 1, 8, generator=torch.Generator().manual_seed(0))
    vectors = (centres + 1e-3 * torch.randn(6, 8, 8, generator=torch.Generator().manual_seed(1))).flatten(0, 1)
    labels = [f"r{i}" for i in range(6) for _ in range(8)]
    assert few_shot_accuracy(vectors, labels, way=5, shot=2, episodes=40, method=name).accuracy.value == 1.0
