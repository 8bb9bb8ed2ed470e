"""`protorel audit`: which labels of a data set are wrong, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import EquivalentsFile, FileFormat, RunOrEncoder, seed_option
from protorel.cli.output import say, say_note
from protorel.io import BadInput, printable

if TYPE_CHECKING:
    from rich.table import Table

    from protorel.audit import Audit

_TEXT = 160
"""The most characters of a text in the table."""


def audit(
    model: RunOrEncoder,
    data: Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write.")],
    descriptions: Annotated[
        Path | None,
        typer.Option(help="Names and descriptions of relations. Default: those that the model keeps."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the data; each is graded by the others.")] = 5,
    neighbours: Annotated[int, typer.Option(min=1, help="Nearest statements whose labels are compared.")] = 20,
    reverse: Annotated[
        bool, typer.Option(help="Also read statements from tail to head, which doubles the time.")
    ] = True,
    wordings: Annotated[bool, typer.Option(help="Also look for word patterns of each relation.")] = True,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the statements without label issues to this Parquet file."),
    ] = None,
    show: Annotated[int, typer.Option(min=0, max=1000, help="Number of labels and relations to print.")] = 10,
    seed: Annotated[int, seed_option("the folds")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
) -> None:
    """Rank the labels of a data set by how likely they are wrong, with the evidence."""
    from protorel.io import check_folder_target

    source = find_model(model, [data], files=[descriptions, equivalents], results=[keep], format=format)
    check_folder_target(out)
    _check_places(data, out, keep)
    from protorel.statements import load_descriptions, load_equivalents

    texts = load_descriptions(descriptions) if descriptions else None
    meanings = load_equivalents(equivalents)
    from protorel.audit import AuditSettings, audit_labels  # imports torch, after the checks
    from protorel.cli.console import Console
    from protorel.cli.progress import CountProgress
    from protorel.corpora import open_data

    console = Console()
    settings = AuditSettings(folds=folds, neighbours=neighbours, reverse=reverse, wordings=wordings, seed=seed)
    with CountProgress(Console(stderr=True), "statement") as progress:
        found = audit_labels(
            source,
            open_data(data, format=format),
            settings=settings,
            descriptions=texts,
            equivalents=meanings,
            count=progress,
        )
    found.write(out)
    if show:
        console.print(_worst(found, show))
        console.print(_relations(found, show))
    _close(found, out)
    if keep is not None:
        from protorel.statements import write_statements

        kept = found.keep()
        write_statements(kept.statements, keep)
        say(f"{len(kept.statements):,} statements kept in {keep}, {len(kept.dropped):,} dropped")


def _check_places(data: Path, out: Path, keep: Path | None) -> None:
    """Raise `BadInput` if a file of the audit would replace the data, or if the kept statements have another ending."""
    if keep is not None and keep.suffix != ".parquet":
        raise BadInput(f"{keep}: expected a name that ends in .parquet")
    for path in (keep, out / "audit.parquet", out / "relations.parquet"):
        if path is not None and data.resolve() in (path.resolve(), path.resolve().parent):
            raise BadInput(f"{path}: would overwrite or extend {data}. Choose another place.")


def _close(found: Audit, out: Path) -> None:
    summary = found.summary
    share = 100 * summary["estimated_wrong_share"]
    say(
        f"{len(found):,} labels of {summary['relations']} relations: {found.label_issues:,} look wrong, "
        f"{share:.1f} % by the sum of all scores. The audit is in {out}"
    )
    if summary["calibrated_on"]:
        say(f"scores are calibrated on {summary['calibrated_on']:,} statements whose labels were judged")
    else:
        say_note(f"nobody judged these labels, so the share is a guess; `protorel judge {out}` measures it")
    if summary["unlabelled"]:
        say_note(f"{summary['unlabelled']:,} statements without a label were left out")
    if by_means := summary["scored_by"].get("means", 0):
        say_note(f"{by_means} relations have neither prototype nor description: they are scored by their statements")


def _worst(found: Audit, count: int) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", title="most suspicious labels", title_justify="left")
    for column in ("score", "label", "looks like", "text", "reason"):
        table.add_column(column, justify="right" if column == "score" else "left")
    columns = ["label_score", "given_label", "predicted_label", "text", "reason"]
    names = _names(found)
    for row in found.table.select(columns).slice(0, count).to_pylist():
        shown = (printable(names[row[column]], longest=40) for column in ("given_label", "predicted_label"))
        table.add_row(
            f"{row['label_score']:.3f}",
            *shown,
            printable(row["text"], longest=_TEXT),
            printable(row["reason"], longest=_TEXT),
        )
    return table


def _relations(found: Audit, count: int) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", title="relations with the most wrong labels", title_justify="left")
    for column in ("relation", "statements", "estimated wrong", "confused with"):
        table.add_column(column, justify="left" if column in ("relation", "confused with") else "right")
    names = _names(found)
    for row in found.relations.slice(0, count).to_pylist():
        share = 100 * row["estimated_wrong"] / row["statements"]
        confused = (
            f"{printable(names[row['confused_with']], longest=40)} ({row['confused']})" if row["confused"] else ""
        )
        table.add_row(
            printable(names[row["relation"]], longest=40),
            f"{row['statements']:,}",
            f"{row['estimated_wrong']:,.0f} ({share:.0f} %)",
            confused,
        )
    return table


def _names(found: Audit) -> dict[str, str]:
    """Return what each relation is called: its name, or its id where it has none."""
    rows = found.relations.select(["relation", "name"]).to_pylist()
    return {row["relation"]: row["name"] or row["relation"] for row in rows}
