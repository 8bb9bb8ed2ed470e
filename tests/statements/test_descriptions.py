"""What relations mean in words, read from every form of file that people have, and files that cannot be used."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import BadInput, Descriptions, Relation, load_descriptions


@pytest.fixture
def read(tmp_path):
    def load(text: str, name: str = "words.json") -> Descriptions:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return load_descriptions(tmp_path / name)

    return load


def test_pid2name_gives_names_and_descriptions(read):
    known = read(
        json.dumps({"P19": ["place of birth", "where\n somebody  was born"], "P7": ["x", "No description defined"]})
    )
    assert known.text("P19") == "place of birth: where somebody was born"
    assert known.text("P7") == "x"
    assert known.text("P20") is None
    assert ("P19" in known, "P20" in known, len(known)) == (True, False, 2)
    assert known.name == "words.json"


def entity(key: str, language: str = "en", **more) -> dict:
    return {"id": key, "labels": {language: {"language": language, "value": f"name of {key}"}}, **more}


@pytest.mark.parametrize("form", ["one", "array", "entities", "lines", "dump"])
def test_wikidata_properties_are_read_in_every_form_of_file(read, form):
    about = {"en": {"language": "en", "value": "about it"}, "fr": {"language": "fr", "value": "non"}}
    both = [entity("P1", descriptions=about), entity("P2")]
    lines = [json.dumps(one) for one in both]
    text = {
        "one": lines[0],
        "array": json.dumps(both),
        "entities": json.dumps({"entities": {"P1": both[0], "P2": both[1]}}),
        "lines": "\n".join(lines),
        "dump": "[\n" + ",\n".join(lines) + "\n]\n",
    }[form]
    known = read(text)
    assert known.text("P1") == "name of P1: about it"
    assert known.text("P2") == (None if form == "one" else "name of P2")


def test_a_property_in_one_other_language_is_taken_and_one_in_several_without_english_is_passed_over(read):
    several = {"id": "P3", "labels": {"fr": {"value": "a"}, "de": {"value": "b"}}}
    known = read(json.dumps([entity("P1", language="fr"), several]))
    assert (known.text("P1"), known.text("P3")) == ("name of P1", None)


def test_ones_own_yaml_may_give_a_name_a_list_or_a_mapping_and_every_value_is_text(read):
    known = read(
        "born_in: born in\nNO: [no, 569]\nруководит:\n  name: leads\n  description: 'is the head of: it'\n", "mine.yaml"
    )
    assert [known.text(key) for key in ("born_in", "NO", "руководит")] == [
        "born in",
        "no: 569",
        "leads: is the head of: it",
    ]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("", "w.json", "is not valid JSON"),
        ('{"P1": ["a"', "w.json", "is not valid JSON"),
        ('{"id": "P1", "labels": {}}\n{"id"', "w.json", "line 2: is not valid JSON"),
        ("{}", "w.json", "expected one relation or more, got none"),
        ("[]", "w.json", "expected one relation or more, got none"),
        ('"x"', "w.json", "expected a mapping of relations to their names and descriptions, got text"),
        ('{"P1": 5}', "w.json", "P1: expected a name, [name, description] or {name: …, description: …}, got int"),
        ('{"P1": []}', "w.json", "description: …}, got a list"),
        ('{"P1": ["a", "b", "c"]}', "w.json", "description: …}, got a list"),
        ('{"P1": ["a", 3]}', "w.json", "P1: expected text, got int"),
        ('{"P1": {"nam": "a"}}', "w.json", "description: …}, got a mapping with nam"),
        ('{"P1": {"name": null}}', "w.json", "P1: name: expected text, got nothing"),
        ('{"P1": ""}', "w.json", "relation 'P1' has neither a name nor a description"),
        ('{" ": "a"}', "w.json", "a key: expected the id of a relation, got an empty text"),
        ('[{"id": "P1"}]', "w.json", "entry 1: expected an object with `id` and `labels`, got a mapping"),
        (json.dumps({"P1": "x" * 2001}), "w.json", "P1: expected at most 2000 characters, got 2001"),
        ("[" * 100_000, "w.json", "nested too deeply"),
        ("a: b: c", "w.yaml", "is not YAML that can be read"),
        ("a: b\na: c", "w.yaml", "line 2: expected each key once, got 'a' twice"),
        ("- a", "w.yaml", "entry 1: expected an object with `id` and `labels`, got text"),
        ("a: &a [b]\nc: *a", "w.yaml", "line 2: aliases (*name) are not supported"),
        ("[" * 100_000, "w.yaml", "w.yaml: is nested too deeply"),
        ('{"P1": %s}' % ("9" * 5000), "w.json", "holds a whole number of 5000 digits"),
        ('{"P1": NaN}', "w.json", "has NaN, which is not valid JSON"),
        ('{"P1": 1e400}', "w.json", "holds a number that is too large ('1e400')"),
        ('{"P1": "a", "P1": "b"}', "w.json", "names 'P1' twice"),
        ('{"id": "P1", "labels": {}}\n{"id": "P2", "labels": {}, "x": %s}' % ("9" * 5000), "w.json", "line 2: holds a"),
        (
            '{"id": "P1", "labels": {"en": "a"}, "descriptions": ["en"]}',
            "w.json",
            "P1: descriptions: expected a mapping of languages, got a list",
        ),
        ('{"%s": 5}' % ("x" * 50_000), "w.json", "x…: expected a name, [name, description]"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line_that_names_it(read, text, name, said):
    with pytest.raises(BadInput) as refused:
        read(text, name)
    assert said in str(refused.value)
    assert name in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_missing_file_and_one_that_is_no_text_are_named(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        load_descriptions(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read as text"):
        load_descriptions(tmp_path / "bytes.json")


def test_texts_that_are_missing_are_counted_and_the_first_is_named():
    known = Descriptions.of({"a": Relation("a", "name")}, name="mine.yaml")
    assert known.wordings(["a", "a"]) == [("name",), ("name",)]
    with pytest.raises(
        BadInput,
        match=r"mine.yaml: expected a name or a description for each relation, got none for 'b' \(and 1 more\)",
    ):
        known.wordings(["a", "b", "c"])


@given(st.dictionaries(st.text(min_size=1).filter(str.strip), st.text(min_size=1).filter(str.strip), min_size=1))
def test_the_fingerprint_follows_the_texts_and_not_their_order(names):
    relations = {key: Relation(key, name) for key, name in names.items()}
    turned = dict(reversed(relations.items()))
    assert Descriptions.of(relations).fingerprint == Descriptions.of(turned).fingerprint
    other = {**relations, "another": Relation("another", "x" + "".join(names.values()))}
    assert Descriptions.of(relations).fingerprint != Descriptions.of(other).fingerprint


def test_the_real_files_are_read_whole(real_data):
    fewrel = load_descriptions(real_data / "fewrel" / "pid2name.json")
    assert len(fewrel) == 744
    assert fewrel.text("P26") is not None
    assert len(load_descriptions(real_data / "wikidata" / "codex" / "relations.en.json")) == 71
    assert load_descriptions(real_data / "wikidata" / "wd_P279.json").text("P279").startswith("subclass of: ")


def test_a_relation_is_worded_by_its_name_and_by_both_where_it_has_both():
    known = Descriptions.of(
        {"a": Relation("a", "mother", "female parent"), "b": Relation("b", "", "who leads"), "c": Relation("c", "kin")}
    )
    assert known.wordings("cab") == [("kin",), ("mother", "mother: female parent"), ("who leads",)]
