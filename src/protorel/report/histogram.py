"""Histograms of one or several groups of numbers, as outlines over a common axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.report.axes import Axis, Box, frame, rising
from protorel.report.safe_text import safe

_BOX = Box(width=760, height=270, left=54, right=10, top=12, bottom=50)
_BINS = 44


@dataclass(frozen=True, slots=True)
class Group:
    """A group of numbers, and the name of its style: h0, h1, …"""

    name: str
    values: NDArray[np.float64]
    style: str


def groups_of(values: Mapping[str, NDArray[np.float64]]) -> list[Group]:
    """Return the groups that have a finite number; each keeps its style whichever others there are."""
    found = [Group(name, _finite(many), f"h{at % 6}") for at, (name, many) in enumerate(values.items())]
    return [group for group in found if len(group.values)]


def histogram(groups: Sequence[Group], *, title: str, around: Sequence[float] = (), line: float | None = None) -> str:
    """Return legend and drawing; an empty string without groups. The bars of each group sum to 100 %.

    Args:
        groups: What to draw.
        title: What the numbers are.
        around: Numbers that the axis includes.
        line: Where to draw a vertical line.
    """
    if not groups:
        return ""
    everything = np.concatenate([group.values for group in groups] + [np.asarray([*around], dtype=np.float64)])
    low, high = rising(float(everything.min()), float(everything.max()), room=0.02)
    edges = np.linspace(low, high, _BINS + 1)
    shares = [100 * np.histogram(group.values, edges)[0] / len(group.values) for group in groups]
    x = Axis(low, high, *_BOX.across)
    y = Axis(0.0, max(float(share.max()) for share in shares) * 1.06, *_BOX.upwards)
    inner = "" if line is None else f'<path class="zero" d="M{x.place(line):.1f},{y.start:.1f}V{y.stop:.1f}"/>'
    inner += "".join(
        f'<path class="bars {group.style}" d="{_outline(x, y, edges, share)}"/>'
        for group, share in zip(groups, shares, strict=True)
    )
    label = f"Histogram: {title}. " + " ".join(
        f"{group.name}: {len(group.values)}, half of them below {np.median(group.values):.2f}." for group in groups
    )
    unit = "% of the group" if len(groups) > 1 else "%"
    return f'<ul class="keys">{_keys(groups)}</ul>\n' + frame(
        _BOX, x, y, inner, label=label, x_title=title, y_title=unit
    )


def _keys(groups: Sequence[Group]) -> str:
    return "".join(
        f'<li><svg class="swatch" viewBox="0 0 28 12" aria-hidden="true">'
        f'<path class="bars {group.style}" d="M1,12V2H27V12"/></svg>'
        f'<bdi>{safe(group.name, 80)}</bdi> <span class="quiet">{len(group.values):,}</span></li>'
        for group in groups
    )


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).reshape(-1)
    return array[np.abs(array) < 1e30]


def _outline(x: Axis, y: Axis, edges: NDArray[np.float64], shares: NDArray[np.float64]) -> str:
    """Return the outline from the first non-empty bar to the last."""
    full = np.flatnonzero(shares)
    bars = "".join(
        f"V{y.place(float(shares[bar])):.1f}H{x.place(float(edges[bar + 1])):.1f}"
        for bar in range(full[0], full[-1] + 1)
    )
    return f"M{x.place(float(edges[full[0]])):.1f},{y.start:.1f}{bars}V{y.start:.1f}"
