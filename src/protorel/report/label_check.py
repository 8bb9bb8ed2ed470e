"""The label check: how well margins tell true labels from false ones, and the labels that look worst."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from protorel.report.axes import number
from protorel.report.content import JudgedLabel, ReportContent
from protorel.report.margin_histogram import margin_histogram
from protorel.report.painted import painted
from protorel.report.safe_text import safe

_MOST_SUSPECTS = 100
_EXPLANATION = (
    "A label’s margin is the closeness of the sentence to its own prototype less the closeness to the nearest other "
    "one. Left of zero, the sentence looks more like another relation."
)


def label_check_section(content: ReportContent) -> str:
    """Return the section with histograms and suspects, or nothing when there is neither."""
    histogram = margin_histogram(content.margins_true, content.margins_false, content.auroc)
    suspects = _suspects(content.suspects[:_MOST_SUSPECTS], content.relation_names)
    if not histogram and not suspects:
        return ""
    return f"""<section aria-labelledby="labels">
<h2 id="labels">Label check</h2>
<p class="note">{_EXPLANATION}</p>
{histogram}
{suspects}
</section>"""


def _suspects(suspects: Sequence[JudgedLabel], names: Mapping[str, str]) -> str:
    if not suspects:
        return ""
    items = "\n".join(_suspect(judged, names) for judged in suspects)
    return f"""<h3>Most suspicious labels</h3>
<p class="note">{_tally(suspects)}<mark class="head">Head</mark> and <mark class="tail">tail</mark> are marked.</p>
<ol class="suspects">
{items}
</ol>"""


def _tally(suspects: Sequence[JudgedLabel]) -> str:
    known = [judged.statement.expresses for judged in suspects if judged.statement.expresses is not None]
    return f"{known.count(False)} of these {len(known)} are known to be wrong. " if known else ""


def _suspect(judged: JudgedLabel, names: Mapping[str, str]) -> str:
    label = judged.statement.relation
    margin = f'<div><dt>margin</dt><dd class="figure">{_margin(judged.margin)}</dd></div>'
    return f"""<li>
{painted(judged.statement)}
<dl>
<div><dt>label</dt><dd><bdi>{_name(label, names) if label else "none"}</bdi></dd></div>
<div><dt>looks like</dt><dd><bdi>{_name(judged.looks_like, names)}</bdi></dd></div>
{margin if math.isfinite(judged.margin) else ""}
{_verdict(judged.statement.expresses)}
</dl>
</li>"""


def _margin(margin: float) -> str:
    return f"{margin:.2f}".replace("-", "−") if abs(margin) < 1000 else number(margin)


def _name(relation: str, names: Mapping[str, str]) -> str:
    return safe(names.get(relation) or relation, 80)


def _verdict(expresses: bool | None) -> str:
    if expresses is None:
        return ""
    sign, text, kind = ("✗", "the label is true", "missed") if expresses else ("✓", "right to suspect", "caught")
    said = f'<span aria-hidden="true">{sign}</span> {text}'
    return f'<div class="{kind}"><dt class="unseen">truth</dt><dd>{said}</dd></div>'
