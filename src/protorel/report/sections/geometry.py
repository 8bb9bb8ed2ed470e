"""The geometry section: angles between prototypes, the most confusable pairs, and the spread of each relation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from protorel.report.content import ConfusablePair, RunGeometry
from protorel.report.histogram import groups_of, histogram
from protorel.report.safe_text import safe
from protorel.report.tables import NONE, table

_MOST_RELATIONS, _MOST_RUNS = 100, 6


def geometry_section(found: Sequence[RunGeometry], names: Mapping[str, str]) -> str:
    """Return the section; an empty string without a run."""
    if not found:
        return ""
    found = found[:_MOST_RUNS]
    title = "angle between two prototypes, in degrees"
    drawing = histogram(groups_of({one.run: one.angles for one in found}), title=title)
    pairs = "\n".join(_pairs(one, names, alone=len(found) == 1) for one in found if one.confusable)
    without = "".join(
        f'<p class="note"><bdi>{safe(one.run, 80)}</bdi> has no prototypes.</p>' for one in found if not one.relations
    )
    return f"""<section aria-labelledby="geometry">
<h2 id="geometry" tabindex="-1">Geometry</h2>
<p class="note">The angle between two prototypes says how well a run tells their relations apart: 0° is the same \
direction, 90° is unrelated.</p>
{without}
{_summary(found)}
{drawing}
{f'<h3>Most confusable pairs</h3>{chr(10)}<div class="besides">{pairs}</div>' if pairs else ""}
{_spread(found, names)}
</section>"""


def _summary(found: Sequence[RunGeometry]) -> str:
    known = [one for one in found if len(one.angles)]
    if not known:
        return ""
    rows = [
        ("prototypes", [f"{len(one.relations):,}" for one in known]),
        ("smallest angle", [_angle(float(one.angles.min())) for one in known]),
        ("median angle", [_angle(float(np.median(one.angles))) for one in known]),
        ("angle of the widest even spread", [_angle(one.ideal_angle) for one in known]),
    ]
    return table("Angles between prototypes", ["", *(f"<bdi>{safe(one.run, 80)}</bdi>" for one in known)], rows)


def _pairs(found: RunGeometry, names: Mapping[str, str], *, alone: bool) -> str:
    counted = found.confusable[0].confused is not None
    columns = ["relations", "angle", *(["statements closer to the other"] if counted else [])]
    rows = [
        (f"<bdi>{_name(pair.first, names)}</bdi> · <bdi>{_name(pair.second, names)}</bdi>", _cells(pair))
        for pair in found.confusable
    ]
    caption = "" if alone else f"<h4><bdi>{safe(found.run, 80)}</bdi></h4>"
    return f"<div>{caption}{table(f'Most confusable pairs of {found.run}', columns, rows)}</div>"


def _cells(pair: ConfusablePair) -> list[str]:
    if pair.confused is None or pair.statements is None:
        return [_angle(pair.angle)]
    return [_angle(pair.angle), f'{pair.confused:,} <span class="margin">of {pair.statements:,}</span>']


def _spread(found: Sequence[RunGeometry], names: Mapping[str, str]) -> str:
    """Return the table of relations by spread, the widest first."""
    measured = [one for one in found if one.spread]
    if not measured:
        return ""
    widest = {
        relation: max(one.spread.get(relation, -1.0) for one in measured)
        for relation in dict.fromkeys(relation for one in measured for relation in one.spread)
    }
    relations = sorted(widest, key=lambda relation: -widest[relation])
    rows = [
        (f"<bdi>{_name(relation, names)}</bdi>", [_angle(one.spread.get(relation)) for one in measured])
        for relation in relations[:_MOST_RELATIONS]
    ]
    first = f" The first {len(rows)} of {len(relations):,}." if len(relations) > len(rows) else ""
    columns = ["relation", *(f"<bdi>{safe(one.run, 80)}</bdi>" for one in measured)]
    return f"""<h3>Spread of relations</h3>
<p class="note">The median angle of a relation’s statements to its prototype, the widest first.{first}</p>
{table("Spread of relations", columns, rows, tall=True)}"""


def _angle(value: float | None) -> str:
    return NONE if value is None or not math.isfinite(value) else f"{value:.1f}°"


def _name(relation: str, names: Mapping[str, str]) -> str:
    return safe(names.get(relation) or relation, 80)
