"""A printed figure with its caption: what it shows, how it came about, and which run and data it was drawn from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protorel.evaluation import machine
from protorel.io import write_json, write_text
from protorel.model import versions
from protorel.report import short
from protorel_paper.drawing.printed_figure import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAME = 80


@dataclass(frozen=True, slots=True)
class Caption:
    """The words below a figure."""

    figure: str
    """Its file's name, such as figure1."""
    title: str
    says: Sequence[str]
    """Paragraphs of our own words; names from outside go through `plain`."""
    made_from: Mapping[str, Mapping[str, Any]]
    """Runs and data, each with a name and a fingerprint."""

    def as_markdown(self) -> str:
        """Return the caption with the picture above it."""
        number = self.figure.removeprefix("figure")
        rows = [
            f"| {what} | {plain(str(known['name']))} | `{str(known['fingerprint'])[:16]}` |"
            for what, known in self.made_from.items()
        ]
        table = ["| made from | name | fingerprint |", "|---|---|---|", *rows]
        picture = f"![Figure {number}: {self.title}]({self.figure}.png)"
        return "\n\n".join([f"# Figure {number}: {self.title}", picture, *self.says, "\n".join(table)]) + "\n"


def write_captioned(figure: Figure, caption: Caption, numbers: Mapping[str, Any], out: Path) -> None:
    """Write NAME.png, .svg, .json and, last, .md, each whole or not at all; where the last one stands, all do."""
    write_figure(figure, out, caption.figure)
    told = {"task": caption.figure, **numbers, "machine": machine(), "versions": versions()}
    write_json(out / f"{caption.figure}.json", told)
    write_text(out / f"{caption.figure}.md", caption.as_markdown())


def plain(text: str, limit: int = _NAME) -> str:
    """Return a name, or a text that holds one, as Markdown that shows it letter by letter."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&$-])", r"\\\1", short(text, limit))


def percent(share: float) -> str:
    """Write a share as people read it."""
    return f"{100 * share:.0f} %"
