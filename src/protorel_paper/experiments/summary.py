"""What the summaries of all experiments share: their form as JSON, their files, and how intervals are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from protorel.evaluation import Measurement, machine
from protorel.io import write_json, write_text
from protorel.model import versions
from protorel_paper.experiments.claims import Claim


class Summary(Protocol):
    """All points of a folder, put together."""

    @property
    def task(self) -> str:
        """What accuracy is measured by, such as 5w1s."""

    @property
    def claims(self) -> Sequence[Claim]:
        """What the points say of each claim."""

    @property
    def data(self) -> Mapping[str, Any]:
        """What statements were drawn from."""

    @property
    def test(self) -> Mapping[str, Any]:
        """What all points are judged by."""


def summary_json(kind: str, summary: Summary, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the form of summary.json."""
    return {
        "task": kind,
        "judged_by": summary.task,
        "data": summary.data,
        "test": summary.test,
        "rows": list(rows),
        "claims": [claim.as_json() for claim in summary.claims],
        "machine": machine(),
        "versions": versions(),
    }


def write_summary(folder: Path, as_json: Mapping[str, Any], as_markdown: str) -> None:
    """Write summary.json and summary.md."""
    write_json(folder / "summary.json", as_json)
    write_text(folder / "summary.md", as_markdown)


def interval_json(measurement: Measurement | None) -> dict[str, float | int] | None:
    """Return an interval, or None where one value cannot give any."""
    if measurement is None or measurement.count < 2:
        return None
    return {"margin": measurement.margin, "count": measurement.count}


def shown_margin(measurement: Measurement | None) -> str:
    """Write the half-width of an interval in points; a dash where there is none."""
    return "–" if measurement is None or measurement.count < 2 else f"± {100 * measurement.margin:.1f}"
