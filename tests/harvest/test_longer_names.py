"""A name inside a longer capitalised name is no mention, unless the page says so by a link or its title."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

from protorel.cli import run
from protorel.harvest.mentions.finder import Mention, MentionFinder
from protorel.harvest.mentions.ner import _kept
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.types import Document, Link
from protorel.statements import read_statements

NAMES = [
    ("Ford", "Q1", "label"),
    ("Chicago", "Q2", "label"),
    ("New York", "Q3", "label"),
    ("Barack Obama", "Q4", "label"),
    ("Lunsk", "Q5", "label"),
    ("poet", "Q6", "label"),
    ("Mere", "Q7", "label"),
]


@pytest.fixture
def found(gazetteer_of, tmp_path):
    """Find the names in a text, in which Lunsk and Mere always are."""

    def run(text, *links, title=None, rows=NAMES, **settings):
        shutil.rmtree(tmp_path / "gazetteer", ignore_errors=True)
        finder = MentionFinder(gazetteer_of(rows), split=split_sentences, **settings)
        sentences = list(finder.find([Document("p", None, title, text, links)]))
        entities = [mention.entity for sentence in sentences for mention in sentence.mentions]
        return [entity for entity in entities if entity not in ("Q5", "Q7")], finder.counts

    return run


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Harrison Ford was born in Chicago", ["Q2"]),
        ("He met Harrison Ford in Chicago", ["Q2"]),
        ("He met Gerald R. Ford in Chicago", ["Q2"]),
        ("He drove a Ford in Chicago", ["Q1", "Q2"]),
        ("In Chicago", ["Q2"]),
        ("Yesterday Ford left Chicago", ["Q1", "Q2"]),
        ("The Chicago Bulls beat Ford", ["Q1"]),
        ("The New York Times", []),
        ("He lived in New York, Chicago", ["Q3", "Q2"]),
        ("President Barack Obama", ["Q4"]),
        ("Senator Barack Obama", ["Q4"]),
        ("Actor Barack Obama", ["Q4"]),
        ("He is no Michael Barack Obama", []),
        ("President Ford", []),
        ("Chicago Mayor", ["Q2"]),
        ("In June Ford left Chicago Monday", ["Q1", "Q2"]),
        ("The poet Barack Obama", ["Q6", "Q4"]),
        ("He saw Ford (Chicago)", ["Q1", "Q2"]),
    ],
)
def test_a_capitalised_neighbour_makes_a_longer_name(found, text, entities):
    assert found(f"{text} and Lunsk by the river Mere.")[0] == entities


def test_in_a_headline_capitals_tell_nothing(found):
    rows = [("Barack Obama", "Q4", "label"), ("Chicago", "Q2", "label")]
    assert found("BARACK OBAMA LEFT CHICAGO", rows=rows)[0] == ["Q4", "Q2"]


def test_it_is_counted_and_can_be_switched_off(found):
    text = "Harrison Ford was born in Lunsk near Mere."
    entities, counts = found(text)
    assert (entities, counts["dropped: part of a longer name"]) == ([], 1)
    entities, counts = found(text, parts_of_names=True)
    assert (entities, counts["dropped: part of a longer name"]) == (["Q1"], 0)


def test_a_link_says_where_a_name_ends(found):
    text = "In the end Ford Bela left Lunsk for Mere."
    start = text.index("Bela")
    assert found(text)[0] == []
    assert found(text, Link(start, start + 4, "Somebody else"))[0] == ["Q1"]


def test_a_name_that_the_page_links_is_believed_from_there_on(found, gazetteer_of):
    rows = [*NAMES, ("Ford Motor Company", "Q1", "title")]
    text = "He saw Ford in Lunsk near Mere. Then Great Ford left Lunsk for Mere."
    start = text.index("Ford")
    assert found(text, rows=rows)[0] == ["Q1"]
    assert found(text, Link(start, start + 4, "Ford Motor Company"), rows=rows)[0] == ["Q1", "Q1"]


class Recognised:
    def __init__(self, text: str, start: int, label: str) -> None:
        self.text, self.start_char, self.end_char, self.label_ = text, start, start + len(text), label


@pytest.mark.parametrize(
    ("person", "label", "origin", "kept"),
    [
        (("harrison Ford", 0), "PERSON", "name", True),
        (("Harrison Ford", 0), "PERSON", "name", False),
        (("Harrison Ford", 0), "PER", "name", False),
        (("Harrison Ford", 0), "ORG", "name", True),
        (("Harrison Ford", 0), "PERSON", "link", True),
        (("Ford", 9), "PERSON", "name", True),
        (("Ford Jr.", 9), "PERSON", "name", False),
        (("Ford's", 9), "PERSON", "name", True),
    ],
)
def test_a_name_inside_a_recognised_person_is_no_mention(person, label, origin, kept):
    counts: Counter[str] = Counter()
    mention = Mention(9, 13, "Q1", None, origin)
    found = list(_kept([mention], [Recognised(*person, label)], counts))
    assert bool(found) is kept
    assert counts["dropped: part of a recognised person"] == (not kept)


@pytest.mark.parametrize(("options", "statements"), [([], 0), (["--parts-of-names"], 1)])
def test_the_command_has_a_switch(tmp_path, options, statements):
    (tmp_path / "facts.tsv").write_text("Q1\tP159\tQ2\nQ5\tP17\tQ2\n")
    (tmp_path / "names.tsv").write_text("Q1\tFord\nQ2\tChicago\nQ5\tLunsk\n")
    (tmp_path / "text.txt").write_text("Harrison Ford was born in Chicago. They say that Lunsk is in Chicago.")
    given = ["--facts", tmp_path / "facts.tsv", "--aliases", tmp_path / "names.tsv", "--text", tmp_path / "text.txt"]
    assert run([str(part) for part in ("harvest", *given, "--workers", 1, "--out", tmp_path / "out", *options)]) == 0
    found = [s.relation for s in read_statements(tmp_path / "out" / "statements")]
    assert found.count("P159") == statements
    assert found.count("P17") == 1
