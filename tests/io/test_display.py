"""Nothing that stands in data reaches a terminal as an instruction."""

from __future__ import annotations

import math
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.io.display import printable, safe_text, shown

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=20)


def test_every_character_that_acts_on_a_terminal_is_escaped():
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        acts = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\t\n"
        acts |= unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        if acts:
            assert safe_text(character).isascii(), hex(number)
            assert safe_text(character).isprintable(), hex(number)


@pytest.mark.parametrize("text", ["Ada met Bo.", "naïve · 東京 – ±", "a\tb\nc", "🙂", "a\u00a0b", "\\x1b"])
def test_ordinary_text_stays_as_it_is(text):
    assert safe_text(text) == text


@given(st.text())
@example("\x1b]0;pwned\x07\u202e\u200b\x9b\ud800")
def test_safe_text_can_be_written_and_is_safe_as_it_is(text):
    assert safe_text(safe_text(text)) == safe_text(text)
    safe_text(text).encode()


def test_a_name_is_one_line_and_short():
    assert printable("a\nb\tc\x1b") == r"a\nb\tc\x1b"
    assert printable("x" * 100) == "x" * 59 + "…"


@given(values)
def test_a_value_is_shown_in_80_characters(value):
    assert len(shown(value)) <= 80
    assert "\n" not in shown(value)


def test_a_large_value_is_not_walked_to_its_end():
    assert shown([["x" * 10**6] * 10**6] * 9).startswith("[['xxx")
    assert shown("x" * 10**8).startswith("'xxx")
    assert shown(10**5000) == "a whole number of 16610 bits"
    assert shown(math.nan) == "nan"
    endless = []
    endless.append(endless)
    assert shown(endless) == "[[[[...]]]]"
