"""Figures and their intervals."""

import math

import numpy as np
import pytest

from protorel.evaluation import Measurement, measure


def test_a_measurement_prints_its_interval():
    assert str(Measurement(0.92514, 0.00213, 10_000)) == "92.51% ± 0.21% (n=10000)"


def test_the_interval_is_student_s():
    # t(0.975, 3 degrees of freedom) = 3.182446, from a printed table.
    found = measure([1.0, 2.0, 3.0, 4.0])
    assert found.value == 2.5
    assert found.margin == pytest.approx(3.182446 * math.sqrt(5 / 3) / 2, rel=1e-6)


def test_the_interval_covers_the_truth_nineteen_times_in_twenty():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        found = measure(rng.normal(3.0, 2.0, size=16))
        covered += abs(found.value - 3.0) <= found.margin
    assert 0.935 <= covered / 2000 <= 0.965


def test_one_value_has_no_interval():
    assert measure([0.5]).margin == math.inf


def test_no_value_is_refused():
    with pytest.raises(ValueError, match="expected at least one, got none"):
        measure([])
