"""Text from outside, made fit to be shown."""

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from protorel.report.safe_text import readable, safe, short

_ANYTHING = st.text(st.characters(exclude_categories=()))


@given(_ANYTHING)
def test_readable_text_keeps_its_length_and_can_be_encoded(text):
    assert len(readable(text)) == len(text)
    readable(text).encode("utf-8")
    assert readable(readable(text)) == readable(text)


@given(_ANYTHING, st.integers(1, 40))
def test_safe_text_is_bounded_and_reads_back_as_the_short_text(text, limit):
    assert len(short(text, limit)) <= limit
    assert not set(safe(text, limit)) & set("<>\"'")
    assert unescape(safe(text, limit)) == short(text, limit)


def test_text_of_other_scripts_stands_as_it_is():
    for text in ("آدا كرول ولدت في لونسك", "أدا\u200fKroll", "阿达·克罗尔", "naïve café 𝕊"):
        assert readable(text) == text


def test_an_override_of_the_reading_direction_is_shown_not_obeyed():
    assert readable("a\u202eb\u2066c") == "a\ufffdb\ufffdc"
    assert readable("a\x00b\tc\nd\x7f") == "a␀b c d\ufffd"
