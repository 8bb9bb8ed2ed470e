"""The table of what training changed."""

import math

from protorel.evaluation import Measurement
from protorel.report import BeforeAfter
from protorel.report.sections.before_after import before_after_section


def _figure(value, margin=0.0089):
    return Measurement(value, margin, 2000)


def _section(rows, note):
    return before_after_section("the right one of 5", rows, note)


def test_a_row_says_in_words_what_was_before_and_what_is_after():
    html = before_after_section(
        "the right one of 5", [BeforeAfter("one example each", _figure(0.6064), _figure(0.7735))], "a note"
    )
    assert '<th scope="row">one example each</th><td>60.6 % <span class="margin">± 0.9</span></td><td>77.3 %' in html
    assert html.index("before training") < html.index("after</th>") < html.index("60.6")
    assert "a note" in html
    assert "the right one of 5</th>" in html


def test_nothing_is_shown_where_nothing_was_compared():
    assert _section([], "a note") == ""


def test_a_figure_that_is_missing_leaves_a_dash_and_one_draw_has_no_interval():
    html = _section([BeforeAfter("x", _figure(math.nan), _figure(0.5, math.inf))], "")
    assert '<td><span class="none">–</span></td><td>50.0 %</td>' in html


def test_words_are_never_markup():
    assert "<script" not in before_after_section(
        "the right one of 5", [BeforeAfter("<script>", _figure(0.5), _figure(0.6))], "<script>"
    )
