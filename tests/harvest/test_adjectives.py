"""A language's name that describes the word behind it is no language; everywhere else it stands for itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.cli import run
from protorel.harvest.gazetteer.name_rules import adjective_in, before_a_word
from protorel.harvest.gazetteer.tokens import tokenise
from protorel.harvest.mentions.finder import MentionFinder
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.types import Document, Link
from protorel.statements import read_statements

NAMES = [
    ("Ada Kroll", "Q1", "label"),
    ("Oster", "Q2", "label"),
    ("Lunskian", "Q3", "label"),
    ("Lunskian language", "Q3", "title"),
    ("Tarnish", "Q4", "alias"),
    ("Tarnish people", "Q4", "alias"),
    ("sign language", "Q5", "label"),
    ("sign", "Q6", "label"),
    ("Mere language", "Q7", "label"),
    ("Mere", "Q7", "alias"),
    ("Mere", "Q8", "label"),
]


@pytest.fixture
def found(gazetteer_of):
    """Find what a text names besides Ada Kroll and Oster, with the rule."""

    def run(text, *links, rows=NAMES, drop_adjectives=True):
        finder = MentionFinder(gazetteer_of(rows), split=split_sentences, drop_adjectives=drop_adjectives)
        sentences = list(finder.find([Document("p", None, None, text, links)]))
        entities = [mention.entity for sentence in sentences for mention in sentence.mentions]
        return [entity for entity in entities if entity not in ("Q1", "Q2")], finder.counts

    return run


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("Lunskian poet", True),
        ("Lunskian President", True),
        ("LUNSKIAN POET", True),
        ("Tarnish singer", True),
        ("Lunskian and Tarnish", False),
        ("Lunskian", False),
        ("Lunskian, of all tongues", False),
        ("Lunskian-speaking poet", False),
        ("Lunskian language", False),
        ("sign painter", False),
        ("Mere poet", False),
    ],
)
def test_what_describes_the_word_behind_it_is_dropped_and_nothing_else_is(found, text, dropped):
    rest, counts = found(f"Ada Kroll saw Oster and {text}.")
    assert (not rest) == dropped
    assert counts["dropped: describes the word behind it"] == dropped


def test_a_name_is_an_adjective_only_of_the_entity_that_is_also_called_so_in_full(found):
    assert found("Ada Kroll saw Oster and Mere poets.")[0] == ["Q8"]


def test_without_the_rule_nothing_is_dropped_or_counted(found):
    rest, counts = found("Ada Kroll saw the Lunskian poet of Oster.", drop_adjectives=False)
    assert rest == ["Q3"]
    assert "dropped: describes the word behind it" not in counts


def test_a_link_is_believed_and_the_name_it_taught_is_looked_at_again(found):
    text = "Ada Kroll wrote Lunskian poems. Ada Kroll met a Lunskian poet in Oster. Ada Kroll spoke Lunskian."
    start = text.index("Lunskian")
    rest, counts = found(text, Link(start, start + 8, "Lunskian language"))
    assert rest == ["Q3", "Q3"]
    assert counts["dropped: describes the word behind it"] == 1


def test_a_longer_name_of_the_page_is_no_adjective(found):
    text = "Ada Kroll learned the Lunskian Tongue in Oster. Ada Kroll taught Lunskian Tongue classes in Oster."
    start = text.index("Lunskian")
    assert found(text, Link(start, start + 15, "Lunskian language"))[0] == ["Q3", "Q3"]


def test_a_dropped_adjective_still_covers_the_names_inside_it(found):
    rows = [*NAMES, ("Old Oster", "Q9", "label"), ("Old Oster people", "Q9", "alias")]
    rest, _ = found("Ada Kroll saw Lunskian, and an Old Oster poet.", rows=rows)
    assert rest == ["Q3"]


@given(st.lists(st.sampled_from(["Lunskian", "poet", "and", ",", "Oster", "-"]), max_size=6))
def test_a_run_stands_before_a_word_as_a_plain_reading_says(words):
    tokens = tokenise([" ".join(words), "poet"])
    expected = [at + 1 < len(words) and words[at + 1] not in ("and", ",", "-") for at in range(len(words))]
    assert before_a_word(tokens, np.arange(len(words)), np.ones(len(words), dtype=np.int64)).tolist() == expected


@pytest.mark.parametrize(("name", "adjective"), [("a people", "a"), (" language", None), ("language", None)])
def test_an_adjective_is_what_stands_before_language_or_people(name, adjective):
    assert adjective_in(name) == adjective


def test_the_command_leaves_adjectives_out_when_asked_to(tmp_path):
    (tmp_path / "facts.tsv").write_text("E1\tspeaks\tE2\n")
    (tmp_path / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunskian\tLunskian language\n")
    (tmp_path / "text.txt").write_text("Ada Kroll is a Lunskian poet. Ada Kroll wrote in Lunskian.")
    for option, count in (([], 2), (["--drop-adjectives"], 1)):
        out = tmp_path / f"out{count}"
        given = {"--facts": "facts.tsv", "--aliases": "names.tsv", "--text": "text.txt"}
        sources = [str(part) for name, file in given.items() for part in (name, tmp_path / file)]
        assert run(["harvest", *sources, "--out", str(out), "--workers", "1", *option]) == 0
        texts = [statement.text for statement in read_statements(out / "statements")]
        assert texts == ["Ada Kroll is a Lunskian poet.", "Ada Kroll wrote in Lunskian."][-count:]
