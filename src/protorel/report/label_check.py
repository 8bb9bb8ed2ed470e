"""The label check: how well margins tell true labels from false ones, and the most suspicious labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement
from protorel.report.axes import Axis, Box, frame, number, rising
from protorel.report.content import ReportContent, SuspectLabel
from protorel.report.painted import painted
from protorel.report.safe_text import safe

_BOX = Box(width=760, height=270, left=54, right=10, top=12, bottom=50)
_BINS = 44
_MOST_SUSPECTS = 100
_EXPLANATION = (
    "A label’s margin is the similarity of the sentence to the prototype of its label minus the similarity to the "
    "closest other prototype. Below zero, the sentence looks more like another relation."
)


def label_check_section(content: ReportContent) -> str:
    """Return the section with the histogram and the suspects; an empty string if there is neither."""
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


def _suspects(suspects: Sequence[SuspectLabel], names: Mapping[str, str]) -> str:
    if not suspects:
        return ""
    items = "\n".join(_suspect(suspect, names) for suspect in suspects)
    return f"""<h3>Most suspicious labels</h3>
<p class="note">{_tally(suspects)}<mark class="head">Head</mark> and <mark class="tail">tail</mark> are marked.</p>
<ol class="suspects">
{items}
</ol>"""


def _tally(suspects: Sequence[SuspectLabel]) -> str:
    known = [suspect.statement.expresses for suspect in suspects if suspect.statement.expresses is not None]
    return f"{known.count(False)} of these {len(known)} are known to be wrong. " if known else ""


def _suspect(suspect: SuspectLabel, names: Mapping[str, str]) -> str:
    label = suspect.statement.relation
    margin = f'<div><dt>margin</dt><dd class="figure">{_margin(suspect.margin)}</dd></div>'
    return f"""<li>
{painted(suspect.statement)}
<dl>
<div><dt>label</dt><dd><bdi>{_name(label, names) if label else "none"}</bdi></dd></div>
<div><dt>looks like</dt><dd><bdi>{_name(suspect.looks_like, names)}</bdi></dd></div>
{margin if math.isfinite(suspect.margin) else ""}
{_verdict(suspect.statement.expresses)}
</dl>
</li>"""


def _margin(margin: float) -> str:
    return f"{margin:.2f}".replace("-", "−") if abs(margin) < 1000 else number(margin)


def _name(relation: str, names: Mapping[str, str]) -> str:
    return safe(names.get(relation) or relation, 80)


def _verdict(expresses: bool | None) -> str:
    if expresses is None:
        return ""
    sign, text, kind = ("✗", "the label is true", "missed") if expresses else ("✓", "the label is wrong", "caught")
    said = f'<span aria-hidden="true">{sign}</span> {text}'
    return f'<div class="{kind}"><dt class="unseen">truth</dt><dd>{said}</dd></div>'


def margin_histogram(true: Sequence[float], false: Sequence[float], auroc: Measurement | None) -> str:
    """Return legend and histogram; an empty string if no margin is finite. The bars of each group sum to 100 %."""
    groups = {name: _finite(margins) for name, margins in (("true", true), ("false", false))}
    known = {name: margins for name, margins in groups.items() if len(margins)}
    if not known:
        return ""
    everything = np.concatenate(list(known.values()))
    # Zero is always inside: below it, another prototype is closer than that of the label.
    low, high = rising(min(float(everything.min()), 0.0), max(float(everything.max()), 0.0), room=0.02)
    edges = np.linspace(low, high, _BINS + 1)
    shares = {name: 100 * np.histogram(margins, edges)[0] / len(margins) for name, margins in known.items()}
    x = Axis(low, high, *_BOX.across)
    y = Axis(0.0, max(float(share.max()) for share in shares.values()) * 1.06, *_BOX.upwards)
    zero = x.place(0.0)
    line = f'<path class="zero" d="M{zero:.1f},{y.start:.1f}V{y.stop:.1f}"/>'
    inner = line + "".join(f'<path class="{name}-labels" d="{_steps(x, y, edges, s)}"/>' for name, s in shares.items())
    label = "Histogram of margins. " + " ".join(
        f"{len(margins)} {name} labels, half of them below {np.median(margins):.2f}." for name, margins in known.items()
    )
    drawing = frame(_BOX, x, y, inner, label=label, x_title="margin", y_title="% of the group")
    return f'<ul class="keys">{_keys(known)}{_area(auroc)}</ul>\n{drawing}'


def _finite(margins: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(margins, dtype=np.float64).reshape(-1)
    return array[np.abs(array) < 1e30]


def _keys(known: dict[str, NDArray[np.float64]]) -> str:
    return "".join(
        f'<li><svg class="swatch" viewBox="0 0 28 12" aria-hidden="true">'
        f'<path class="{name}-labels" d="M1,12V2H27V12"/></svg>'
        f'{name} labels <span class="quiet">{len(margins):,}</span></li>'
        for name, margins in known.items()
    )


def _area(auroc: Measurement | None) -> str:
    if auroc is None or not math.isfinite(auroc.value):
        return ""
    margin = f' <span class="quiet">± {auroc.margin:.3f}</span>' if math.isfinite(auroc.margin) else ""
    return f'<li class="result">AUROC <strong>{auroc.value:.3f}</strong>{margin}</li>'


def _steps(x: Axis, y: Axis, edges: NDArray[np.float64], shares: NDArray[np.float64]) -> str:
    """Return the outline from the first non-empty bar to the last."""
    full = np.flatnonzero(shares)
    bars = "".join(
        f"V{y.place(float(shares[bar])):.1f}H{x.place(float(edges[bar + 1])):.1f}"
        for bar in range(full[0], full[-1] + 1)
    )
    return f"M{x.place(float(edges[full[0]])):.1f},{y.start:.1f}{bars}V{y.start:.1f}"
