"""Text stripped of what does not change it: case, spacing, invisible characters, and how Unicode spells it."""

from __future__ import annotations

import re
import unicodedata

# Soft hyphens, zero-width characters, marks of direction and byte order: nobody sees them.
_UNSEEN = re.compile("[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")


def normal(text: str) -> str:
    """Return a form that is equal for texts a reader would call the same.

    White space is dropped, not squeezed: benchmarks that come in tokens write `Lunsk , a town`, others `Lunsk, a town`.

    >>> normal("Ada\u00a0Kroll , of LUNSK") == normal("ada kroll, of Lunsk")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", folded)) or text


def writable(text: str, *, limit: int) -> str:
    """Return the beginning of a text; halves of characters, which no file can hold, are shown escaped."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")
