"""Relations compared by meaning, and tables of equivalents that cannot be used."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import BadInput, load_equivalents
from protorel.statements.equivalents import plain_name

SHIPPED = load_equivalents()


@pytest.fixture
def table(tmp_path):
    """Write a user's table and read it on top of ours."""

    def load(text: str):
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        return load_equivalents(tmp_path / "mine.yaml")

    return load


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("spouse", "P26"), ("birthPlace", "P19"), ("birthDate", "P569"), ("hypernym", "P31"), ("hypernym", "P279")],
)
def test_the_names_of_wikigenderbias_mean_properties_of_wikidata(name, meaning):
    assert SHIPPED.same(name, meaning)
    assert SHIPPED.same(meaning, name)


def test_a_name_that_means_either_of_two_does_not_make_those_two_the_same():
    assert not SHIPPED.same("P31", "P279")
    assert SHIPPED.same("hypernym", "hypernym")


@pytest.mark.parametrize(
    "name",
    [
        "/people/person/place_of_birth", "place of birth", "Place_Of_Birth", "per:city_of_birth", "birth_place",
        "dbo:birthPlace", "http://dbpedia.org/ontology/birthPlace", "http://www.wikidata.org/prop/direct/P19",
        "https://www.wikidata.org/wiki/Property:P19", "wdt:P19", "p19",
    ],
)  # fmt: skip
def test_one_relation_is_known_by_its_many_names(name):
    assert SHIPPED.same(name, "P19")
    assert not SHIPPED.same(name, "P20")


def test_a_relation_in_its_two_directions_is_one():
    assert SHIPPED.same("Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)")
    assert not SHIPPED.same("Cause-Effect(e1,e2)", "Cause-Agent(e1,e2)")


@pytest.mark.parametrize("name", ["NA", "no_relation", "Other", "other", "none"])
def test_a_label_for_no_relation_is_never_shared(name):
    assert not SHIPPED.same(name, name)
    assert SHIPPED.among([name], [name]) == []


def test_names_that_no_table_knows_are_the_same_when_spelled_alike():
    assert SHIPPED.same("lives_in", "livesIn")
    assert not SHIPPED.same("lives_in", "died_in")
    assert not SHIPPED.same("cluster_1_2", "cluster_12")


@given(st.text(min_size=1).filter(str.strip))
def test_every_name_has_a_plain_form_and_means_itself_or_nothing(name):
    assert plain_name(name)
    assert SHIPPED.same(name, name) == (plain_name(name) not in SHIPPED.no_relation)


@given(st.lists(st.sampled_from(["spouse", "P26", "P31", "P279", "hypernym", "NA", "met"]), max_size=5),
       st.lists(st.sampled_from(["spouse", "P26", "P31", "P279", "hypernym", "NA", "met"]), max_size=5))  # fmt: skip
def test_the_relations_among_others_are_those_that_are_the_same_as_one(relations, others):
    expected = {one for one in relations if any(SHIPPED.same(one, other) for other in others)}
    assert SHIPPED.among(relations, others) == sorted(expected)


def test_a_user_s_table_extends_ours(table):
    mine = table("means:\n  married to: P26\n  wed: married to\n  NO: P463\nno_relation: [nothing]\n")
    assert mine.same("wed", "spouse")
    assert mine.same("marriedTo", "/people/person/spouse_s")
    assert mine.same("NO", "P463")
    assert not mine.same("nothing", "nothing")
    assert mine.same("birthPlace", "P19")
    assert not mine.same("NA", "NA")
    assert mine.fingerprint != SHIPPED.fingerprint


def test_a_user_may_say_more_of_a_name_than_we_do(table):
    assert table("means: {hypernym: [P31, P279, P361]}").same("hypernym", "P361")


