"""The foreign formats by name, and the way from somebody's files to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from protorel.corpora.csv_table import read_csv
from protorel.corpora.docred import read_docred, read_docred_evidence
from protorel.corpora.docred_pairs import read_docred_pairs
from protorel.corpora.fewrel import read_fewrel
from protorel.corpora.fuzzyred import read_fuzzyred
from protorel.corpora.jsonl import read_jsonl
from protorel.corpora.opennre import read_opennre
from protorel.corpora.rebel import read_rebel
from protorel.corpora.rejects import Reader, Row
from protorel.corpora.released_ids import read_released_ids
from protorel.corpora.semeval2010 import read_semeval2010
from protorel.corpora.tacred import read_tacred
from protorel.corpora.wikigender import read_wikigender
from protorel.corpora.zerorte import read_zerorte
from protorel.io import check_source, is_folder
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format: how one file is read, and which files of a folder belong to it where a folder may be given."""

    name: str
    read: Reader
    in_folder: str | None = None
    read_with_overlap: Reader | None = None
    """How a file is read if rows whose head and tail overlap are allowed; None: `read` keeps them, so that the counts
    published for a benchmark stay."""


FORMATS = {
    format.name: format
    for format in (
        Format("fewrel", read_fewrel),
        Format("semeval", read_semeval2010),
        Format("fuzzyred", read_fuzzyred, in_folder="*.semeval"),
        Format("opennre", read_opennre),
        Format("docred", read_docred),
        Format("docred_evidence", read_docred_evidence),
        Format("docred_pairs", read_docred_pairs),
        Format("rebel", read_rebel),
        Format("zerorte", read_zerorte),
        Format("wikigender", read_wikigender),
        Format("tacred", read_tacred),
        Format("released", read_released_ids),
        Format("csv", read_csv, read_with_overlap=partial(read_csv, allow_overlap=True)),
        Format("jsonl", read_jsonl, read_with_overlap=partial(read_jsonl, allow_overlap=True)),
    )
}
"""Every format that can be read, by the name that the command line knows."""


def format_named(name: str) -> Format:
    """Return a format by its name, or raise `BadInput` with the names that are known."""
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, FORMATS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"format: expected one of {', '.join(FORMATS)}, got {name!r}.{hint}")


def files_of(sources: Sequence[Path], format: Format) -> list[Path]:
    """Return the files that the sources name, in order; each must be there, hold something, and be named once."""
    files: list[Path] = []
    for source in sources:
        if is_folder(source):
            if format.in_folder is None:
                raise BadInput(f"{source}: expected a file of format {format.name}, got a folder")
            inside = sorted(source.glob(format.in_folder))
            if not inside:
                raise BadInput(f"{source}: expected one {format.in_folder} file or more in this folder, got none")
            files += inside
        else:
            files.append(source)
    if not files:
        raise BadInput("expected one source file or more, got none")
    seen: set[Path] = set()
    for file in files:
        _check(file, format)
        if file.resolve() in seen:
            raise BadInput(f"{file}: expected each source once, got it twice")
        seen.add(file.resolve())
    return files


def read_rows(sources: Sequence[Path], format: Format, *, allow_overlap: bool = False) -> Iterator[Row]:
    """Yield a statement or a reject for each row of the sources, in order.

    `allow_overlap` keeps rows whose head and tail overlap in a format that rejects them.
    """
    read = (format.read_with_overlap if allow_overlap else None) or format.read
    for file in files_of(sources, format):
        try:
            yield from read(file)
        except OSError as problem:
            raise BadInput(f"{file}: cannot be read ({problem.strerror})") from problem


def _check(file: Path, format: Format) -> None:
    check_source(file, folder=True)
    if file.stat().st_size == 0:
        raise BadInput(f"{file}: expected a file of format {format.name}, got an empty file")
