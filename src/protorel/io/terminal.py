"""Text from data, made safe for a terminal: the one function through which it gets there."""

from __future__ import annotations

_LONGEST = 60


def printable(name: str, *, longest: int = _LONGEST) -> str:
    """Return a name in which control characters are shown escaped, and a long one is cut."""
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode()
        for letter in short
    )
