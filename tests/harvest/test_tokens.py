"""Tokens as numbers: the same as a plain reading of the text, with offsets that slice it as it was given."""

from __future__ import annotations

import unicodedata

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.harvest.gazetteer.tokens import spell, tokenise

LETTERS = st.sampled_from(list("aAbéÉßøñ1 .-'’‘\u00a0\u00ad\u200b\u0301ﬁ…½中日あК\n\t😀"))
TEXTS = st.lists(st.text(LETTERS, max_size=20), max_size=6)


def plain_tokens(text: str) -> list[str]:
    """The tokens of a text in one spelling, letter by letter."""
    found: list[str] = []
    joined = False
    for letter in text:
        category = unicodedata.category(letter)
        is_word = category[0] in "LNM" and letter not in "中日あ"
        if letter.isspace() or category in ("Cc", "Cf"):
            joined = False
        elif is_word and joined:
            found[-1] += letter
        else:
            found.append(letter)
            joined = is_word
    return found


def shown(texts: list[str]) -> list[list[str]]:
    tokens = tokenise(texts)
    found: list[list[str]] = [[] for _ in texts]
    for text, start, stop in zip(tokens.texts, tokens.starts, tokens.stops, strict=True):
        found[text].append(texts[text][start:stop])
    return found


@given(TEXTS)
@example(["", "a", ""])
@example([])
def test_tokens_are_those_of_a_plain_reading(texts):
    tokens = tokenise(texts)
    expected = [plain_tokens(spell(text).text) for text in texts]
    assert np.bincount(tokens.texts, minlength=len(texts)).tolist() == [len(found) for found in expected]
    for found, wanted in zip(shown(texts), expected, strict=True):
        # One character may stand for several tokens (a half, an ellipsis), so that each covers all of it.
        assert all(want in spell(piece).text for piece, want in zip(found, wanted, strict=True))


@given(TEXTS)
def test_equal_tokens_have_equal_hashes_and_others_do_not(texts):
    tokens = tokenise(texts)
    words = [word for text in texts for word in plain_tokens(spell(text).text)]
    by_word: dict[str, int] = {}
    for word, number in zip(words, tokens.hashes.tolist(), strict=True):
        assert by_word.setdefault(word, number) == number
    assert len(set(by_word.values())) == len(by_word)


def test_a_token_does_not_depend_on_where_it_stands():
    alone, later = tokenise(["Kroll"]), tokenise(["x" * 1000, "Ada Kroll"])
    assert alone.hashes[0] == later.hashes[-1]


def test_offsets_slice_the_text_as_it_was_given():
    texts = ["Ada\u00adKroll’s cafe\u0301", "ﬁne … K"]
    assert shown(texts) == [["Ada\u00adKroll", "’", "s", "cafe\u0301"], ["ﬁne", "…", "…", "…", "K"]]


def test_one_spelling_serves_all():
    for ways in (["cafe\u0301", "café"], ["O’Hara", "O'Hara"], ["New\u00a0York", "New York"], ["Lun\u00adsk", "Lunsk"]):
        one, other = (tokenise([way]).hashes.tolist() for way in ways)
        assert one == other


def test_scripts_without_spaces_have_a_token_for_each_character():
    assert shown(["中国 Lunsk"]) == [["中", "国", "Lunsk"]]


def test_a_letter_with_a_hundred_thousand_marks_is_spelled_in_time_by_its_length():
    # Unicode's ordering of marks alone would take minutes, and longer with every mark.
    marked = "Ada a" + "\u0301\u0327" * 100_000
    spelled = spell(marked)
    assert spelled.text.startswith("Ada ")
    assert spelled.original(np.array([0]), np.array([len(spelled.text)])) == (0, len(marked))
