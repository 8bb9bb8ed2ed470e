"""What training changed: a row in words, a figure before, a figure after."""

from __future__ import annotations

import math
from collections.abc import Sequence

from protorel.evaluation import Measurement
from protorel.report.content import BeforeAfter
from protorel.report.safe_text import safe

_MOST_ROWS = 100


def before_after_section(title: str, rows: Sequence[BeforeAfter], note: str) -> str:
    """Return the table, headed by a title, with its note; or nothing when there is no row."""
    if not rows:
        return ""
    header = "".join(f'<th scope="col">{name}</th>' for name in (safe(title, 200), "before training", "after"))
    body = "\n".join(_row(row) for row in rows[:_MOST_ROWS])
    return f"""<div class="scroll" role="region" tabindex="0" aria-label="Before and after training">
<table>
<thead><tr>{header}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
<p class="note">{safe(note, 1000)}</p>"""


def _row(row: BeforeAfter) -> str:
    return f'<tr><th scope="row">{safe(row.words, 200)}</th>{_cell(row.before)}{_cell(row.after)}</tr>'


def _cell(figure: Measurement) -> str:
    if not math.isfinite(figure.value):
        return '<td class="none">–</td>'
    margin = f' <span class="margin">± {100 * figure.margin:.1f}</span>' if math.isfinite(figure.margin) else ""
    return f"<td>{100 * figure.value:.1f} %{margin}</td>"
