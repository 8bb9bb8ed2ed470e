"""The report page: one self-contained HTML file that needs no network and runs no script but ours."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from pathlib import Path

from protorel.io import write_text
from protorel.report.content import ReportContent
from protorel.report.safe_text import safe
from protorel.report.sections.before_after import before_after_section
from protorel.report.sections.curves import curves_section
from protorel.report.sections.data_card import data_section, facts_list
from protorel.report.sections.evaluations import evaluations_section
from protorel.report.sections.geometry import geometry_section
from protorel.report.sections.labels import labels_section
from protorel.report.sections.map import map_section
from protorel.report.sections.triples import triples_section

_STYLES = ("page.css", "map.css")
_SCRIPTS = ("page.js", "block.js", "grid.js", "raster.js", "map_view.js", "filters.js", "reading.js", "board.js")


def write_report(content: ReportContent, path: Path) -> None:
    """Write the report page atomically."""
    write_text(path, render_report(content))


def render_report(content: ReportContent) -> str:
    """Return the report page without empty sections."""
    style, script = (_own(names) for names in (_STYLES, _SCRIPTS))
    names = content.relation_names
    sections = [
        map_section(content.map, content.map_note, names),
        labels_section(content.labels, names),
        evaluations_section(content.evaluations),
        geometry_section(content.geometry, names),
        curves_section(content.journals),
        data_section(content.card, names),
        triples_section(content.read, content.read_note, names),
    ]
    body = "\n".join(section for section in sections if section)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{safe(content.title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1>{safe(content.title)}</h1>
<p class="summary">{safe(content.summary, 2000)}</p>
{before_after_section(content.comparison_title, content.comparison, content.comparison_note)}
{facts_list(content.facts)}
{_contents(body)}
</header>
{body}
</main>
<script>{script}</script>
</body>
</html>
"""


def _contents(body: str) -> str:
    """Return links to the sections, if there are several; their headings are ours, so they need no escape."""
    headings = re.findall(r'<h2 id="(\w+)" tabindex="-1">([\w ]+)</h2>', body)
    if len(headings) < 2:
        return ""
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in headings)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _policy(style: str, script: str) -> str:
    """Return a policy that allows our style and script by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _own(names: tuple[str, ...]) -> str:
    folder = files("protorel.report") / "assets"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)
