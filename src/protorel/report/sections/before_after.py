"""The table of what training changed."""

from __future__ import annotations

from collections.abc import Sequence

from protorel.report.content import BeforeAfter
from protorel.report.safe_text import safe
from protorel.report.tables import percent, table

_MOST_ROWS = 100


def before_after_section(title: str, rows: Sequence[BeforeAfter], note: str) -> str:
    """Return the table of what training changed, with its note; an empty string if there is no row."""
    if not rows:
        return ""
    body = [(safe(row.words, 200), (percent(row.before), percent(row.after))) for row in rows[:_MOST_ROWS]]
    found = table("Before and after training", (safe(title, 200), "before training", "after"), body)
    return f'{found}\n<p class="note">{safe(note, 1000)}</p>'
