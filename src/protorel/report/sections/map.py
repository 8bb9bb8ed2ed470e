"""The map: a plane per run with statements as points and prototypes as stars, its filters, and the statement in words.

The script in `assets/` draws it from the block of statements; the HTML here is what it fills.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protorel.report.content import StatementMap
from protorel.report.palette import outlines
from protorel.report.safe_text import safe
from protorel.report.statement_block import statement_block

_HANDLING = "Arrow keys pan, plus and minus zoom, 0 shows all, n and p step through the statements, Escape lets go."

_ZOOM = "".join(
    f'<button type="button" aria-label="{name}">{sign}</button>'
    for name, sign in (("Zoom in", "+"), ("Zoom out", "−"), ("Show all", "⤢"))
)


def map_section(found: StatementMap | None, note: str, names: Mapping[str, str]) -> str:
    """Return the section with the map; only the note where there is none, and an empty string without that."""
    if found is None or not found.layouts or not found.statements:
        return _section(f'<p class="note">{safe(note, 1000)}</p>') if note else ""
    block, count = statement_block(found, names)
    total = max(found.total, len(found.statements))
    left_out = f" {count:,} of {total:,} statements are shown, drawn at random." if count < total else ""
    runs = list(dict.fromkeys(layout.run for layout in found.layouts))
    planes = "\n".join(_plane(run, count, alone=len(runs) == 1) for run in runs)
    return _section(f"""<p class="note">{safe(note, 1000)}{left_out}</p>
<noscript><p class="note">The map is drawn by a script, which this browser does not run.</p></noscript>
<div class="map" hidden>
<form role="search" aria-label="Filter the statements">
<label class="field">Search in the sentences\
<input type="search" name="text" autocomplete="off" spellcheck="false"></label>
{_score_filters() if found.audited is not None else ""}
{_projections([layout.projection for layout in found.layouts])}
<button type="button" class="clear" disabled>Clear filters</button>
</form>
<p class="count" role="status"></p>
<div class="stage{" alone" if len(runs) == 1 else ""}">
<div class="views">
{planes}
</div>
<div class="panel" role="region" tabindex="0" aria-label="Statement" aria-live="polite"></div>
</div>
{_keys(found)}
<h3>Relations</h3>
<p class="note">Choose relations to see their statements alone.</p>
<ul class="relations"></ul>
<div class="matches">
<h3>Statements</h3>
<ol></ol>
<div class="steps"><button type="button">← previous</button><span class="quiet"></span>\
<button type="button">next →</button></div>
</div>
</div>
<script type="application/octet-stream" id="statements">{block}</script>""")


def _section(inner: str) -> str:
    return f"""<section aria-labelledby="map">
<h2 id="map" tabindex="-1">Map</h2>
{inner}
</section>"""


def _plane(run: str, count: int, *, alone: bool) -> str:
    name = safe(run, 80)
    label = f"Map of {count:,} statements of {name}. {_HANDLING}"
    caption = "" if alone else f"<bdi>{name}</bdi>"
    return f"""<figure data-run="{name}">
<figcaption>{caption}<span class="zoom">{_ZOOM}</span></figcaption>
<div class="plane">
<canvas class="points" aria-hidden="true"></canvas>
<canvas class="marks" tabindex="0" role="application" aria-label="{label}"></canvas>
</div>
</figure>"""


def _score_filters() -> str:
    return """<label class="field">Label score at most <output>1.00</output>\
<input type="range" name="score" min="0" max="1" step="0.01" value="1"></label>
<label class="check"><input type="checkbox" name="issues">only label issues</label>"""


def _projections(given: Sequence[str]) -> str:
    """Return a switch between projections, if there are several."""
    projections = list(dict.fromkeys(given))
    if len(projections) < 2:
        return ""
    buttons = "".join(
        f'<button type="button" aria-pressed="false" data-projection="{safe(one, 80)}">{safe(one, 80)}</button>'
        for one in projections
    )
    return f'<div class="switch" role="group" aria-label="Projection">{buttons}</div>'


def _keys(found: StatementMap) -> str:
    """Return what the marks mean that not every map has."""
    star = f'<path d="{outlines()["star"]}"/>'
    ring = '<path d="M-3.4,0a3.4,3.4 0 1 0 6.8,0a3.4,3.4 0 1 0 -6.8,0z"/><circle class="doubt" r="8"/>'
    hollow = '<circle class="hollow" r="5"/>'
    keys = [
        (star, "prototype", any(layout.stars for layout in found.layouts)),
        (ring, "label score below 0.5: the lower, the stronger the ring", found.audited is not None),
        (hollow, "label known to be wrong", any(statement.expresses is False for statement in found.statements)),
    ]
    items = "".join(
        f'<li><svg viewBox="-11 -11 22 22" aria-hidden="true">{drawing}</svg>{words}</li>'
        for drawing, words, there in keys
        if there
    )
    return f'<ul class="keys marks-keys">{items}</ul>' if items else ""
