"""Ranking true labels above false ones, and thresholds that never saw the labels they are evaluated by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from protorel.evaluation.fuzzyred.score_quality import average_precision, best_threshold, leave_one_out, rank


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


def accuracy(scores, truth, threshold, balanced):
    accepted = [score > threshold for score in scores]
    kept = [took for took, right in zip(accepted, truth, strict=True) if right]
    refused = [not took for took, right in zip(accepted, truth, strict=True) if not right]
    if balanced:
        return (sum(kept) / max(len(kept), 1) + sum(refused) / max(len(refused), 1)) / 2
    return (sum(kept) + sum(refused)) / len(truth)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=25), st.booleans())
def test_no_other_threshold_does_better(rows, balanced):
    scores, truth = np.asarray([float(score) for score, _ in rows]), np.asarray([right for _, right in rows])
    found = best_threshold(scores, truth, balanced=balanced)
    best = max(accuracy(scores, truth, tried, balanced) for tried in np.arange(-0.5, 6))
    assert accuracy(scores, truth, found, balanced) == pytest.approx(best)
    assert found not in scores


def made(seed=0):
    rng = np.random.default_rng(seed)
    truth = {name: rng.random(14) < share for name, share in (("a", 0.3), ("b", 0.5), ("c", 0.7))}
    return {name: rng.normal(size=(4, 14)) + one for name, one in truth.items()}, truth


@pytest.mark.parametrize("balanced", [False, True])
def test_a_relation_is_judged_by_what_suits_the_others_best(balanced):
    scores, truth = made()
    found = leave_one_out(scores, truth, balanced=balanced)
    expected, halves = {}, []
    for name in scores:
        shares, both = [], []
        for draw in range(4):
            others = [other for other in scores if other != name]
            theirs = np.concatenate([scores[other][draw] for other in others])
            threshold = best_threshold(theirs, np.concatenate([truth[o] for o in others]), balanced=balanced)
            shares.append(accuracy(scores[name][draw], truth[name], threshold, balanced=False))
            both.append(accuracy(scores[name][draw], truth[name], threshold, balanced=True))
        expected[name] = np.mean(shares)
        halves.append(np.mean(both))
    assert found.per_relation == pytest.approx(expected)
    assert found.accuracy.value == pytest.approx(np.mean(list(expected.values())))
    assert found.balanced_accuracy.value == pytest.approx(np.mean(halves))


def test_a_relation_s_own_labels_do_not_move_its_threshold():
    scores, truth = made()
    before = leave_one_out(scores, truth).per_relation["b"]
    after = leave_one_out(scores, truth | {"b": ~truth["b"]}).per_relation["b"]
    assert after == pytest.approx(1 - before)


def test_one_relation_has_no_others_and_one_answer_no_balance():
    scores, truth = made()
    assert leave_one_out({"a": scores["a"]}, truth) is None
    same = {name: np.ones(14, dtype=bool) for name in truth}
    found = leave_one_out(scores, same)
    assert found.accuracy.value == 1.0
    assert found.balanced_accuracy is None
