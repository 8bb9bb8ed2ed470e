"""The report of runs: gathers what they, the data, an audit and evaluations have, and writes the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from protorel.audit import Audit
from protorel.evaluation import encode_once
from protorel.geometry import Prototypes
from protorel.io import BadInput, as_path, check_file_target, kind
from protorel.model import ModelSource, RelationModel, RunRecord
from protorel.report.audit_content import audited_labels, label_check, relation_names
from protorel.report.content import DataCard, Layout, ReportContent, RunGeometry, StatementMap
from protorel.report.evaluation_files import check_evaluations, evaluation_tables
from protorel.report.page import write_report
from protorel.report.prototype_geometry import run_geometry
from protorel.report.run_content import MapSettings, data_facts, layouts_of, relation_counts, training_facts
from protorel.statements import Statement, StatementsLike, as_data_set
from protorel.training import read_journal

NO_DATA = "no map: name the statements to draw by --data"
_MAP_NOTE = (
    "Points that are close on the map need not be similar: it keeps some of the distances between vectors of hundreds "
    "of dimensions. t-SNE keeps neighbours, principal components (PCA) keep large distances."
)


@dataclass(frozen=True, slots=True)
class RunReport:
    """A report that was written."""

    path: Path
    runs: tuple[str, ...]
    statements: int
    """The number of statements on the map."""
    label_issues: int | None
    """The number of label issues of the audit; None without one."""
    notes: tuple[str, ...] = ()
    """What is missing on the page, and why."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run as the page needs it; the encoder is loaded only for a map."""

    name: str
    source: ModelSource
    record: RunRecord
    prototypes: Prototypes
    journal: Sequence[Mapping[str, Any]] = field(repr=False)


def report_runs(
    runs: Sequence[Path | str | ModelSource] | Path | str | ModelSource,
    out: Path | str,
    *,
    data: StatementsLike | None = None,
    audit: Audit | Path | str | None = None,
    evaluations: Sequence[Path | str] = (),
    settings: MapSettings | None = None,
) -> RunReport:
    """Write a page about one or several runs: map, labels, figures, geometry, curves and data card, in one HTML file.

    Args:
        runs: Run folders, `protorel-small`, or hub ids of runs; several are shown next to each other.
        out: The HTML file to write.
        data: Statements to draw on the map, in any form that `as_statements` accepts; without them there is no map.
        audit: An audit, or its folder; with `data`, an audit of these statements.
        evaluations: JSON files that `protorel evaluate … --json` wrote.
        settings: Projection and size of the map.

    Returns:
        Where the page is, what it shows, and notes on what is missing.

    Raises:
        BadInput: a run, a file or the audit cannot be read, or the audit is one of other data.
        WorkFailed: the disk is full or broken.

    >>> import tempfile
    >>> found = report_runs("protorel-small", tempfile.mkdtemp() + "/report.html")
    >>> found.runs, found.statements, found.notes[0]
    (('protorel-small',), 0, 'no map: name the statements to draw by --data')
    """
    settings = settings or MapSettings()
    path = as_path(out, "out", expected="the name of a file")
    check_file_target(path)
    sources = find_runs([runs] if isinstance(runs, str | Path | ModelSource) else runs)
    tables = evaluation_tables(check_evaluations([as_path(one, "evaluations") for one in evaluations]))
    found_audit, where = (audit, "audit") if isinstance(audit, Audit | None) else (Audit.read(audit), str(audit))
    loaded = [_load(name, source) for name, source in sources.items()]
    names = {one.id: one.name for run in reversed(loaded) for one in run.prototypes.relations if one.name}
    content = ReportContent(
        title=f"protorel: {', '.join(sources)}",
        summary=" ".join(_summary(run) for run in loaded),
        geometry=[run_geometry(run.name, run.prototypes) for run in loaded],
        journals={run.name: run.journal for run in loaded},
        evaluations=tables,
        labels=None if found_audit is None else label_check(found_audit),
        card=DataCard({run.name: training_facts(run.record) for run in loaded}),
        map_note=f"{NO_DATA}.".capitalize(),
        relation_names=({} if found_audit is None else relation_names(found_audit)) | names,
    )
    notes = [f"{run.name}: no curves: its folder has no journal" for run in loaded if not run.journal]
    notes += [f"{run.name}: no geometry: it has no prototypes" for run in loaded if not len(run.prototypes.relations)]
    if data is None:
        notes.insert(0, NO_DATA)
    else:
        given = as_data_set(data)
        statements = list(given.source())
        if not statements:
            raise BadInput(f"{given.path or given.name}: expected statements, got none")
        notes += _foreign(loaded, statements)
        content = _with_map(content, loaded, statements, given.name, found_audit, where, settings)
    write_report(content, path)
    drawn = 0 if content.map is None else len(content.map.statements)
    return RunReport(
        path, tuple(sources), drawn, None if found_audit is None else found_audit.label_issues, tuple(notes)
    )


