"""Margins of true and of false labels, one histogram over the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement
from protorel.report.axes import Axis, rising
from protorel.report.frame import Box, frame

_BOX = Box(width=760, height=270, left=54, right=10, top=12, bottom=50)
_BINS = 44


def margin_histogram(true: Sequence[float], false: Sequence[float], auroc: Measurement | None) -> str:
    """Return keys and drawing, or nothing when no margin is finite. Each group's bars sum to 100 %."""
    groups = {name: _finite(margins) for name, margins in (("true", true), ("false", false))}
    known = {name: margins for name, margins in groups.items() if len(margins)}
    if not known:
        return ""
    everything = np.concatenate(list(known.values()))
    # Zero is always inside: to its left another prototype is closer than the label's own.
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
    """Return the outline from the first bar that is not empty to the last."""
    full = np.flatnonzero(shares)
    bars = "".join(
        f"V{y.place(float(shares[bar])):.1f}H{x.place(float(edges[bar + 1])):.1f}"
        for bar in range(full[0], full[-1] + 1)
    )
    return f"M{x.place(float(edges[full[0]])):.1f},{y.start:.1f}{bars}V{y.start:.1f}"
