"""Contents of a report page as plain values, without HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from protorel.evaluation import Measurement
from protorel.statements import Span, Statement


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One row of the table of figures: a system, and its measurements by column."""

    name: str
    figures: Mapping[str, Measurement]
    emphasised: bool = False


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A measurement before and after training, and what it measures, in words."""

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
class SuspectLabel:
    """A statement whose label looks wrong, and the relation that it looks like."""

    statement: Statement
    margin: float
    looks_like: str


@dataclass(frozen=True, slots=True)
class MarkedTriple:
    """A triple that was asserted, or missed, in a sentence."""

    head: str
    relation: str
    tail: str
    verdict: str
    """In words: right, wrong, or missed."""
    right: bool
    probability: float | None = None
    """None if the triple was not asserted."""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence that was read, with the entities and the triples found in it."""

    text: str
    entities: Sequence[Span]
    triples: Sequence[MarkedTriple]


@dataclass(frozen=True, slots=True)
class ReportContent:
    """Everything on the page, in order."""

    title: str
    summary: str
    """One or two sentences: what was done, and the result."""
    facts: Mapping[str, str]
    """Facts about data and run: statements, relations, noise, steps, time, seed, fingerprints."""
    figures: Sequence[FigureRow]
    figures_note: str
    journal: Sequence[Mapping[str, object]]
    """Lines of a run's journal: step, loss, terms, learning_rate, statements_per_second."""
    points: Sequence[MapPoint]
    map_note: str
    margins_true: Sequence[float]
    """Margins of statements with a true label; `margins_false` are those with a false one."""
    margins_false: Sequence[float]
    auroc: Measurement | None
    suspects: Sequence[SuspectLabel]
    relation_names: Mapping[str, str]
    """Readable name of each relation, by id."""
    comparison: Sequence[BeforeAfter] = ()
    """Measurements before and after training; shown first."""
    comparison_title: str = ""
    """Title of the comparison: what all its rows measure."""
    comparison_note: str = ""
    read: Sequence[ReadSentence] = ()
    """Sentences that triples were extracted from."""
    read_note: str = ""
