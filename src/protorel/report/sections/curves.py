"""Learning curves from a run's journal: one line per loss term, and what the optimiser did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.report.axes import Axis, Box, frame, number, rising
from protorel.report.safe_text import safe, short
from protorel.report.sections.journal_series import Series, loss_series, numbered, quantity

_BOX = Box(width=760, height=330, left=54, right=10, top=12, bottom=50)
_SMALL = Box(width=300, height=60, left=0, right=0, top=3, bottom=2)
_WIDE = 30.0
_NOTE = "Each line is a moving average; the faint line behind it shows every step."
_QUANTITIES = {
    "learning_rate": "learning rate",
    "statements_per_second": "statements per second",
    "gradient_norm": "gradient norm",
}


def curves_section(journals: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    """Return the section with the curves of each run; an empty string if no journal has two steps."""
    found = {run: _run(journal, number) for number, (run, journal) in enumerate(journals.items())}
    drawn = {run: inner for run, inner in found.items() if inner}
    if not drawn:
        return ""
    captioned = (
        inner if len(journals) == 1 else f"<h3><bdi>{safe(run, 80)}</bdi></h3>\n{inner}" for run, inner in drawn.items()
    )
    without = "".join(
        f'<p class="note"><bdi>{safe(run, 80)}</bdi> has no journal.</p>' for run, inner in found.items() if not inner
    )
    inner = "\n".join(f"<div>{one}</div>" for one in captioned)
    return f"""<section aria-labelledby="curves">
<h2 id="curves" tabindex="-1">Learning curves</h2>
{without}
<div class="besides">{inner}</div>
<p class="note">{_NOTE}</p>
</section>"""


def _run(journal: Sequence[Mapping[str, object]], number: int) -> str:
    """Return the curves of one run; an empty string if its journal has fewer than two steps."""
    steps = numbered(journal)
    losses = loss_series(steps)
    small = [series for key, name in _QUANTITIES.items() if (series := quantity(steps, key, name))]
    if not losses and not small:
        return ""
    drawing = f'<ul class="keys">{_keys(losses)}</ul>\n{_curves(losses, f"curve-area-{number}")}' if losses else ""
    return f'{drawing}\n<div class="smalls">{"".join(_sparkline(series) for series in small)}</div>'


def _keys(losses: Sequence[Series]) -> str:
    return "".join(
        f'<li><svg class="swatch s{index}" viewBox="0 0 28 8" aria-hidden="true"><path d="M0,4H28"/></svg>'
        f'{safe(series.name, 40)} <span class="quiet">{number(float(series.smoothed()[-1]), 3)}</span></li>'
        for index, series in enumerate(losses)
    )


def _curves(losses: Sequence[Series], clip: str) -> str:
    y = _loss_axis(losses)
    box = _BOX.with_room_for(y)
    x = Axis(*_ends([series.steps for series in losses]), *box.across)
    lines = []
    for index, series in enumerate(losses):
        rows, smoothed = series.drawn(), series.smoothed()
        raw = _line(x, y, series.steps[rows], series.values[rows])
        mean = _line(x, y, series.steps[rows], smoothed[rows])
        lines.append(f'<g class="s{index}"><path class="raw" d="{raw}"/><path d="{mean}"/></g>')
    label = f"Loss over {number(x.high)} steps. " + "; ".join(
        f"{short(series.name, 40)} goes from {number(float(smooth[0]))} to {number(float(smooth[-1]))}"
        for series in losses
        for smooth in [series.smoothed()]
    )
    # Drawn from last to first, so that the sum of the terms is on top.
    inner = f'<g class="curves" clip-path="url(#{clip})">{"".join(reversed(lines))}</g>'
    return frame(box, x, y, inner, label=label, x_title="step", y_title="loss", clip=clip)


def _loss_axis(losses: Sequence[Series]) -> Axis:
    """Return an axis without single spikes, logarithmic if the terms differ much in size."""
    smooth = np.concatenate([series.smoothed() for series in losses])
    raw = np.concatenate([series.values for series in losses])
    low, high = min(smooth.min(), np.quantile(raw, 0.003)), max(smooth.max(), np.quantile(raw, 0.997))
    if low > 0 and smooth.max() > _WIDE * smooth.min():
        return Axis(float(low), float(high), *_BOX.upwards, logarithmic=True)
    # Zero is the best possible loss; show it unless the curves are far from it.
    if 0 < low < 0.5 * high:
        low = np.float64(0)
    return Axis(*rising(float(low), float(high), room=0.02 if low else 0.0), *_BOX.upwards)


def _sparkline(series: Series) -> str:
    rows = series.drawn()
    x = Axis(*_ends([series.steps]), *_SMALL.across)
    y = Axis(*rising(min(0.0, float(series.values.min())), float(series.values.max())), *_SMALL.upwards)
    least, most, last = (number(float(v), 3) for v in (series.values.min(), series.values.max(), series.values[-1]))
    label = f"{short(series.name, 40)}: between {least} and {most}, {last} at the end"
    return (
        f"<figure><figcaption>{safe(series.name, 40)}</figcaption>"
        f'<svg viewBox="0 0 {_SMALL.width} {_SMALL.height}" preserveAspectRatio="none" role="img" '
        f'aria-label="{safe(label)}">'
        f'<path class="base" d="M{_SMALL.left},{y.place(0):.1f}H{_SMALL.width - _SMALL.right}"/>'
        f'<path class="spark" d="{_line(x, y, series.steps[rows], series.values[rows])}"/></svg>'
        f'<p class="quiet">{least} to {most}, last {last}</p></figure>'
    )


def _ends(many: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    return rising(float(min(values.min() for values in many)), float(max(values.max() for values in many)))


def _line(x: Axis, y: Axis, steps: NDArray[np.float64], values: NDArray[np.float64]) -> str:
    # A value that is not positive is off a logarithmic axis: draw it below the plotting area.
    beyond = 4000.0
    points = (
        f"{x.place(step):.1f},{min(max(y.place(value), -beyond), beyond):.1f}"
        for step, value in zip(steps.tolist(), values.tolist(), strict=True)
    )
    return "M" + "L".join(points)
