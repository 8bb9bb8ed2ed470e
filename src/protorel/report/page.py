"""The report page: one self-contained HTML file that needs no network and runs no script but ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from protorel.io import write_text
from protorel.report.content import ReportContent
from protorel.report.curves import curves_section
from protorel.report.embedding_map import map_section
from protorel.report.extracted_triples import triples_section
from protorel.report.label_check import label_check_section
from protorel.report.palette import palette_css
from protorel.report.safe_text import safe
from protorel.report.tables import before_after_section, figures_section

_MOST_FACTS = 60


def write_report(content: ReportContent, path: Path) -> None:
    """Write the report page atomically."""
    write_text(path, render_report(content))


def render_report(content: ReportContent) -> str:
    """Return the report page without empty sections."""
    style = _own("style.css") + palette_css()
    script = _own("map.js")
    sections = [
        figures_section(content.figures, content.figures_note),
        curves_section(content.journal),
        map_section(content.points, content.map_note, content.relation_names),
        label_check_section(content),
        triples_section(content.read, content.read_note, content.relation_names),
    ]
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
{_facts(content.facts)}
</header>
{chr(10).join(section for section in sections if section)}
</main>
<script>{script}</script>
</body>
</html>
"""


def _facts(facts: Mapping[str, str]) -> str:
    if not facts:
        return ""
    pairs = "".join(
        f"<div><dt>{safe(str(name), 60)}</dt><dd>{safe(str(value))}</dd></div>"
        for name, value in list(facts.items())[:_MOST_FACTS]
    )
    return f'<dl class="facts">{pairs}</dl>'


def _policy(style: str, script: str) -> str:
    """Return a policy that allows our style and script by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _own(name: str) -> str:
    return (files("protorel.report") / name).read_text(encoding="utf-8")
