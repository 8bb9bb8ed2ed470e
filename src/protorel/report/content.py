"""What a report page shows, as plain values: whoever makes them knows nothing of HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from protorel.evaluation import Measurement
from protorel.statements import Statement


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One row of the table of figures: a system, and a measurement under each column's name."""

    name: str
    figures: Mapping[str, Measurement]
    emphasised: bool = False


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """What was measured, in words, and the measurement before and after training."""

    words: str
    before: Measurement
    after: Measurement


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A statement, or a prototype, on the map."""

    x: float
    y: float
    relation: str
    is_prototype: bool = False
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A statement whose label looks wrong, what it looks like instead, and the truth where known."""

    statement: Statement
    margin: float
    looks_like: str


@dataclass(frozen=True, slots=True)
class ReportContent:
    """Everything on the page, in the order in which it is shown."""

    title: str
    summary: str
    """One or two sentences: what was done, and what came out."""
    facts: Mapping[str, str]
    """Small facts about data and run: statements, relations, noise, steps, time, seed, fingerprints."""
    figures: Sequence[FigureRow]
    figures_note: str
    journal: Sequence[Mapping[str, object]]
    """Lines of a run's journal: step, loss, terms, learning_rate, statements_per_second."""
    points: Sequence[MapPoint]
    map_note: str
    margins_true: Sequence[float]
    """Margins of statements whose label is true, and of those whose label is false."""
    margins_false: Sequence[float]
    auroc: Measurement | None
    suspects: Sequence[JudgedLabel]
    relation_names: Mapping[str, str]
    """A name to read for each relation's id."""
    comparison: Sequence[BeforeAfter] = ()
    """What training changed; shown first."""
    comparison_title: str = ""
    """What all rows of the comparison have in common."""
    comparison_note: str = ""
