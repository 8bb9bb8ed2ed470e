"""The one registry of output formats.

A format is a module with either `render(extractions, counts)`, which yields text, or `write(extractions, path,
counts)`. Adding one: a file next to this one, and a line in `FORMATS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Literal

from protorel.extraction.triples import Extraction
from protorel.io import BadInput, check_file_target, check_folder_target, is_there, printable, written_whole

_HERE = "protorel.extraction.formats"


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """How triples are written."""

    module: str
    target: Literal["text", "file", "folder"] = "text"
    """Text can go to standard output; the others need a name."""

    def render(self, extractions: Iterable[Extraction], counts: Counter[str]) -> Iterator[str]:
        """Yield the text of the extractions, piece by piece; `counts` gains what had to be changed."""
        pieces: Iterator[str] = import_module(self.module).render(extractions, counts)
        return pieces

    def write(self, extractions: Iterable[Extraction], path: Path, counts: Counter[str]) -> None:
        """Write a file or a folder."""
        import_module(self.module).write(extractions, path, counts)


FORMATS = {
    "table": OutputFormat(f"{_HERE}.text_table"),
    "jsonl": OutputFormat(f"{_HERE}.json_lines"),
    "csv": OutputFormat(f"{_HERE}.csv_rows"),
    "parquet": OutputFormat(f"{_HERE}.parquet_rows", "file"),
    "graphml": OutputFormat(f"{_HERE}.graph_xml"),
    "neo4j": OutputFormat(f"{_HERE}.neo4j_import", "folder"),
}


def output_format(name: str) -> OutputFormat:
    """Return a format by its name, or raise `BadInput`."""
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, FORMATS, n=1)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"format: expected {', '.join(FORMATS)}, got {printable(name)!r}{hint}")


def format_for(out: Path | None) -> str:
    """Return the format that the suffix of a file names; without a file, or for another suffix, the table."""
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else "table"


def check_output(name: str, out: Path | None) -> None:
    """Refuse, before any work, a format that is not known or a place that cannot be written.

    Raises:
        BadInput: also if a format that needs a file or folder got none, or a folder that exists.
    """
    target = output_format(name).target
    if out is None:
        if target != "text":
            raise BadInput(f"--format {name}: expected --out with the name of a {target}, got none")
    elif target == "folder":
        if is_there(out):
            raise BadInput(f"{out}: exists already; choose another folder")
        check_folder_target(out)
    else:
        check_file_target(out)


def write_extractions(
    extractions: Iterable[Extraction], name: str, out: Path | None, *, say: Callable[[str], None]
) -> Counter[str]:
    """Write extractions in a format, to a file or folder or piece by piece to `say`.

    Returns:
        What had to be changed to be written, such as characters that XML cannot hold.

    Raises:
        BadInput: the format is not known.
        WorkFailed: the disk is full or fails.
    """
    chosen = output_format(name)
    counts: Counter[str] = Counter()
    if chosen.target != "text":
        check_output(name, out)
        with written_whole(Path(str(out))) as beside:
            chosen.write(extractions, beside, counts)
    elif out is not None:
        with written_whole(out) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(chosen.render(extractions, counts))
    else:
        for piece in chosen.render(extractions, counts):
            say(piece)
    return counts
