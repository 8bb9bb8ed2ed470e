"""`protorel leakage`: the overlap of a training set with a test set, and the training set without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.options import EquivalentsFile, FileFormat
from protorel.io import printable

if TYPE_CHECKING:
    from rich.table import Table

    from protorel.cli.console import Console
    from protorel.statements import Leakage

_TITLES = {"pairs": "entity pairs", "near_duplicates": "near-duplicates"}
_SHOWN = 10


def leakage(
    train: Annotated[Path, typer.Argument(help="Training statements: Parquet, or any file with --format.")],
    test: Annotated[Path, typer.Argument(help="Test statements: Parquet, or any file with --format.")],
    equivalents: EquivalentsFile = None,
    write_strict: Annotated[
        Path | None, typer.Option(metavar="FILE.parquet", help="Write the training statements without overlap.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write counts, examples and settings to this file.")] = None,
    format: FileFormat = None,
) -> None:
    """Report relations, entity pairs, sentences and near-duplicates that TRAIN shares with TEST."""
    check_data_files(train, test, format=format)
    check_files(equivalents)
    check_results(write_strict, json)
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.corpora import open_data
    from protorel.io import write_json
    from protorel.statements import compare, leakage_json, load_equivalents
    from protorel.statements import write_strict as write_remainder

    meanings = load_equivalents(equivalents)
    training, testing = open_data(train, format=format), open_data(test, format=format)
    with Console(stderr=True).status("comparing statements"):  # shown on a terminal only
        found = compare(training, testing, equivalents=meanings, strict=write_strict)
    if json is not None:
        write_json(json, leakage_json(found, training, testing, equivalents=meanings))
    console = Console()
    console.print(_table(found, training.name, testing.name))
    _say_relations(console, found)
    if write_strict is not None:
        write_remainder(found, training, write_strict)
    share = f"{found.left} of {found.train} training statements, of {found.relations_left} relations, share nothing"
    written = f"; they are in {write_strict}" if write_strict is not None else ""
    console.print(Text(share + written), soft_wrap=True)


def _table(found: Leakage, train: str, test: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(f"overlap of {printable(train)} with {printable(test)}"), title_justify="left")
    for name in ("", "shared", "training statements", "test statements"):
        table.add_column(name, justify="right" if name else "left")
    for kind, shared in found.shared.items():
        table.add_row(_TITLES.get(kind, kind), str(shared.things), str(shared.train), str(shared.test))
    table.add_row("any of these", "", str(found.removed), str(found.touched), style="bold", end_section=True)
    table.add_row("of", "", str(found.train), str(found.test))
    return table


def _say_relations(console: Console, found: Leakage) -> None:
    from rich.text import Text

    for pair in found.relations[:_SHOWN]:
        name = " = ".join(dict.fromkeys(map(printable, (pair.train, pair.test))))
        console.print(
            Text(f"shared relation {name}: {pair.train_statements} training, {pair.test_statements} test statements"),
            soft_wrap=True,
        )
    if (more := len(found.relations) - _SHOWN) > 0:
        console.print(Text(f"and {more} more (--json names them all)"), soft_wrap=True)
