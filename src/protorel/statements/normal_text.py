"""Text normalised for comparison: case, white space, invisible characters and Unicode spelling."""

from __future__ import annotations

import re
import unicodedata

# Soft hyphens, zero-width characters, marks of direction and byte order: invisible.
_UNSEEN = re.compile("[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")

_PIECE = 1_000
# No ASCII character combines with the one before it, so a text may be cut before one.
_PIECES = re.compile(rf".{{{_PIECE},{4 * _PIECE}}}?(?=[\x00-\x7f]|\Z)|.{{1,{4 * _PIECE}}}", re.DOTALL)


def normal(text: str) -> str:
    """Return a normal form: texts that a reader would call the same have the same form.

    White space is dropped, not collapsed: benchmarks in tokens write `Lunsk , a town`, others `Lunsk, a town`.

    >>> normal("Ada\u00a0Kroll , of LUNSK") == normal("ada kroll, of Lunsk")
    True
    """
    return composed(_UNSEEN.sub("", composed(text).casefold())) or text


def composed(text: str) -> str:
    """Return the text in Unicode's form NFKC, in linear time.

    Sorting the combining marks of a letter takes n² steps for n of them, so a long text is composed in pieces.
    """
    if text.isascii() or len(text) <= _PIECE:
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", piece[0]) for piece in _PIECES.finditer(text))


def writable(text: str, *, limit: int) -> str:
    """Return the beginning of a text, with lone surrogates escaped, since no file can hold them."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")
