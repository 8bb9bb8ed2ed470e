"""The foreign formats by name, and opening or reading a data set of any format."""

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
from protorel.corpora.released_ids import read_released_ids
from protorel.corpora.rows import Reader, Reject, Row
from protorel.corpora.semeval2010 import read_semeval2010
from protorel.corpora.tacred import read_tacred
from protorel.corpora.wikigender import read_wikigender
from protorel.corpora.zerorte import read_zerorte
from protorel.io import BadInput, check_source, check_type, is_folder
from protorel.statements import DataSet, Statement, check_parquet


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format: the reader of one file and, if a source may be a folder, the pattern of its files."""

    name: str
    read: Reader
    in_folder: str | None = None
    read_with_overlap: Reader | None = None
    """The reader that keeps rows whose head and tail overlap; None if `read` keeps them, as for benchmarks."""


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
"""All formats, by the names that `--format` takes."""


def format_named(name: str) -> Format:
    """Return a format by its name, or raise `BadInput` with the known names."""
    check_type(name, str, where="format", expected=f"one of {', '.join(FORMATS)}")
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, FORMATS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"format: expected one of {', '.join(FORMATS)}, got {name!r}.{hint}")


def files_of(sources: Sequence[Path], format: Format) -> list[Path]:
    """Return the files of the sources, in order; each must exist, not be empty, and be given once."""
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

    With `allow_overlap`, csv and jsonl keep rows whose head and tail overlap.
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


def check_data(path: Path, *, format: str | None = None) -> None:
    """Raise `BadInput`, without loading pyarrow, if a data set does not exist or is not of the format."""
    chosen = format_named(format) if format is not None else None
    if chosen is None or _is_parquet(path):
        check_parquet(path)
    else:
        files_of([path], chosen)


def open_data(path: Path, *, format: str | None = None) -> DataSet:
    """Return the data set of a Parquet file, or of a foreign file of the given format.

    A command with several files has one `--format`, so a Parquet file is recognised by its name.
    """
    if format is None or _is_parquet(path):
        return DataSet.at(path)
    return DataSet.of(path.resolve().name, read_data(path, format=format), path)


def read_data(path: Path, *, format: str | None = None) -> list[Statement]:
    """Return the statements of a Parquet file, or of a foreign file of the given format.

    A foreign row that is not a statement is an error here: no figure may silently leave out rows.
    """
    from protorel.statements import read_statements  # pyarrow is loaded when it is needed

    if format is None:
        return read_statements(path)
    rows = list(read_rows([path], format_named(format)))
    rejects = [row for row in rows if isinstance(row, Reject)]
    if rejects:
        raise BadInput(
            f"{path}: {len(rejects)} of {len(rows)} rows are not statements; the first: {rejects[0]}. "
            "`protorel convert` keeps the others."
        )
    return [row for row in rows if isinstance(row, Statement)]


def _is_parquet(path: Path) -> bool:
    return path.suffix == ".parquet" or (is_folder(path) and any(path.glob("*.parquet")))
