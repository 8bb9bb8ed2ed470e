"""Text from outside, made safe to show: it cannot close a tag, change the reading direction or fill the page."""

from __future__ import annotations

import re
from html import escape

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_BLANKS = "\t\n\r\x0b\x0c\x85"
_ELLIPSIS = "…"


def readable(text: str) -> str:
    """Replace every character that a page cannot show or that has an effect, one for one.

    Offsets into the text stay valid. Line ends and tabs become spaces; control characters become their pictures;
    bidirectional overrides, which can make a sentence read as another, and halves of surrogate pairs become �.
    """
    return _UNFIT.sub(lambda found: _picture(found[0]), text)


def _picture(character: str) -> str:
    if character in _BLANKS:
        return " "
    return chr(0x2400 + ord(character)) if character < " " else "\ufffd"


def short(text: str, limit: int) -> str:
    """Return readable text of at most `limit` characters; an ellipsis replaces what was cut off."""
    text = readable(text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1].rstrip() + _ELLIPSIS


def safe(text: str, limit: int = 200) -> str:
    """Return short text, escaped for element content and quoted attributes."""
    return escape(short(text, limit), quote=True)
