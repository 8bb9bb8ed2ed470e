"""`protorel convert`: somebody's benchmark file to statements in one format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.corpora import FORMATS
from protorel.corpora import convert as convert_files

_FORMAT_HELP = f"What the sources are: {', '.join(FORMATS)}."


def convert(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Files; for fuzzyred a folder too.")],
    format: Annotated[str, typer.Option("--format", metavar="NAME", help=_FORMAT_HELP)],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.parquet", help="Where the statements go.")],
    allow_overlap: Annotated[
        bool, typer.Option("--allow-overlap", help="Keep rows of --format jsonl whose head and tail overlap.")
    ] = False,
) -> None:
    """Convert foreign files to statements; rows that are none go to NAME.rejects.jsonl beside them."""
    done = convert_files(sources, format, out, allow_overlap=allow_overlap)
    rejects = f" ({done.rejects_path.name})" if done.rejects_path else ""
    overlapping = f"; {done.overlapping} with overlapping entities" if done.overlapping else ""
    typer.echo(
        f"{done.rows_in} rows read = {done.rows_out} statements written to {out.name}"
        f" + {done.rows_rejected} rejected{rejects}{overlapping}"
    )
