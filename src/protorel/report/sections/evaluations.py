"""The evaluation section: a table per kind of evaluation, a column per run, the best of each row shaded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from protorel.evaluation import Measurement
from protorel.report.content import EvaluationTable
from protorel.report.safe_text import safe
from protorel.report.tables import percent, table

_MOST_TABLES, _MOST_ROWS, _MOST_RUNS = 30, 100, 24


def evaluations_section(tables: Sequence[EvaluationTable]) -> str:
    """Return the section; an empty string if there is no figure."""
    shown = "\n".join(_table(one) for one in tables[:_MOST_TABLES] if any(one.rows.values()))
    if not shown:
        return ""
    return f"""<section aria-labelledby="evaluation">
<h2 id="evaluation" tabindex="-1">Evaluation</h2>
<p class="note">± is half a 95 % interval.</p>
{shown}
</section>"""


def _table(given: EvaluationTable) -> str:
    rows = dict(list(given.rows.items())[:_MOST_ROWS])
    runs = list(dict.fromkeys(run for figures in rows.values() for run in figures))[:_MOST_RUNS]
    body = [
        (safe(name, 120), _cells(figures, runs, lower=name in given.lower_is_better)) for name, figures in rows.items()
    ]
    note = f'<p class="note">{safe(given.note, 1000)}</p>' if given.note else ""
    columns = ["", *(f"<bdi>{safe(run, 80)}</bdi>" for run in runs)]
    return f"<h3>{safe(given.title, 120)}</h3>\n{note}\n{table(given.title, columns, body)}"


def _cells(figures: Mapping[str, Measurement], runs: Sequence[str], *, lower: bool) -> list[str]:
    finite = [one.value for run in runs if (one := figures.get(run)) is not None and math.isfinite(one.value)]
    best = (min if lower else max)(finite) if len(finite) > 1 else None
    return [_cell(figures.get(run), best) for run in runs]


def _cell(figure: Measurement | None, best: float | None) -> str:
    text = percent(figure)
    if figure is None or figure.value != best:
        return text
    return f'<strong class="best">{text}<span class="unseen"> (best)</span></strong>'
