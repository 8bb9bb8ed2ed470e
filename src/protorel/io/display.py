"""Values and text from data in messages: short, on one line, and safe for a terminal.

Nothing in them moves the cursor, sets a title or changes the direction of writing.
"""

from __future__ import annotations

import re
from reprlib import Repr

_LONGEST = 60
_WIDEST = 80
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but the tab and the line feed
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, or of the direction
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_BREAKS = re.compile("[\t\n]")


class _Short(Repr):
    """`repr` that looks at the beginning of a value only."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 3, _WIDEST - 4, _WIDEST
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 4

    def repr_int(self, value: int, _level: int) -> str:
        # An int of thousands of digits cannot even be turned into text.
        return repr(value) if value.bit_length() <= 64 else f"a whole number of {value.bit_length()} bits"


_SHORT = _Short()


def shown(value: object) -> str:
    """Return a value as Python writes it, cut to at most 80 characters; the rest is not even looked at.

    >>> shown("x" * 10**9)[:5], len(shown("x" * 10**9)), shown([1, 2, 3, 4, 5])
    ("'xxxx", 76, '[1, 2, 3, 4, ...]')
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def kind(value: object) -> str:
    """Return what a value is, in words for a message."""
    return {"dict": "a mapping", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, type(value).__name__
    )


def safe_text(text: str) -> str:
    """Return a text in which control and invisible characters are shown escaped; tabs and line feeds stay."""
    return _UNSAFE.sub(_escaped, text)


def printable(name: str, *, longest: int = _LONGEST) -> str:
    """Return a name on one line, with control and invisible characters shown escaped, and a long one cut."""
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return _LINE_BREAKS.sub(_escaped, safe_text(short))


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode()