def find_runs(runs: Sequence[Path | str | ModelSource]) -> dict[str, ModelSource]:
    """Return the runs by the names that the page shows; equal names are numbered.

    Raises:
        BadInput: there is none, or one is not a finished run.
    """
    if not isinstance(runs, Sequence) or not runs:
        raise BadInput(f"runs: expected one or more runs, got {'none' if isinstance(runs, Sequence) else kind(runs)}")
    found: dict[str, ModelSource] = {}
    for one in runs:
        source = ModelSource.find(one)
        if source.record is None:
            raise BadInput(
                f"{source.given}: expected a run, got an encoder without relations. Train one with `protorel pretrain`"
            )
        name, number = source.name, 2
        while name in found:
            name, number = f"{source.name} ({number})", number + 1
        found[name] = source
    return found


def _load(name: str, source: ModelSource) -> _Run:
    assert source.record is not None
    folder = source.folder()
    return _Run(name, source, source.record, Prototypes.load(folder), list(read_journal(folder)))


def _summary(run: _Run) -> str:
    """Return one sentence about a run."""
    data, results = run.record.data, run.record.results
    learned = f"{run.name}: {len(run.prototypes.relations):,} relations"
    if data is None:
        return f"{learned}."
    steps = f" in {results.steps:,} steps" if results is not None and results.steps else ""
    return f"{learned}, trained on {data.statements:,} statements{steps}."


def _foreign(runs: Sequence[_Run], statements: Sequence[Statement]) -> list[str]:
    """Return a note for each run that has a prototype for none of the labels."""
    labels = {statement.relation for statement in statements} - {None}
    return [
        f"{run.name}: none of the {len(labels)} relations of the data has a prototype"
        for run in runs
        if labels and len(run.prototypes.relations) and not labels & {*run.prototypes.relations.ids}
    ]


def _with_map(
    content: ReportContent,
    runs: Sequence[_Run],
    statements: Sequence[Statement],
    name: str,
    audit: Audit | None,
    where: str,
    settings: MapSettings,
) -> ReportContent:
    """Return the content with the map, the geometry of the statements, and the card of the data."""
    rows = settings.rows(len(statements)).tolist()
    shown = [statements[row] for row in rows]
    audited = None if audit is None else audited_labels(audit, statements, rows, where=where)
    labels = [statement.relation for statement in shown]
    layouts: list[Layout] = []
    geometry: list[RunGeometry] = []
    for run in runs:
        vectors = encode_once(RelationModel.from_pretrained(run.source), shown)
        layouts += layouts_of(run.name, vectors, run.prototypes, settings)
        geometry.append(run_geometry(run.name, run.prototypes, vectors, labels))
    assert content.card is not None
    return replace(
        content,
        map=StatementMap(shown, layouts, audited, len(statements)),
        map_note=_MAP_NOTE,
        geometry=geometry,
        card=replace(content.card, data=data_facts(statements, name), relations=relation_counts(statements)),
    )
