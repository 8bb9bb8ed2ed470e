"""`protorel patterns`: the patterns in which a data set expresses its relations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import check_data_files, check_results
from protorel.cli.options import FileFormat, LabelledData
from protorel.io import BadInput, printable

if TYPE_CHECKING:
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.patterns import ReadPattern, ReadPatterns

_LINE = 400
"""The most characters of a pattern, and of an example."""


def patterns(
    data: LabelledData,
    relation: Annotated[str | None, typer.Option(metavar="ID", help="Relation whose patterns to show.")] = None,
    all: Annotated[bool, typer.Option("--all", help="Find the patterns of every relation, for --json.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Number of patterns per relation.")] = 20,
    json: Annotated[Path | None, typer.Option(help="Write patterns, examples and settings to this file.")] = None,
    format: FileFormat = None,
) -> None:
    """Show the patterns that Snowball finds for a relation: HEAD, TAIL, and the words around them."""
    if (relation is None) != all:
        raise BadInput("expected one relation by --relation, or every one by --all with --json")
    if all and json is None:
        raise BadInput("--all: expected --json FILE with it, got none")
    check_data_files(data, format=format)
    check_results(json)
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.corpora import open_data
    from protorel.io import write_json
    from protorel.patterns import patterns_json, read_patterns  # imports scipy

    opened = open_data(data, format=format)
    found: list[ReadPatterns] = []
    with Console(stderr=True).status("reading statements") as status:  # shown on a terminal only
        for read in read_patterns(opened.source, None if relation is None else [relation], top=top):
            found.append(read)
            status.update(f"{len(found)} relations done")
    if json is not None:
        write_json(json, patterns_json(found, opened, top=top))
    console = Console()
    if all:
        shown = sum(len(read.patterns) for read in found)
        console.print(Text(f"{shown} patterns of {len(found)} relations are in {json}"), soft_wrap=True)
    else:
        _show(console, found[0])


def _show(console: Console, read: ReadPatterns) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for row in read.patterns:
        table.add_row(f"{row.confidence:.2f}", _in_words(row))
    if read.patterns:
        console.print(table)
    shown = f"{len(read.patterns)} of " if len(read.patterns) < read.found else ""
    line = (
        f"{printable(read.relation)}: {shown}{read.found} patterns, which match {read.matched} of its "
        f"{read.statements} statements"
    )
    console.print(Text(line), soft_wrap=True)


def _in_words(row: ReadPattern) -> Text:
    """Return a pattern with its entities coloured, and its counts and examples below."""
    from rich.text import Text

    text = Text(printable(row.pattern, longest=_LINE), style="bold")
    text.highlight_regex(r"\b(HEAD|TAIL)(:\S+)?", style="cyan")
    others = f", {row.other_pairs} pairs of other relations" if row.other_pairs else ""
    text.append(f"\n{row.statements} statements of {row.pairs} pairs{others}\n", style="not bold")
    for example in row.examples:
        text.append(f"{printable(str(example), longest=_LINE)}\n", style="not bold dim")
    return text
