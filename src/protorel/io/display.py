"""Values and text from data, for messages: short, on one line, and safe for a terminal.

No control sequence gets through: nothing moves the cursor, sets a title or changes the writing direction.
"""

from __future__ import annotations

import re
from reprlib import Repr

_LONGEST = 60
_WIDEST = 80
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters except tab and line feed
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, or setting the direction
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_BREAKS = re.compile("[\t\n]")


class _Short(Repr):
    """`repr` of the beginning of a value."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 3, _WIDEST - 4, _WIDEST
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 4

    def repr_int(self, value: int, _level: int) -> str:
        # Python refuses to convert an int of thousands of digits to text.
        return repr(value) if value.bit_length() <= 64 else f"a whole number of {value.bit_length()} bits"


_SHORT = _Short()


def shown(value: object) -> str:
    """Return the `repr` of a value, cut to at most 80 characters, without visiting the rest of it.

    >>> shown("x" * 10**9)[:5], len(shown("x" * 10**9)), shown([1, 2, 3, 4, 5])
    ("'xxxx", 76, '[1, 2, 3, 4, ...]')
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def kind(value: object) -> str:
    """Return the type of a parsed value in words, for a message."""
    return {"dict": "a mapping", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, type(value).__name__
    )


def short_value(value: object) -> str:
    """Return a plain value as `shown` does, and any other object by its type.

    >>> short_value(3), short_value(object())
    ('3', 'an object of type object')
    """
    plain = value is None or isinstance(value, bool | int | float | str | bytes | list | tuple)
    return shown(value) if plain else f"an object of type {type(value).__name__}"


def safe_text(text: str) -> str:
    """Return a text with control and invisible characters escaped; tabs and line feeds stay."""
    return _UNSAFE.sub(_escaped, text)


def printable(name: str, *, longest: int = _LONGEST) -> str:
    """Return a name on one line, cut to `longest`, with control and invisible characters escaped."""
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return _LINE_BREAKS.sub(_escaped, safe_text(short))


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode()
