"""Patterns in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from protorel.patterns import patterns_json, read_patterns
from protorel.patterns.contexts import Context, Slot
from protorel.patterns.wording import excerpt, worded
from protorel.statements import DataSet

HEAD_FIRST = Slot(True, None, None)


def test_a_pattern_reads_as_the_words_that_its_statements_share(towns):
    (found,) = read_patterns(lambda: towns, ["born_in"], top=5)
    assert (found.relation, found.statements, found.matched, found.found) == ("born_in", 10, 10, 1)
    (row,) = found.patterns
    assert row.pattern == "HEAD was born in TAIL long ago ."
    assert (row.confidence, row.statements, row.pairs, row.other_pairs) == (10 / 11, 10, 10, 1)
    assert [str(example) for example in row.examples] == [
        "[Ada] was born in [Lunsk] long ago.",
        "[Bo] was born in [Oster] long ago.",
    ]
    (died,) = read_patterns(lambda: towns, ["died_in"], top=5)
    assert died.patterns[0].pattern == "in TAIL died HEAD , alone ."


def test_all_relations_are_read_in_order_and_the_most_telling_patterns_only(said, towns):
    places = (("Kim", "Tarn"), ("Lee", "Mere"))
    more = [said(f"{place}, home of {name}!", name, place, "born_in") for name, place in places]
    one, both = (list(read_patterns(lambda: [*towns, *more], top=top)) for top in (1, 9))
    assert [each.relation for each in one] == ["born_in", "died_in"]
    assert [row.pattern for row in both[0].patterns] == ["HEAD was born in TAIL long ago .", "TAIL , home of HEAD !"]
    assert (one[0].found, one[0].patterns) == (2, both[0].patterns[:1])
    assert one[0].matched == one[0].statements == 12


def test_patterns_that_read_alike_are_shown_once(said, towns):
    # Two clusters, by their left sides, which no half of either's statements share a word of.
    more = [said(f"{a} {b} {c} {n} was born in {p} {c} {b}", n, p, "born_in", id=n) for a, b, c, n, p in [
        ("red", "old", "big", "Kim", "Tarn"), ("blue", "new", "tall", "Lee", "Mere"),
        ("pink", "thin", "shy", "Mia", "Oster"), ("grey", "sad", "mild", "Ned", "Kroll"),
    ]]  # fmt: skip
    (found,) = read_patterns(lambda: [*towns, *more], ["born_in"], top=9)
    wordings = [row.pattern for row in found.patterns]
    assert len(set(wordings)) == len(wordings)


def test_a_relation_without_patterns_is_told_so(said):
    (found,) = read_patterns(lambda: [said("Ada sang for Bo.", "Ada", "Bo", "sang_for")], top=3)
    assert (found.found, found.matched, found.statements, found.patterns) == (0, 0, 1, ())


@pytest.mark.parametrize(
    ("shared", "text"),
    [
        ({("left", "")}, "HEAD … TAIL …"),
        ({("middle", "born"), ("right", "")}, "… HEAD … born … TAIL"),
        ({("left", "born"), ("right", "was")}, "… HEAD … TAIL …"),
        (set(), "… HEAD … TAIL …"),
    ],
)
def test_words_that_are_not_shared_leave_one_gap(shared, text):
    context = Context(HEAD_FIRST, ("",), ("was", "newly", "born", "in"), ("",))
    assert worded(context, shared) == text


def test_the_entity_that_comes_first_is_written_first_with_its_type():
    context = Context(Slot(False, "person", "town"), ("",), ("bore",), ("",))
    assert worded(context, {("middle", "bore"), ("left", ""), ("right", "")}) == "TAIL:town bore HEAD:person"


def test_an_example_is_short_and_can_be_written_whatever_it_holds(said):
    text = "x" * 500 + " Ada" + " y" * 400 + " \ud800 Lunsk" + " z" * 500
    example = excerpt(said(text, "Ada", "Lunsk", id="\udfff"))
    assert len(str(example)) < 170
    assert str(example).encode()
    assert example.id == "\\udfff"
    assert example.first == "Ada"
    assert example.head_first


def test_an_example_of_overlapping_entities_shows_both(said):
    example = excerpt(said("the Bela Tarn house", "Bela Tarn house", "Tarn"))
    assert str(example) == "the [Bela Tarn house][Tarn]"


def test_the_file_says_what_data_and_settings_made_it(towns):
    data = DataSet.of("towns", [replace(statement, id="\ud800") for statement in towns])
    found = list(read_patterns(data.source, top=2))
    told = json.loads(json.dumps(patterns_json(found, data, top=2), allow_nan=False))
    assert told["data"]["name"] == "towns"
    assert told["data"]["fingerprint"] == data.described()["fingerprint"]
    assert (told["settings"]["confidence"], told["settings"]["top"]) == ("ratio", 2)
    first = told["relations"][0]["patterns"][0]
    assert first["examples"][0] == {"id": "\\ud800", "text": "[Ada] was born in [Lunsk] long ago."}
    assert first["confidence"] == found[0].patterns[0].confidence


@pytest.mark.parametrize(("early", "shown"), [(3, "HEAD was born in TAIL early"), (2, "HEAD was born in TAIL …")])
def test_a_word_is_shown_where_half_of_the_statements_have_it(said, early, shown):
    places = [("Kim", "Tarn"), ("Lee", "Mere"), ("Mia", "Oster"), ("Ned", "Kroll"), ("Oda", "Lunsk"), ("Pia", "Mere")]
    times = ["early"] * early + ["late", "soon", "once", "then"][: 6 - early]
    data = [
        said(f"{name} was born in {place} {time}", name, place, "born_in")
        for (name, place), time in zip(places, times, strict=True)
    ]
    (found,) = read_patterns(lambda: data, top=1)
    assert found.patterns[0].pattern == shown
