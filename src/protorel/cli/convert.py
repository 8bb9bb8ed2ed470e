"""`protorel convert`: tables and benchmark files to statements in one format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.output import say
from protorel.corpora import FORMATS
from protorel.io import BadInput

_FORMAT_HELP = f"Format of the sources: {', '.join(FORMATS)}."


def convert(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Files; for fuzzyred also a folder.")],
    format: Annotated[str, typer.Option("--format", metavar="NAME", help=_FORMAT_HELP)],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.parquet", help="File for the statements.")],
    allow_overlap: Annotated[
        bool, typer.Option("--allow-overlap", help="Keep rows of csv and jsonl whose head and tail overlap.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace --out if it exists.")] = False,
) -> None:
    """Convert foreign files to statements; rejected rows go to NAME.rejects.jsonl next to them."""
    from protorel.corpora import check_conversion
    from protorel.corpora import convert as convert_files
    from protorel.io import check_file_target, made_folder

    check_conversion(sources, format, out)
    if out.is_file() and not force:
        raise BadInput(f"{out}: exists already; replace it with --force, or choose another --out")
    check_file_target(out)
    with made_folder(out.parent):
        done = convert_files(sources, format, out, allow_overlap=allow_overlap)
    rejects = f" ({done.rejects_path.name})" if done.rejects_path else ""
    overlapping = f"; {done.overlapping} with overlapping entities" if done.overlapping else ""
    say(
        f"{done.rows_in} rows read = {done.rows_out} statements written to {out.name}"
        f" + {done.rows_rejected} rejected{rejects}{overlapping}"
    )
