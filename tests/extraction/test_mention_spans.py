"""Spans in the forms that people have, and errors that name the unit of offsets."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from protorel.extraction import InputText, Mention, as_mentions
from protorel.statements import BadInput, Span

TEXT = "Zoë Kroll 🙂 met Bo Tarn, of Lunsk."


@pytest.mark.parametrize(
    "given",
    [
        (0, 9),
        [0, 9],
        Span(0, 9),
        Mention(0, 9, "Zoë Kroll"),
        {"start": 0, "stop": 9},
        {"start": 0, "end": 9, "text": "Zoë Kroll"},
        {"entity_group": "", "word": "zoë kroll", "start": 0, "end": 9, "score": 0.9},
        SimpleNamespace(start_position=0, end_position=9, text="Zoë Kroll", tag=""),
        SimpleNamespace(start_char=0, end_char=9, label_="", kb_id_="", start=0, end=2, text="Zoë Kroll"),
    ],
)
def test_a_span_is_taken_in_every_common_form(given):
    assert as_mentions([given], TEXT) == [Mention(0, 9, "Zoë Kroll")]


def test_types_and_ids_go_by_their_common_names_and_mentions_come_in_order():
    given = [(16, 23, "PERSON"), {"start": 0, "end": 9, "label": "PER", "kb_id": "Q1"}]
    assert as_mentions(given, TEXT) == [Mention(0, 9, "Zoë Kroll", "PER", "Q1"), Mention(16, 23, "Bo Tarn", "PERSON")]


@pytest.mark.parametrize(
    ("span", "unit"),
    [
        ((0, 2, "Zoë Kroll"), "got offsets in tokens"),
        ((4, 6, "Bo Tarn"), "got offsets in tokens"),
        ((4, 5, "Bo Tarn"), "got offsets in tokens"),
        ((0, 8, "Zoë Kroll"), "got a stop that is included"),
        ((20, 27, "Bo Tarn"), "got offsets in bytes of UTF-8"),
        ((17, 24, "Bo Tarn"), "got offsets in units of UTF-16"),
    ],
)
def test_offsets_in_another_unit_are_refused_by_the_name_of_the_unit(span, unit):
    start, stop, text = span
    with pytest.raises(BadInput) as raised:
        as_mentions([{"start": start, "stop": stop, "text": text}], TEXT)
    assert str(raised.value).startswith("entities[0]: expected offsets in characters, " + unit)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("Zoë", "entities: expected a list of spans, got text"),
        ({"start": 0}, "entities: expected a list of spans, got a mapping"),
        (5, "entities: expected a list of spans, got int"),
        ([5], "entities[0].start: expected a whole number, got None"),
        ([{"start": "0", "stop": 9}], "entities[0].start: expected a whole number, got '0'"),
        ([(0, True)], "entities[0].stop: expected a whole number, got True"),
        ([(0, 9), (3, 3)], "entities[1]: [3, 3) is empty"),
        ([(9, 10)], "entities[0]: [9, 10) covers white space only"),
        ([(5, 3)], "entities[0]: [5, 3) is empty"),
        ([(-3, 3)], "entities[0]: [-3, 3) lies outside the text, which has 34 characters"),
        ([(0, 99)], "entities[0]: [0, 99) lies outside the text"),
        ([(0, 9), (4, 9)], "entities[1]: 'Kroll' [4, 9) overlaps entities[0], 'Zoë Kroll' [0, 9). Keep one of them"),
        ([(0, 9), (0, 9)], "overlaps"),
        (
            [{"start": 0, "stop": 3, "text": "Bo"}],
            "expected text[0:3] to be 'Bo', got 'Zoë'. Offsets are",
        ),
        ([(0, 9, 5)], "entities[0].type: expected text, got 5"),
        ([{"start": 0, "stop": 3, "text": 5}], "entities[0].text: expected text, got 5"),
    ],
)
def test_what_is_no_span_of_the_text_is_refused_in_one_line(given, problem):
    with pytest.raises(BadInput) as raised:
        as_mentions(given, TEXT)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_spans_without_texts_that_cut_every_word_are_taken_for_tokens_in_what_a_person_gives():
    text = "Ada Kroll of Lunsk met Bela Tarn there, in Oster by the Mere, on a Monday."
    with pytest.raises(
        BadInput, match=r"expected offsets in characters, got offsets that look like tokens: 'Ad' \[0, 2\)"
    ):
        InputText.of({"text": text, "entities": [[0, 2], [5, 7]]})
    sure = [{"start": 0, "stop": 2, "text": "Ad"}, {"start": 5, "stop": 7, "text": "ro"}]
    assert len(InputText.of({"text": text, "entities": sure}).entities) == 2
    assert len(InputText.of({"text": text, "entities": [[0, 3], [4, 9]]}).entities) == 2
    assert len(InputText.of({"text": text, "entities": [[0, 2], [70, 71]]}).entities) == 2
