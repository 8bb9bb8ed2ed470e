"""Tables of the page: what training changed, and figures of several systems with the best of each column marked."""

from __future__ import annotations

import math
from collections.abc import Sequence

from protorel.evaluation import Measurement
from protorel.report.content import BeforeAfter, FigureRow
from protorel.report.safe_text import safe

_MOST_ROWS, _MOST_COLUMNS = 100, 24


def before_after_section(title: str, rows: Sequence[BeforeAfter], note: str) -> str:
    """Return the table of what training changed, with its note; an empty string if there is no row."""
    if not rows:
        return ""
    header = "".join(f'<th scope="col">{name}</th>' for name in (safe(title, 200), "before training", "after"))
    body = "\n".join(_change(row) for row in rows[:_MOST_ROWS])
    return f"""<div class="scroll" role="region" tabindex="0" aria-label="Before and after training">
<table>
<thead><tr>{header}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
<p class="note">{safe(note, 1000)}</p>"""


def _change(row: BeforeAfter) -> str:
    return f'<tr><th scope="row">{safe(row.words, 200)}</th>{_percent(row.before)}{_percent(row.after)}</tr>'


def _percent(figure: Measurement) -> str:
    if not math.isfinite(figure.value):
        return '<td class="none">–</td>'
    margin = f' <span class="margin">± {100 * figure.margin:.1f}</span>' if math.isfinite(figure.margin) else ""
    return f"<td>{100 * figure.value:.1f} %{margin}</td>"


def figures_section(rows: Sequence[FigureRow], note: str) -> str:
    """Return the section with the table of figures; an empty string if there is no figure."""
    rows = rows[:_MOST_ROWS]
    columns = list(dict.fromkeys(name for row in rows for name in row.figures))[:_MOST_COLUMNS]
    if not columns:
        return ""
    best = {column: _best(rows, column) for column in columns}
    header = "".join(f'<th scope="col">{safe(column, 80)}</th>' for column in columns)
    body = "\n".join(_row(row, columns, best) for row in rows)
    marked = "The best of each column is shaded." if any(value is not None for value in best.values()) else ""
    return f"""<section aria-labelledby="figures">
<h2 id="figures">Figures</h2>
<div class="scroll" role="region" tabindex="0" aria-labelledby="figures">
<table>
<thead><tr><th scope="col"><span class="unseen">system</span><span aria-hidden="true">%</span></th>{header}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
<p class="note">{safe(note, 1000)} {marked}</p>
</section>"""


def _best(rows: Sequence[FigureRow], column: str) -> float | None:
    """Return the best value of a column; None if there is nothing to compare."""
    values = [row.figures[column].value for row in rows if column in row.figures]
    finite = [value for value in values if math.isfinite(value)]
    return max(finite) if len(finite) > 1 else None


def _row(row: FigureRow, columns: Sequence[str], best: dict[str, float | None]) -> str:
    cells = "".join(_cell(row.figures.get(column), best[column]) for column in columns)
    emphasis = ' class="emphasised"' if row.emphasised else ""
    return f'<tr{emphasis}><th scope="row">{safe(row.name, 120)}</th>{cells}</tr>'


def _cell(figure: Measurement | None, best: float | None) -> str:
    if figure is None or not math.isfinite(figure.value):
        return '<td class="none">–</td>'
    margin = f"± {100 * figure.margin:.2f}" if math.isfinite(figure.margin) else "one draw"
    text = f'{100 * figure.value:.2f} <span class="margin">{margin}</span>'
    if figure.value == best:
        return f'<td><strong class="best">{text}<span class="unseen"> (best)</span></strong></td>'
    return f"<td>{text}</td>"
