"""What all summaries share: their files, their JSON, intervals over seeds and relations, and provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from protorel.evaluation import Measurement, machine, measure
from protorel.io import write_json, write_text
from protorel.model import versions
from protorel_paper.engine.claims import Claim


class Summary(Protocol):
    """All points of an experiment, put together."""

    @property
    def task(self) -> str:
        """The few-shot setting that accuracy is measured in, such as 5w1s."""

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims that the points test."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The data that statements were drawn from."""

    @property
    def test(self) -> Mapping[str, Any]:
        """The data that all points are evaluated on."""

    def as_json(self) -> dict[str, Any]:
        """Return the contents of summary.json."""
        ...

    def as_markdown(self) -> str:
        """Return the contents of summary.md."""
        ...


def provenance() -> dict[str, Any]:
    """Return the last fields of every JSON file: the machine and the versions that made it."""
    return {"machine": machine(), "versions": versions()}


def summary_json(kind: str, summary: Summary, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the contents of an experiment's summary.json."""
    return {
        "task": kind,
        "judged_by": summary.task,
        "data": summary.data,
        "test": summary.test,
        "rows": list(rows),
        "claims": [claim.as_json() for claim in summary.claims],
        **provenance(),
    }


def write_summary(folder: Path, name: str, as_json: Mapping[str, Any], as_markdown: str) -> None:
    """Write NAME.json and NAME.md, each atomically; the second is there only if the first is."""
    write_json(folder / f"{name}.json", as_json)
    write_text(folder / f"{name}.md", as_markdown)


def mean_per_relation(evaluated: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return each relation's mean over the seeds that have a figure for it."""
    relations = sorted({relation for one in evaluated for relation in one})
    return {relation: fmean(one[relation] for one in evaluated if relation in one) for relation in relations}


def over_seeds(values: Sequence[float]) -> Measurement | None:
    """Return the interval over seeds; None for a single seed."""
    return measure(values) if len(values) > 1 else None


def interval_json(measurement: Measurement | None) -> dict[str, float | int] | None:
    """Return an interval as plain numbers; None if there are too few values for one."""
    if measurement is None or measurement.count < 2:
        return None
    return {"margin": measurement.margin, "count": measurement.count}


def shown_margin(measurement: Measurement | None) -> str:
    """Return the half-width of an interval in points; a dash if there is none."""
    return "–" if measurement is None or measurement.count < 2 else f"± {100 * measurement.margin:.1f}"
