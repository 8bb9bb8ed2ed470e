"""Temperature and expected calibration error, against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.open_set.confidence import answer_probability, calibration_error, fit_temperature


def _questions(temperature=0.2, count=4000, way=4, seed=0):
    """Scores, and answers that are right just as often as the softmax at a temperature says."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(count, way)) * 0.3
    return scores, rng.random(count) < answer_probability(scores, temperature)


def test_the_probability_is_the_softmax_of_the_best_way():
    scores = np.asarray([[0.1, 0.9, -0.3], [5.0, 5.0, 5.0]])
    for row, found in zip(scores, answer_probability(scores, 0.5), strict=True):
        powers = [math.exp(score / 0.5) for score in row]
        assert found == pytest.approx(max(powers) / sum(powers))


def test_large_scores_do_not_overflow():
    assert answer_probability(np.asarray([[-9e4, 9e4]], dtype=np.float32), 0.01).tolist() == [1.0]


@pytest.mark.parametrize("temperature", [0.05, 0.2, 1.0])
def test_the_temperature_that_made_the_answers_is_found_again(temperature):
    scores, right = _questions(temperature)
    assert fit_temperature(scores, right) == pytest.approx(temperature, rel=0.15)


def test_no_temperature_of_a_fine_grid_is_likelier():
    scores, right = _questions(count=300)

    def loss(temperature):
        total = 0.0
        for row, hit in zip(scores, right, strict=True):
            powers = [math.exp((score - max(row)) / temperature) for score in row]
            total -= math.log(1 / sum(powers) if hit else 1 - 1 / sum(powers))
        return total

    best = loss(fit_temperature(scores, right))
    assert all(best <= loss(temperature) + 1e-6 for temperature in np.geomspace(0.02, 2, 60))


def test_scores_in_other_units_have_a_temperature_in_those_units():
    scores, right = _questions()
    assert fit_temperature(1000 * scores, right) == pytest.approx(1000 * fit_temperature(scores, right), rel=1e-3)


@pytest.mark.parametrize("right", [np.ones(5, dtype=bool), np.zeros(5, dtype=bool)])
def test_answers_that_are_all_right_or_all_wrong_have_a_finite_temperature(right):
    scores = np.random.default_rng(0).normal(size=(5, 3))
    assert 0 < fit_temperature(scores, right) < math.inf
    assert fit_temperature(np.zeros((5, 3)), right) == 1.0


@given(answers=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40), bins=st.integers(1, 20))
def test_the_error_is_what_a_plain_loop_over_bins_says(answers, bins):
    total = 0.0
    for number in range(bins):
        held = [(sure, hit) for sure, hit in answers if min(int(sure * bins), bins - 1) == number]
        if held:
            accuracy = sum(hit for _, hit in held) / len(held)
            confidence = sum(sure for sure, _ in held) / len(held)
            total += len(held) / len(answers) * abs(accuracy - confidence)
    sure, right = (np.asarray(column) for column in zip(*answers, strict=True))
    assert calibration_error(sure, right, bins=bins) == pytest.approx(total, abs=1e-9)


def test_a_confidence_that_is_the_share_of_right_answers_has_hardly_an_error_and_a_bold_one_has():
    scores, right = _questions()
    assert calibration_error(answer_probability(scores, 0.2), right) < 0.03
    assert calibration_error(np.ones(len(right)), right) == pytest.approx(1 - right.mean())
