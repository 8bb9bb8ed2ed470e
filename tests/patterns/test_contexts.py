from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.patterns.contexts import EDGE, NUMBER, Slot, context_of, terms_of
from protorel.statements import Span, Statement


def test_the_words_around_and_between_two_entities_are_kept(said):
    found = context_of(
        said("In 1921 the poet Ada Kroll was born in Lunsk, a town by the sea.", "Ada Kroll", "Lunsk"),
        window=3, longest_middle=20,
    )  # fmt: skip
    assert found.left == (NUMBER, "the", "poet")
    assert found.middle == ("was", "born", "in")
    assert found.right == (",", "a", "town")
    assert found.slot == Slot(head_first=True, head_type=None, tail_type=None)


def test_order_and_types_make_the_slot(said):
    found = context_of(
        said("Lunsk bore Ada.", "Ada", "Lunsk", head_type="person", tail_type="town"), window=2, longest_middle=9
    )
    assert found.slot == Slot(head_first=False, head_type="person", tail_type="town")
    assert (found.left, found.middle, found.right) == ((EDGE,), ("bore",), (".", EDGE))


def test_where_a_text_begins_ends_or_has_nothing_between_is_told(said):
    found = context_of(said("Ada Lunsk", "Ada", "Lunsk"), window=3, longest_middle=20)
    assert (found.left, found.middle, found.right) == ((EDGE,), (EDGE,), (EDGE,))


def test_entities_that_overlap_have_nothing_between_them_and_no_name_beside_them(said):
    found = context_of(said("the Bela Tarn house stands", "Bela Tarn house", "Tarn"), window=3, longest_middle=20)
    assert (found.left, found.middle, found.right) == ((EDGE, "the"), (EDGE,), ("stands", EDGE))


def test_of_a_long_middle_the_ends_are_kept(said):
    words = [f"w{'abcdefghij'[i]}" for i in range(10)]
    statement = said(f"Ada {' '.join(words)} Lunsk", "Ada", "Lunsk")
    assert context_of(statement, window=3, longest_middle=5).middle == ("wa", "wb", "wc", "wi", "wj")
    assert context_of(statement, window=3, longest_middle=10).middle == tuple(words)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Born: 7 May 1921", ["born", ":", "#", "may", "#"]),
        ("Łódź's mayor", ["łódź", "'", "s", "mayor"]),
        ("生于北京 in 1990", ["生", "于", "北", "京", "in", "#"]),
        ("१९२१ में", ["#", "म", "ें"]),
        ("  \t\n", []),
    ],
)
def test_a_text_is_cut_into_terms(text, terms):
    if text.startswith("१"):
        assert terms_of(text)[0] == NUMBER
    else:
        assert terms_of(text) == terms


@given(st.text(min_size=5, max_size=60).filter(lambda text: text[0].strip() and text[4].strip()))
def test_any_text_has_a_context_of_bounded_size(text):
    found = context_of(Statement(text, Span(0, 1), Span(4, 5)), window=2, longest_middle=3)
    assert 1 <= len(found.left) <= 2
    assert 1 <= len(found.middle) <= 3
    assert 1 <= len(found.right) <= 2
