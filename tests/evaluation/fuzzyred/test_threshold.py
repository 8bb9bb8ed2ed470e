"""Thresholds that never saw the labels they are judged by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.fuzzyred.threshold import best_threshold, leave_one_out


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
