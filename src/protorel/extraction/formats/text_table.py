"""A table to read: one row per triple, the uncertain ones marked."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from protorel.extraction.triples import Extraction, Triple
from protorel.io import printable

_NARROWEST = 60


def render(extractions: Iterable[Extraction], _: Counter[str]) -> Iterator[str]:
    """Yield a table per text that has triples."""
    for one in extractions:
        if one.triples or one.uncertain:
            yield _drawn(_table(one))
        elif one.problem is None:
            yield f"{printable(one.document) + ': ' if one.document else ''}no triples\n"


def _table(extraction: Extraction) -> Table:
    title = Text(printable(extraction.document)) if extraction.document else None
    table = Table(title=title, title_justify="left")
    for name in ("head", "relation", "tail"):
        table.add_column(name, overflow="fold")
    for name in ("probability", "reversed", ""):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for triples, mark in ((extraction.triples, ""), (extraction.uncertain, "uncertain")):
        for triple in triples:
            table.add_row(*_cells(triple), mark)
    return table


def _cells(triple: Triple) -> Iterator[Text]:
    for cell in (triple.head.text, triple.label, triple.tail.text):
        yield Text(printable(" ".join(cell.split())))
    yield Text(f"{triple.probability:.2f}")
    yield Text(f"{triple.reverse_probability:.2f}")


def _drawn(table: Table) -> str:
    stream = io.StringIO()
    width = max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns)
    Console(file=stream, width=width, markup=False, emoji=False, highlight=False, color_system=None).print(table)
    return stream.getvalue()
