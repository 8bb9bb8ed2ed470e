"""A printed figure with its caption: what it shows, how it was made, and the run and data behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protorel.report import short
from protorel_paper.drawing.printed_figure import write_figure
from protorel_paper.engine import provenance, write_summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAME = 80


@dataclass(frozen=True, slots=True)
class Caption:
    """The text below a figure."""

    figure: str
    """Name of its files, such as figure1."""
    title: str
    says: Sequence[str]
    """Paragraphs; names from outside go through `plain`."""
    made_from: Mapping[str, Mapping[str, Any]]
    """Runs and data, each with a name and a fingerprint."""

    def as_markdown(self) -> str:
        """Return the caption with the figure above it."""
        number = self.figure.removeprefix("figure")
        rows = [
            f"| {what} | {plain(str(known['name']))} | `{str(known['fingerprint'])[:16]}` |"
            for what, known in self.made_from.items()
        ]
        table = ["| made from | name | fingerprint |", "|---|---|---|", *rows]
        image = f"![Figure {number}: {self.title}]({self.figure}.png)"
        return "\n\n".join([f"# Figure {number}: {self.title}", image, *self.says, "\n".join(table)]) + "\n"


def write_captioned(figure: Figure, caption: Caption, numbers: Mapping[str, Any], out: Path) -> None:
    """Write NAME.png, .svg, .json and .md, each atomically; .md is last, so if it is there, all are."""
    write_figure(figure, out, caption.figure)
    as_json = {"task": caption.figure, **numbers, **provenance()}
    write_summary(out, caption.figure, as_json, caption.as_markdown())


def plain(text: str, limit: int = _NAME) -> str:
    """Return text as Markdown that shows it literally."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&$-])", r"\\\1", short(text, limit))


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f} %"
