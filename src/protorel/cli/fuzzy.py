"""`protorel fuzzy`: statements of the most ambiguous relations for people to judge, as FuzzyRED was made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protorel.cli.checks import check_data_files
from protorel.cli.options import FileFormat, seed_option
from protorel.io import printable

if TYPE_CHECKING:
    from rich.table import Table

_RELATIONS, _STATEMENTS = 20, 50
"""The numbers of FuzzyRED."""


def fuzzy(
    statements: Annotated[Path, typer.Argument(help="Distantly labelled statements; or judged ones, with --judged.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the statements to judge.")],
    relations: Annotated[int, typer.Option(metavar="N", min=1, help="Number of relations.")] = _RELATIONS,
    each: Annotated[int, typer.Option(metavar="N", min=1, help="Number of statements per relation.")] = _STATEMENTS,
    seed: Annotated[int, seed_option("the statements")] = 0,
    judged: Annotated[bool, typer.Option("--judged", help="Count the labels that people found false.")] = False,
    format: FileFormat = None,
) -> None:
    """Find the relations with most ambiguous entity pairs (more than two relations), and draw statements to judge."""
    from protorel.io import check_folder_target

    check_data_files(statements, format=format)
    check_folder_target(out)
    from protorel.cli.console import Console
    from protorel.corpora import open_data

    data = open_data(statements, format=format)
    if judged:
        from protorel.evaluation import reproduce_table4

        reproduce_table4(data, out)
        Console().markdown((out / "table4.md").read_text(encoding="utf-8"))
        return
    from protorel.harvest import build_fuzzyred

    found = build_fuzzyred(data, out, relations=relations, statements=each, seed=seed)
    console = Console()
    console.print(_table(found))
    rows = sum(one["statements"] for one in found["relations"].values())
    console.print(
        f"{found['ambiguous_seeds']} of {sum(found['pairs_by_relations'].values())} pairs have over two relations; "
        f"{rows} statements to judge are in {out / 'to_judge.jsonl'}",
        highlight=False,
        soft_wrap=True,
    )


def _table(found: dict[str, Any]) -> Table:
    from rich.table import Table

    table = Table(title="relations with most ambiguous seeds", title_justify="left")
    for name in ("relation", "seeds", "statements"):
        table.add_column(name, justify="left" if name == "relation" else "right")
    for name, one in found["relations"].items():
        table.add_row(printable(name), str(one["seeds"]), str(one["statements"]))
    return table
