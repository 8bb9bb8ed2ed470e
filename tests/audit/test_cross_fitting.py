"""Cross-fitted probabilities are those of scikit-learn and of cleanlab, and no label grades itself."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch
from cleanlab.rank import get_label_quality_scores
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from protorel.audit import cross_fitting
from protorel.audit.cross_fitting import PRIOR_SCALE, cross_fit, fit_logistic_prior


def no_texts(relations: int, width: int) -> np.ndarray:
    return np.zeros((relations, width), dtype=np.float32)


def probabilities(vectors: np.ndarray, labels: np.ndarray, folds: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """Return statements × relations, each row by the classifier of the other folds."""
    found = np.empty((len(labels), len(texts)))
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        weights = fit_logistic_prior(vectors[train], labels[train], torch.from_numpy(PRIOR_SCALE * texts.T))
        logits = vectors[test] @ weights[:-1].numpy() + weights[-1].numpy()
        odds = np.exp(logits - logits.max(1, keepdims=True))
        found[test] = odds / odds.sum(1, keepdims=True)
    return found


def test_without_texts_the_classifier_is_that_of_scikit_learn(clusters):
    vectors, labels = clusters(200)
    folds = np.arange(200) // 40
    found = cross_fit(vectors, labels, folds, relations=4, texts=no_texts(4, 8))
    expected = np.empty((200, 4))
    for fold in range(5):
        peer = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(vectors[folds != fold], labels[folds != fold])
        expected[folds == fold] = peer.predict_proba(vectors[folds == fold])
    np.testing.assert_allclose(found.probability, expected[np.arange(200), labels], atol=0.01)
    clear = np.sort(expected)[:, -1] - np.sort(expected)[:, -2] > 0.02
    assert (found.predicted == expected.argmax(1))[clear].all()


def test_the_probability_is_the_self_confidence_of_cleanlab(clusters):
    vectors, labels = clusters(150, 5)
    folds, texts = np.arange(150) % 3, no_texts(5, 8)
    texts[:3] = vectors[:3]
    found = cross_fit(vectors, labels, folds, relations=5, texts=texts)
    matrix = probabilities(vectors, labels, folds, texts)
    peer = get_label_quality_scores(labels, matrix, method="self_confidence")
    np.testing.assert_allclose(found.probability, peer, rtol=1e-3, atol=1e-6)


def test_the_fit_ends_at_the_minimum_of_its_objective(clusters):
    vectors, labels = clusters(90, 3)
    prior = torch.from_numpy(PRIOR_SCALE * vectors[:3].T.copy())
    found = fit_logistic_prior(vectors, labels, prior)

    def objective(weights: torch.Tensor) -> torch.Tensor:
        logits = torch.from_numpy(vectors) @ weights[:-1] + weights[-1]
        loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels), reduction="sum")
        return loss + 0.5 * (weights[:-1] - prior).square().sum() + 0.5 * 1e-3 * weights[-1].square().sum()

    weights = found.clone().requires_grad_()
    solver = torch.optim.LBFGS([weights], max_iter=500, tolerance_grad=1e-7, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        solver.zero_grad()
        loss = objective(weights)
        loss.backward()
        return loss

    solver.step(closure)
    assert float(objective(found)) == pytest.approx(float(objective(weights.detach())), rel=1e-3)


@settings(max_examples=15)
@given(place=st.integers(0, 59), label=st.integers(0, 3))
def test_a_label_never_grades_itself_or_its_fold(clusters, place, label):
    vectors, labels = clusters(60)
    folds = np.arange(60) // 12
    changed = labels.copy()
    changed[place] = label
    before, after = (cross_fit(vectors, one, folds, relations=4, texts=no_texts(4, 8)) for one in (labels, changed))
    same_fold = folds == folds[place]
    assert (before.predicted[same_fold] == after.predicted[same_fold]).all()
    others = same_fold & (np.arange(60) != place)
    np.testing.assert_array_equal(before.probability[others], after.probability[others])
    np.testing.assert_array_equal(before.margin[others], after.margin[others])
    if label == labels[place]:
        np.testing.assert_array_equal(before.probability, after.probability)
    else:
        assert not np.array_equal(before.probability[~same_fold], after.probability[~same_fold])


def test_a_relation_that_no_other_fold_has_is_read_by_its_text(clusters):
    vectors, labels = clusters(80, 4, wrong=0.0, spread=0.2)
    folds = np.where(labels == 3, 0, 1 + np.arange(80) % 2)
    texts = no_texts(4, 8)
    texts[3] = vectors[labels == 3].mean(0)
    texts[3] /= np.linalg.norm(texts[3])
    own = labels == 3
    without = cross_fit(vectors, labels, folds, relations=4, texts=no_texts(4, 8))
    with_text = cross_fit(vectors, labels, folds, relations=4, texts=texts)
    assert (without.predicted[own] != 3).all()
    assert (with_text.predicted[own] == 3).all()
    assert with_text.probability[own].mean() > 0.5 > without.probability[own].mean()


def test_the_margin_is_that_of_a_plain_loop(clusters):
    vectors, labels = clusters(40, 3)
    folds = np.arange(40) % 4
    found = cross_fit(vectors, labels, folds, relations=3, texts=no_texts(3, 8))
    for row in range(40):
        cosines = []
        for relation in range(3):
            total = vectors[(folds != folds[row]) & (labels == relation)].sum(0)
            cosines.append(float(vectors[row] @ total) / float(np.linalg.norm(total)))
        own = cosines.pop(labels[row])
        assert found.margin[row] == pytest.approx(own - max(cosines), abs=1e-5)


def test_statements_read_backwards_are_graded_by_the_same_classifier(clusters):
    vectors, labels = clusters(40, 3)
    folds, texts = np.arange(40) % 4, no_texts(3, 8)
    turned = np.roll(vectors, 1, axis=1)
    found = cross_fit(vectors, labels, folds, relations=3, texts=texts, reversed=turned)
    same = cross_fit(vectors, labels, folds, relations=3, texts=texts, reversed=vectors)
    np.testing.assert_array_equal(same.reverse_probability, found.probability)
    assert not np.array_equal(found.reverse_probability, found.probability)
    assert cross_fit(vectors, labels, folds, relations=3, texts=texts).reverse_probability is None


def test_one_fold_with_all_statements_says_nothing(clusters):
    vectors, labels = clusters(20, 4)
    found = cross_fit(vectors, labels, np.zeros(20, dtype=np.int64), relations=4, texts=no_texts(4, 8))
    np.testing.assert_allclose(found.probability, 0.25, atol=1e-6)


@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_size_of_a_block_does_not_matter(clusters, monkeypatch, block):
    vectors, labels = clusters(50)
    given = {"folds": np.arange(50) % 3, "relations": 4, "texts": no_texts(4, 8), "reversed": vectors[::-1].copy()}
    whole = cross_fit(vectors, labels, **given)
    monkeypatch.setattr(cross_fitting, "_AT_ONCE", block)
    parts = cross_fit(vectors, labels, **given)
    for name in ("probability", "margin", "reverse_probability"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-3)
    assert (parts.predicted == whole.predicted).mean() > 0.95


def test_no_matrix_of_statements_and_relations_is_held(clusters, monkeypatch):
    vectors, labels = clusters(2000, 500, wrong=0.0)
    monkeypatch.setattr(cross_fitting, "_AT_ONCE", 20)
    monkeypatch.setattr(cross_fitting, "_STEPS", 2)
    cells = []
    softmax = torch.Tensor.softmax
    monkeypatch.setattr(
        torch.Tensor, "softmax", lambda self, *given: (cells.append(self.numel()), softmax(self, *given))[1]
    )
    tracemalloc.start()
    cross_fit(vectors, labels, np.arange(2000) % 2, relations=500, texts=no_texts(500, 8))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(cells) == 20 * 500
    assert peak < 4 * 2000 * 500 / 2
