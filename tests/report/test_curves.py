"""Learning curves from a journal, whatever stands in it."""

import math
import re
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.report.axes import Axis, number, rising
from protorel.report.sections.curves import curves_section
from protorel.report.sections.journal_series import loss_series, numbered, quantity


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
    assert len(curves_section({"run": _journal(100_000, a=math.sqrt, b=math.log1p)})) < 60_000


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


def _losses(*values):
    return [{"step": step, "loss": value} for step, value in enumerate(values)]


def _read(label):
    return float(label.replace(",", "").replace("−", "-"))


def _labels(html, axis):
    return re.findall(rf'<text class="{axis}"[^>]*>([^<]*)</text>', html)


@given(st.lists(_LINES, max_size=8))
@example(_losses(1.1e-238, 1.0e-36))
@example(_losses(5e-324, 1e-323))
@example(_losses(5e-324, 9e29))
@example(_losses(0.0, 5e-324))
@example(_losses(0.0, 1e-36))
@example(_losses(-1e29, 1e29))
@example(_losses(-9e29, 1e-36, 0.0, math.inf, math.nan))
@example(_losses(1e8, 1e8 + 1))
@example([{"step": 0.0, "loss": 1.0}, {"step": 5e-324, "loss": 2.0}])
@example([{"step": 1.1e-238, "loss": 1.0}, {"step": 1.0e-36, "loss": 2.0}])
def test_no_journal_breaks_the_page(read_page, journal):
    html = curves_section({"run": journal})
    read_page(html)
    assert "nan" not in html.replace("between", "")
    assert "inf" not in html
    for axis in "xy":
        labels = _labels(html, axis)
        assert len(set(labels)) == len(labels)
        assert len(labels) <= 9


@pytest.mark.parametrize(
    ("losses", "labels"),
    [
        ((1.1e-238, 1.0e-36), ["1e−200", "1e−150", "1e−100", "1e−50"]),
        ((0.0, 1.0e-36), ["0", "2e−37", "4e−37", "6e−37", "8e−37", "1e−36"]),
        ((0.0, 0.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ((1e8, 1e8 + 1), ["100,000,000", "100,000,000.5", "100,000,001"]),
        ((math.nan, 3.0, math.inf, 1e300, 1.0), ["0", "1", "2", "3"]),
    ],
)
def test_the_axis_begins_where_the_losses_do(losses, labels):
    assert _labels(curves_section({"run": _losses(*losses)}), "y")[: len(labels)] == labels


def test_a_single_huge_loss_leaves_the_mean_of_the_others_as_it_is():
    values = np.ones(300)
    values[20] = 1e20
    smoothed = loss_series(numbered(_losses(*values.tolist())))[0].smoothed()
    np.testing.assert_allclose(smoothed[40:], 1.0)


def test_labels_with_many_letters_have_room_next_to_the_title():
    (text,) = set(re.findall(r'<text class="y" x="([^"]*)"', curves_section({"run": _losses(1e8, 1e8 + 1)})))
    title, letter = 16, 6.5
    assert float(text) > title + letter * len("100,000,000.5")


@given(st.floats(-1e30, 1e30), st.floats(-1e30, 1e30))
@example(1e8, 1e8 + 1)
@example(1.0986, 1.0986001)
@example(0.0, 5e-324)
@example(1.0, math.nextafter(1.0, 2.0))
def test_an_axis_has_a_few_ticks_inside_its_ends(a, b):
    low, high = rising(min(a, b), max(a, b))
    axis = Axis(low, high, 0, 100)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 8
    assert all(-1 <= axis.place(tick) <= 101 for tick in ticks)
    assert all(
        axis.place(_read(text)) == pytest.approx(axis.place(tick), abs=1) for tick, text in axis.labelled_ticks()
    )


@given(st.floats(5e-324, 1e308), st.floats(31, 1e300))
@example(1.1e-238, 1.0e202)
@example(5e-324, 1e300)
def test_a_logarithmic_axis_has_a_few_ticks_inside_its_ends(low, ratio):
    axis = Axis(low, min(low * ratio, sys.float_info.max), 0, 100, logarithmic=True)
    assert 1 <= len(axis.ticks()) <= 7
    assert all(-1e-6 <= axis.place(tick) <= 100 + 1e-6 for tick in axis.ticks())
    assert all(_read(text) == pytest.approx(tick, rel=1e-9, abs=0) for tick, text in axis.labelled_ticks())


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


def test_runs_have_their_curves_next_to_each_other_and_one_without_a_journal_is_named(read_page):
    html = curves_section({"first": _losses(3.0, 2.0), "second": _losses(4.0, 1.0), "bare": []})
    read_page(html)
    assert html.count('role="img" aria-label="Loss over') == 2
    assert "<bdi>bare</bdi> has no journal" in html
    clips = re.findall(r'<clipPath id="([^"]*)"', html)
    assert len(set(clips)) == 2
    assert all(f"url(#{clip})" in html for clip in clips)