def test_a_user_s_single_name_needs_no_list(table):
    assert not table("no_relation: nothing").same("nothing", "nothing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("means: {a: b, b: a}", "the meanings form a cycle (a → b → a)"),
        ("means: {a: b, b: [x, c], c: a}", "form a cycle (a → b → c → a)"),
        ("means: {a: a}", "form a cycle (a → a)"),
        ("means: {P26: spouse}", "form a cycle (P26 → spouse → P26)"),
        ("means: {spouse: P19}", "'spouse' means P19 here, but P26 in the table of the package"),
        ("means: {hypernym: P31}", "'hypernym' means P31 here, but P279 in the table"),
        ("means: {a: b, a: c}", "line 1: expected each key once, got 'a' twice"),
        ("means: {livesIn: P551, lives_in: P551}", "got 'lives_in' and 'livesIn', the same name"),
        ("means: {a: [b, b]}", "means: a: expected each name once, got 'b' twice"),
        ("means: {a: NA}", "'NA' is listed under no_relation, so it cannot mean anything"),
        ("no_relation: [P26]", "'P26' is listed under no_relation"),
        ("no_relation: [spouse]", "'spouse' is listed under no_relation"),
        ("means: {Other: P5}", "'Other' is listed under no_relation"),
        ("mean: {a: b}", "unknown key 'mean'; did you mean 'means'?"),
        ("same: {a: b}", "unknown key 'same'; known are means, no_relation"),
        ("means: [a, b]", "means: expected a mapping of names to what they mean, got a list"),
        ("means: {a: {b: c}}", "means: a: expected a name or a list of names, got a mapping"),
        ("means: {a: [[b]]}", "means: a: expected a name, got a list"),
        ("means: {a: }", "means: a: expected a name, got an empty one"),
        ("means: {a: []}", "means: a: expected one meaning or more, got an empty list"),
        ("means: {' ': P26}", "means: expected a name, got an empty one"),
        ("? [a]\n: b", "line 1: expected a name as key, got a list"),
        ("no_relation: {a: b}", "no_relation: expected a name or a list of names, got a mapping"),
        ("", "expected a mapping with the keys means and no_relation, got nothing"),
        ("- a", "expected a mapping with the keys means and no_relation, got a list"),
        ("means: {a", "is not YAML that can be read"),
        ("&a [*a]", "line 1: aliases (*name) are not supported"),
        ("means: {a: &a [b], c: *a}", "line 1: aliases (*name) are not supported"),
        ("[" * 5000, "mine.yaml: is nested too deeply"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_is_refused_in_one_line_that_says_why(table, text, message):
    with pytest.raises(BadInput, match=re.escape(message)) as found:
        table(text)
    assert "mine.yaml: " in str(found.value)
    assert "\n" not in str(found.value)


def test_a_table_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"mine\.yaml: no such file"):
        load_equivalents(tmp_path / "mine.yaml")
    (tmp_path / "mine.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"mine\.yaml: cannot be read as text"):
        load_equivalents(tmp_path / "mine.yaml")


def test_of_a_long_circle_a_few_names_are_said_and_how_many_more_there_are(table):
    circle = "".join(f"  n{number:05}: n{(number + 1) % 3000:05}\n" for number in range(3000))
    with pytest.raises(BadInput) as found:
        table(f"means:\n{circle}")
    shown = "n00000 → n00001 → n00002 → n00003 → n00004 → … 2995 more … → n00000"
    assert f"the meanings form a cycle ({shown})" in str(found.value)


@pytest.mark.parametrize(
    "text", ["means: {? %s : [a, a]}", "means: {? %s : [[a]]}", "? %s\n: b", "means: {a: [%s, %s]}"]
)
def test_a_name_of_any_length_makes_a_short_message(table, text):
    with pytest.raises(BadInput) as found:
        table(text.replace("%s", "x" * 50_000))
    assert len(str(found.value)) < 500


def test_a_table_beyond_all_use_is_not_parsed(tmp_path):
    (tmp_path / "mine.yaml").write_bytes(b"#" * (2**24 + 1))
    with pytest.raises(BadInput, match=r"mine\.yaml: expected at most 16,777,216 bytes, got more"):
        load_equivalents(tmp_path / "mine.yaml")


def test_a_long_chain_of_meanings_is_followed_to_its_end(table):
    chain = "".join(f"  n{number}: n{number + 1}\n" for number in range(3000))
    assert table(f"means:\n{chain}").same("n0", "n3000")


def test_our_table_names_properties_of_wikidata_only():
    ends = {name for meant in SHIPPED.means.values() for name in meant}
    assert all(re.fullmatch(r"p[1-9]\d*", name) for name in ends)
    assert not ends & SHIPPED.means.keys()
