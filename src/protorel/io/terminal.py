"""Text from data, made safe for a terminal: nothing in it moves the cursor, sets a title or turns the writing round."""

from __future__ import annotations

import re

_LONGEST = 60
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but the tab and the line feed
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, or of the direction
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_BREAKS = re.compile("[\t\n]")


def safe_text(text: str) -> str:
    """Return a text in which control and invisible characters are shown escaped; tabs and line feeds stay."""
    return _UNSAFE.sub(_escaped, text)


def printable(name: str, *, longest: int = _LONGEST) -> str:
    """Return a name on one line, with control and invisible characters shown escaped, and a long one cut."""
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return _LINE_BREAKS.sub(_escaped, safe_text(short))


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode()
