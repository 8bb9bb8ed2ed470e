"""A relation's name as a made-up statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import ENGLISH, BadInput, Descriptions, Phrase, Relation, Statement

MOTHER = Relation("P25", "mother", "female parent of the subject")


def test_a_phrase_puts_a_name_between_two_marked_stand_ins():
    made_up = Phrase("{head}, whose {name} is {tail}.").of(MOTHER)
    assert made_up == Statement(
        "it, whose mother is it.", made_up.head, made_up.tail, relation="P25", id="phrase of P25"
    )
    assert (made_up.head_text, made_up.tail_text) == ("it", "it")
    assert (made_up.head.start, made_up.tail.start) == (0, 20)


@given(st.text(min_size=1, max_size=100))
def test_whatever_a_name_holds_it_forges_no_place(name):
    made_up = Phrase(ENGLISH).of(Relation("P1", name))
    assert made_up.text == f"it is the {name} of it"
    assert (made_up.tail.start, made_up.head.stop) == (0, len(made_up.text))


@pytest.mark.parametrize("name", ["{head}", "{tail} {name}", "[unused1]", "{}"])
def test_a_name_that_looks_like_a_place_is_a_name(name):
    assert Phrase(ENGLISH).of(Relation("P1", name)).text == f"it is the {name} of it"


@pytest.mark.parametrize(
    "template",
    [
        "",
        "{name}",
        "{head} {name}",
        "{head} {tail}",
        "{head} {head} {name} {tail}",
        "{head} {name} {tail} {name}",
        "{HEAD} {name} {tail}",
        "{head} {name} {tail}" + " " * 200,
    ],
)
def test_a_phrase_without_its_three_places_is_refused_with_one_that_has_them(template):
    with pytest.raises(
        BadInput, match=r"expected \{head\}, \{name\} and \{tail\}, each once, as in .*is the \{name\} of"
    ):
        Phrase(template)


@pytest.mark.parametrize("relation", [Relation("P1", "", "only described"), Relation("P1", "n" * 101)])
def test_what_has_no_name_or_a_whole_sentence_for_one_is_read_by_its_texts_alone(relation):
    assert Phrase(ENGLISH).of(relation) is None
    known = Descriptions.of({"P1": relation}).phrased(ENGLISH)
    assert all(isinstance(one, str) for one in known.wordings(["P1"])[0])


def test_a_made_up_statement_is_one_more_wording_and_changes_the_fingerprint():
    plain = Descriptions.of({"P25": MOTHER})
    phrased = plain.phrased(ENGLISH)
    assert phrased.wordings(["P25"]) == [(*plain.wordings(["P25"])[0], Phrase(ENGLISH).of(MOTHER))]
    assert phrased.fingerprint != plain.fingerprint == phrased.phrased(None).fingerprint
    assert (plain.template, phrased.template) == (None, ENGLISH)
