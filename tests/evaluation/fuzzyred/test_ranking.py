"""Ranking true labels above false ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from protorel.evaluation.fuzzyred.ranking import average_precision, rank


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40))
def test_average_precision_is_scikit_learn_s_ties_included(rows):
    scores, truth = np.asarray([float(score) for score, _ in rows]), np.asarray([right for _, right in rows])
    if truth.any():
        assert average_precision(scores, truth) == pytest.approx(average_precision_score(truth, scores))


def test_figures_are_means_over_draws_and_never_of_averaged_draws():
    rng = np.random.default_rng(0)
    truth = {"a": np.arange(12) < 5, "b": np.arange(9) < 6}
    scores = {name: rng.normal(size=(7, len(one))) + one for name, one in truth.items()}
    found = rank(scores, truth)
    for name, one in truth.items():
        areas = [roc_auc_score(one, drawn) for drawn in scores[name]]
        precisions = [average_precision_score(one, drawn) for drawn in scores[name]]
        assert found.auroc[name] == pytest.approx(np.mean(areas))
        assert found.average_precision[name] == pytest.approx(np.mean(precisions))
        assert found.auroc[name] != pytest.approx(roc_auc_score(one, scores[name].mean(axis=0)))
    assert found.macro_auroc.value == pytest.approx(np.mean(list(found.auroc.values())))
    assert found.macro_auroc.count == found.macro_average_precision.count == 2
    assert found.macro_average_precision.value == pytest.approx(np.mean(list(found.average_precision.values())))
    assert found.true_share == pytest.approx({"a": 5 / 12, "b": 6 / 9})


def test_the_redrawn_interval_holds_the_mean_and_is_about_that_of_student():
    rng = np.random.default_rng(1)
    truth = {f"r{i}": np.arange(40) < 20 for i in range(20)}
    scores = {name: rng.normal(size=(1, 40)) + 0.5 * one for name, one in truth.items()}
    found = rank(scores, truth)
    low, high = found.auroc_redrawn
    assert low < found.macro_auroc.value < high
    assert (high - low) / 2 == pytest.approx(found.macro_auroc.margin, rel=0.2)


def test_a_relation_with_nothing_to_tell_apart_takes_no_part():
    truth = {"all": np.ones(3, dtype=bool), "none": np.zeros(3, dtype=bool), "some": np.asarray([True, False, True])}
    scores = {name: np.asarray([[1.0, 2.0, 3.0]]) for name in truth}
    assert list(rank(scores, truth).auroc) == ["some"]
    assert rank({"all": scores["all"]}, truth) is None
