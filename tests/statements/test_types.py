from __future__ import annotations

import dataclasses

import pytest

from protorel.statements import Span, Statement, StatementError
from protorel.statements.types import MAX_TEXT, STATEMENT_FIELDS

TEXT = "Ada Kroll was born in Lunsk."
BORN = Statement(TEXT, Span(0, 9), Span(22, 27), "born_in")


def test_a_span_covers_from_its_start_up_to_but_not_its_stop():
    assert Span(0, 3).of(TEXT) == "Ada"
    assert (BORN.head_text, BORN.tail_text) == ("Ada Kroll", "Lunsk")


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [((0, 3), (3, 5), False), ((0, 3), (2, 5), True), ((0, 9), (4, 9), True), ((5, 6), (0, 2), False)],
)
def test_spans_overlap_only_when_they_share_a_character(one, other, shared):
    assert Span(*one).overlaps(Span(*other)) is shared
    assert Span(*other).overlaps(Span(*one)) is shared


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("text", {"text": ""}),
        ("text", {"text": " \n\u00a0"}),
        ("text", {"text": "x" * (MAX_TEXT + 1)}),
        ("head", {"head": Span(-1, 3)}),
        ("head", {"head": Span(0, len(TEXT) + 1)}),
        ("head", {"head": Span(3, 3)}),
        ("head", {"head": Span(5, 3)}),
        ("head", {"head": Span(3, 4)}),
        ("tail", {"tail": Span(0, 9)}),
        ("tail", {"tail": Span(27, 99)}),
        ("relation", {"relation": ""}),
        ("relation", {"relation": "  "}),
    ],
)
def test_a_statement_that_cannot_stand_says_which_field_is_wrong(field, changes):
    with pytest.raises(StatementError) as problem:
        dataclasses.replace(BORN, **changes)
    assert problem.value.field == field
    assert str(problem.value) == f"{field}: {problem.value.reason}"


def test_nested_entities_are_allowed():
    nested = Statement("University of Lunsk", Span(0, 19), Span(14, 19))
    assert nested.tail_text == "Lunsk"
    assert nested.overlapping
    with pytest.raises(StatementError, match=r"tail: head and tail overlap \('University of L.* \[0, 19\), .*; do so"):
        nested.refuse_overlap(hint="do so")
    beside = Statement("University of Lunsk", Span(0, 10), Span(14, 19))
    assert not beside.overlapping
    beside.refuse_overlap(hint="do so")


def test_a_key_depends_on_text_and_spans_and_not_on_the_label():
    assert BORN.key == dataclasses.replace(BORN, relation="died_in", id="7", expresses=False).key
    assert BORN.key != dataclasses.replace(BORN, head=Span(4, 9)).key
    assert BORN.key != dataclasses.replace(BORN, text=TEXT + "!").key
    assert BORN.key != dataclasses.replace(BORN, head=BORN.tail, tail=BORN.head).key
    assert len(BORN.key) == 16


def test_a_statement_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BORN.relation = "died_in"  # type: ignore[misc]


def test_the_field_names_are_those_of_the_design():
    expected = "text head tail relation id head_id tail_id head_type tail_type document source expresses"
    assert " ".join(STATEMENT_FIELDS) == expected
