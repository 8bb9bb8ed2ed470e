"""Text from outside on a printed figure."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from protorel_paper.drawing.printed_text import font_families, printed


def drawn(text):
    """Draw a text, and return what matplotlib takes it for; a warning is an error."""
    figure = Figure(figsize=(2, 1))
    canvas = FigureCanvasAgg(figure)
    written = figure.text(0.1, 0.5, text, fontfamily=list(font_families()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.draw()
    return written._preprocess_math(written.get_text())


@pytest.mark.parametrize("text", ["$x^2$ and $y$", r"\$5 and $6", "$", r"\frac{$1}{2$}", r"$\undefined{x}$"])
def test_a_dollar_sign_begins_no_formula(text):
    assert drawn(printed(text)) == (text, False)


@pytest.mark.parametrize("text", ["関係を学ぶ", "emoji 🦀 here", "\u2028line", "ﷺ", "\U000f0000", "tab\tnew\nline"])
def test_foreign_scripts_and_strange_characters_draw_without_a_warning(text):
    shown, _ = drawn(printed(text))
    assert len(shown) == len(text)


def test_what_our_font_has_stays_as_it_is():
    for text in ("Müller", "Δοκιμή", "проверка", "a → b", "été"):
        assert printed(text) == text


def test_an_underscore_at_the_beginning_does_not_hide_a_name_in_a_legend():
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], label=printed("_hidden"))
    (name,) = axes.get_legend_handles_labels()[1]
    assert name.strip() == "_hidden"


def test_a_long_name_is_cut():
    assert printed("x" * 500, 20) == "x" * 19 + "…"


@given(st.text(max_size=30))
def test_any_text_is_drawn_letter_by_letter(text):
    shown, is_formula = drawn(printed(text))
    assert not is_formula
    assert len(shown.removeprefix("\u200a")) == len(text)
