"""`protorel report`: one HTML page about one or several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.checks import check_data_files, check_results
from protorel.cli.options import FileFormat, seed_option
from protorel.cli.output import say, say_note
from protorel.io import BadInput


def report(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run folders, `protorel-small` or hub ids of runs.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.html", help="The page to write.")],
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Statements to draw on the map. Without them there is no map.")
    ] = None,
    audit: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Audit of the statements, as `protorel audit` writes it.")
    ] = None,
    evaluation: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.json", help="Result of `protorel evaluate … --json`; may be repeated."),
    ] = None,
    projection: Annotated[
        Literal["both", "tsne", "pca"], typer.Option(help="t-SNE, principal components, or both with a switch.")
    ] = "both",
    most: Annotated[
        int, typer.Option(min=1, max=50_000, help="Most statements on the map; of more, a random sample.")
    ] = 50_000,
    seed: Annotated[int, seed_option("t-SNE and the sample")] = 0,
    format: FileFormat = None,
) -> None:
    """Write a page about runs: map of statements, worst labels, figures, geometry, curves, data card."""
    _check_target(out)
    check_data_files(data, format=format)
    from protorel.io import is_folder, is_there
    from protorel.model import check_has_relations

    sources = [check_has_relations(run) for run in runs]
    if audit is not None and not is_folder(audit):
        got = "a file" if is_there(audit) else "no such folder"
        raise BadInput(f"{audit}: expected the folder of an audit, got {got}. `protorel audit` writes one")
    from protorel.report import check_evaluations

    check_evaluations(evaluation or [])
    from protorel.audit import Audit

    found_audit = None if audit is None else Audit.read(audit)
    from protorel.corpora import open_data
    from protorel.report import MapSettings, report_runs  # brings torch

    given = None if data is None else open_data(data, format=format)
    settings = MapSettings(projection, most, seed)
    found = report_runs(sources, out, data=given, audit=found_audit, evaluations=evaluation or [], settings=settings)
    for note in found.notes:
        say_note(note)
    parts = [f"{len(found.runs)} run{'s' if len(found.runs) > 1 else ''}"]
    if data is not None:
        parts.append(f"{found.statements:,} statements on the map")
    if found.label_issues is not None:
        parts.append(f"{found.label_issues:,} label issues")
    say(f"{out}: {', '.join(parts)} ({out.stat().st_size / 1e6:.1f} MB)")


def _check_target(out: Path) -> None:
    """Raise `BadInput` for a page that could not be written, or whose name a browser would not open as a page."""
    if out.suffix not in (".html", ".htm") and not out.is_dir():
        raise BadInput(f"--out: expected a name that ends in .html, got {str(out)!r}")
    check_results(out)
