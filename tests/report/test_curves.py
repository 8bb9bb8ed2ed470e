"""Learning curves from a journal, whatever stands in it."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.report.axes import Axis, number, rising
from protorel.report.curves import curves_section
from protorel.report.journal_series import loss_series, numbered, quantity


def _journal(steps, **terms):
    return [{"step": s, "loss": 1.0 * s, "terms": {n: f(s) for n, f in terms.items()}} for s in range(1, steps + 1)]


def test_each_loss_term_has_a_line_and_their_sum_leads():
    assert [series.name for series in loss_series(numbered(_journal(9, s2s=float, mlm=float)))] == [
        "loss",
        "s2s",
        "mlm",
    ]


def test_a_single_term_is_not_drawn_twice():
    assert [series.name for series in loss_series(numbered(_journal(9, s2s=float)))] == ["s2s"]


def test_smoothing_keeps_a_straight_line_and_its_length():
    series = quantity(numbered(_journal(200)), "loss")
    smoothed = series.smoothed()
    assert len(smoothed) == 200
    np.testing.assert_allclose(smoothed[20:-20], series.values[20:-20])
    assert series.values.min() <= smoothed.min() <= smoothed.max() <= series.values.max()


def test_smoothing_is_the_mean_over_a_window_that_the_ends_cut_short():
    journal = [{"step": s, "loss": float(v)} for s, v in enumerate(np.random.default_rng(0).normal(size=100))]
    series = quantity(numbered(journal), "loss")
    expected = [np.mean(series.values[max(row - 4, 0) : row + 5]) for row in range(100)]
    np.testing.assert_allclose(series.smoothed(), expected)


def test_a_journal_of_100_000_steps_gives_a_short_drawing():
    assert len(curves_section(_journal(100_000, a=math.sqrt, b=math.log1p))) < 60_000


_VALUES = st.one_of(st.none(), st.booleans(), st.text(max_size=3), st.integers(), st.floats(), st.just({"a": 1}))
_LINES = st.fixed_dictionaries(
    {},
    optional={
        "step": _VALUES,
        "loss": _VALUES,
        "learning_rate": _VALUES,
        "terms": st.one_of(_VALUES, st.dictionaries(st.sampled_from("ab"), _VALUES)),
    },
)


@given(st.lists(_LINES, max_size=8))
def test_no_journal_breaks_the_page(read_page, journal):
    html = curves_section(journal)
    read_page(html)
    assert "nan" not in html.replace("between", "")
    assert "inf" not in html


@given(st.floats(-1e30, 1e30), st.floats(-1e30, 1e30))
@example(0.0, 5e-324)
@example(1.0, math.nextafter(1.0, 2.0))
def test_an_axis_has_a_few_ticks_inside_its_ends(a, b):
    low, high = rising(min(a, b), max(a, b))
    axis = Axis(low, high, 0, 100)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 8
    assert all(-1 <= axis.place(tick) <= 101 for tick in ticks)


@given(st.floats(1e-12, 1e12), st.floats(31, 1e12))
def test_a_logarithmic_axis_has_a_few_ticks_inside_its_ends(low, ratio):
    axis = Axis(low, low * ratio, 0, 100, logarithmic=True)
    assert 1 <= len(axis.ticks()) <= 7
    assert all(-1e-6 <= axis.place(tick) <= 100 + 1e-6 for tick in axis.ticks())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.5, "−0.5"),
        (5e-5, "5e−5"),
        (1500.0, "1500"),
        (100_000.0, "100,000"),
        (0.30000000000000004, "0.3"),
    ],
)
def test_numbers_are_short(value, text):
    assert number(value) == text
