"""Nothing that stands in data reaches a terminal as an instruction."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.io.terminal import printable, safe_text


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
