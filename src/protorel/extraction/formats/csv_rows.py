"""CSV: one row per triple, asserted or uncertain."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator

from protorel.extraction.formats.rows import COLUMNS, triple_rows
from protorel.extraction.triples import Extraction


def render(extractions: Iterable[Extraction], _: Counter[str]) -> Iterator[str]:
    """Yield the header and the rows; text is quoted, so that it may hold commas, quotes and line ends."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in triple_rows(extractions):
        row |= {name: str(row[name]).lower() for name in ("asserted", "calibrated")}
        writer.writerow(["" if row[name] is None else row[name] for name in COLUMNS])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()
