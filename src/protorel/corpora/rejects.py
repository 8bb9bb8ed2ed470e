"""What a reader did not take, and why: no row of a foreign file is lost in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from protorel.statements import Statement

MAX_CONTENT = 500
"""The longest excerpt of a rejected row, in characters."""
_MAX_FIELD = 100
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Reject:
    """One row that is not a statement: where it stands, which field of it is wrong, and why."""

    file: str
    """The file's name, not its path: a rejects file tells nothing about somebody's machine."""
    line: int | None
    """Counted from 1; none where the format has no lines, and then `field` is a path such as `P931[12].h`."""
    field: str
    reason: str
    content: str
    """The beginning of the row as it stood."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", excerpt(self.file, _MAX_FIELD))
        object.__setattr__(self, "field", excerpt(self.field, _MAX_FIELD))
        object.__setattr__(self, "reason", excerpt(self.reason, _MAX_REASON))
        object.__setattr__(self, "content", excerpt(self.content, MAX_CONTENT))

    def as_json(self) -> str:
        """Return the reject as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.field}: {self.reason}"


Row = Statement | Reject
"""What a reader makes of one row."""

Reader = Callable[[Path], Iterator[Row]]
"""Yields exactly one `Statement` or `Reject` for each row of one file."""


def excerpt(text: str, limit: int) -> str:
    """Return the beginning of a text; characters that no file can hold (lone surrogates) are shown escaped."""
    writable = text[:limit].encode("utf-8", "backslashreplace").decode("utf-8")
    return writable if len(text) <= limit and len(writable) <= limit else writable[: limit - 1] + "…"
