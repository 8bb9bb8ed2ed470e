"""Contents of a report page as plain values, without HTML. A part that is empty or None has no section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement
from protorel.statements import Span, Statement


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A measurement before and after training, and what it measures, in words."""

    words: str
    before: Measurement
    after: Measurement


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of statements and prototypes on a plane, for one run and one projection."""

    run: str
    projection: str
    places: NDArray[np.float64]
    """One row (x, y) per statement."""
    stars: Mapping[str, tuple[float, float]]
    """The place of each relation's prototype."""


@dataclass(frozen=True, slots=True)
class AuditedLabels:
    """What an audit says of each statement of a map; NaN or an empty string for a statement that it does not have."""

    scores: NDArray[np.float64]
    """From 0, certainly wrong, to 1, certainly right."""
    issues: NDArray[np.bool_]
    predicted: Sequence[str]
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class StatementMap:
    """Statements and their places in each layout."""

    statements: Sequence[Statement]
    layouts: Sequence[Layout]
    audited: AuditedLabels | None = None
    total: int = 0
    """The number of statements that the data have; 0 if all of them are here."""


@dataclass(frozen=True, slots=True)
class ConfusablePair:
    """Two relations whose prototypes are close, or whose statements lie closer to the other's prototype."""

    first: str
    second: str
    angle: float
    """Between the prototypes, in degrees."""
    confused: int | None = None
    """Statements of one that are closest to the other's prototype; None without statements."""
    statements: int | None = None
    """All statements of the two."""


@dataclass(frozen=True, slots=True)
class RunGeometry:
    """The prototypes of a run: angles between them, and how far statements lie from their own."""

    run: str
    relations: Sequence[str]
    angles: NDArray[np.float64]
    """Of each pair of prototypes, in degrees."""
    ideal_angle: float | None
    """The angle of the widest even spread; None for fewer than two prototypes."""
    spread: Mapping[str, float]
    """The median angle of each relation's statements to its prototype, in degrees, where it was measured."""
    confusable: Sequence[ConfusablePair]


@dataclass(frozen=True, slots=True)
class EvaluationTable:
    """The figures of one kind of evaluation: a row per measurement, a column per run."""

    title: str
    rows: Mapping[str, Mapping[str, Measurement]]
    """Measurements by run, for each row."""
    note: str = ""
    lower_is_better: frozenset[str] = frozenset()
    """Rows whose lowest figure is the best."""


@dataclass(frozen=True, slots=True)
class WorstLabel:
    """A statement whose label looks wrong."""

    statement: Statement
    score: float
    looks_like: str = ""
    """The relation that it looks like; empty if that is its label or not known."""
    reason: str = ""
    says: str | None = None
    """What the sentence really says, in words; None if that is not known."""


@dataclass(frozen=True, slots=True)
class RelationLabels:
    """The labels of one relation, audited."""

    relation: str
    statements: int
    issues: int
    estimated_wrong: float
    confused_with: str = ""


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """Scores of labels, by what is known of their truth, and the worst of them."""

    score_name: str
    explanation: str
    scores: Mapping[str, NDArray[np.float64]]
    """Of the labels that are known to be "true", known to be "false", and "unchecked"."""
    worst: Sequence[WorstLabel]
    auroc: Measurement | None = None
    """How well the score tells true labels from false ones."""
    threshold: float = 0.0
    """Below it, a label is more probably wrong than right."""
    relations: Sequence[RelationLabels] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class RelationCount:
    """The statements of a relation in the data."""

    relation: str
    statements: int
    known_wrong: int | None = None
    """None where no label was checked."""


@dataclass(frozen=True, slots=True)
class DataCard:
    """What the runs were trained on, and what the statements of the page are."""

    runs: Mapping[str, Mapping[str, str]]
    """For each run, its facts by name."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Facts about the statements of the page."""
    relations: Sequence[RelationCount] = ()


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
    facts: Mapping[str, str] = field(default_factory=dict)
    comparison: Sequence[BeforeAfter] = ()
    """Measurements before and after training; shown first."""
    comparison_title: str = ""
    """Title of the comparison: what all its rows measure."""
    comparison_note: str = ""
    map: StatementMap | None = None
    map_note: str = ""
    """How to read the map, or why there is none."""
    geometry: Sequence[RunGeometry] = ()
    journals: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    """The lines of each run's journal: step, loss, terms, learning_rate, statements_per_second."""
    evaluations: Sequence[EvaluationTable] = ()
    labels: LabelCheck | None = None
    card: DataCard | None = None
    read: Sequence[ReadSentence] = ()
    """Sentences that triples were extracted from."""
    read_note: str = ""
    relation_names: Mapping[str, str] = field(default_factory=dict)
    """Readable name of each relation, by id."""
