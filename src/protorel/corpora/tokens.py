"""Tokenised sentences: tokens joined by one space, and token spans as character spans."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from protorel.statements import Span, StatementError


class JoinedTokens:
    """Tokens joined by one space each; white space inside a token is kept.

    >>> joined = JoinedTokens(["Ada", "Kroll", "was", "born"])
    >>> joined.text, joined.span(0, 2, "head")
    ('Ada Kroll was born', Span(start=0, stop=9))
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.text = " ".join(tokens)
        self._starts = [0, *accumulate(len(token) + 1 for token in tokens)]

    def span(self, start: int, stop: int, field: str) -> Span:
        """Return the character span of the tokens [start, stop), or raise `StatementError` for `field`."""
        count = len(self._starts) - 1
        if start < 0 or stop > count:
            raise StatementError(field, f"tokens [{start}, {stop}) lie outside the sentence, which has {count} tokens")
        if start >= stop:
            raise StatementError(field, f"tokens [{start}, {stop}) are empty")
        return Span(self._starts[start], self._starts[stop] - 1)

    def span_of(self, positions: Sequence[int], field: str) -> Span:
        """Return the character span of consecutive tokens, given one by one, or raise `StatementError` for `field`."""
        if not positions:
            raise StatementError(field, "expected one position or more, got none")
        first, stop = positions[0], positions[-1] + 1
        span = self.span(first, stop, field) if first < stop else None
        if span is None or list(positions) != list(range(first, stop)):
            raise StatementError(field, f"positions {str(list(positions[:20]))[:80]} do not follow each other")
        return span
