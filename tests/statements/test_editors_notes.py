"""Descriptions of Wikidata's properties without what editors tell each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import Descriptions, Relation
from protorel.statements.editors_notes import without_notes


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("who brews a drink (beer, ale, ...)", "who brews a drink (beer, ale, ...)"),
        ('who brews it. For shops, take "sold by" (P9001).', "who brews it."),
        ('who brews it; inverse of "brewer of" (Property:P9001); since 1300', "who brews it; since 1300"),
        ('who brews it. Opposite of "drinks" (P9001, see also "sips" (P9002)).', "who brews it."),
        ('who brews it [if it is sold, take "sold by" (P9001)]', "who brews it"),
        ("who brews it (and never P9001), by law", "who brews it, by law"),
        ("who brews it (monks, nuns; rarely kings). Old", "who brews it (monks, nuns; rarely kings). Old"),
        ("who brews it, e.g. P9001; monks", "monks"),
        ("who brews it. Do not use for wine. Use monks", "who brews it."),
        ("who brews it; don't use for wine", "who brews it"),
        ("who brews it. Please use P9001", "who brews it."),
        ("a rite; use of a drink in it", "a rite; use of a drink in it"),
        ("what users of a P2P net share", "what users of a P2P net share"),
        ("P9001 and nothing else", "P9001 and nothing else"),
        ("who brews it (P9001", "who brews it (P9001"),
        ("who brews it) or not. See P9001", "who brews it) or not."),
    ],
)
def test_a_clause_that_orders_or_names_another_property_is_left_out(written, said):
    assert without_notes(written) == said


@given(st.text(alphabet="ab ()[].;,P19", max_size=60))
def test_something_is_always_left_and_leaving_out_twice_changes_nothing(text):
    once = without_notes(text)
    assert bool(once) == bool(text)
    assert without_notes(once) == once
    assert len(once) <= len(text)


def test_brackets_without_end_are_read_in_one_pass():
    assert without_notes("(" * 2_000) == "(" * 2_000
    assert without_notes("a. " * 600) == ("a. " * 600).strip()


def test_notes_are_left_out_where_wikidata_wrote_and_nowhere_else():
    noted = "who brews it. Use P9001 for shops"
    texts = Descriptions.of({key: Relation(key, "brewer", noted) for key in ("P12", "brewer", "P0", "xP12")})
    assert texts.wordings(["P12"]) == [("brewer", "brewer: who brews it.")]
    assert texts.text("P12") == "brewer: who brews it."
    assert {texts.text(key) for key in ("brewer", "P0", "xP12")} == {f"brewer: {noted}"}
