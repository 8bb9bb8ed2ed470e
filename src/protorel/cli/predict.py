"""`protorel predict`: the relations that hold in given statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protorel.cli.checks import check_data_files, check_results
from protorel.cli.options import FileFormat
from protorel.cli.output import say, say_note
from protorel.io import BadInput, printable

if TYPE_CHECKING:
    from protorel.model import Prediction, RelationModel
    from protorel.statements import Statement

SUFFIXES = (".jsonl", ".parquet")
_TEXT = 300
"""The most characters of a text in the table."""


def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small` or the hub id of a run.")
    ],
    statements: Annotated[
        Path, typer.Argument(help="Statements, labelled or not: Parquet, or any file with --format.")
    ],
    among: Annotated[
        list[str] | None, typer.Option(metavar="RELATION", help="Candidate relation; may be repeated. Default: all.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many candidates to list per statement.")] = 3,
    min_precision: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Assert what reached this precision on held-out data, such as 0.9."),
    ] = None,
    nearest: Annotated[
        int,
        typer.Option(min=0, help="How many prototypes, and training statements that the run keeps, are evidence."),
    ] = 3,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write .jsonl or .parquet; - for JSONL on standard output.")
    ] = None,
    format: FileFormat = None,
) -> None:
    """Print the relations between head and tail of each statement, with their probabilities."""
    from protorel.model import check_has_relations

    source = check_has_relations(model)
    check_data_files(statements, format=format)
    to_stdout = out is not None and str(out) == "-"
    if out is not None and not to_stdout:
        if out.suffix not in SUFFIXES:
            raise BadInput(f"--out: expected a name that ends in {' or '.join(SUFFIXES)}, or -, got {str(out)!r}")
        check_results(out)
    if min_precision is not None and not 0 < min_precision < 1:
        raise BadInput(f"--min-precision: expected a number between 0 and 1, got {min_precision}")
    from protorel.corpora import open_data
    from protorel.model import RelationModel  # brings torch

    found = RelationModel.from_pretrained(source)
    given = list(open_data(statements, format=format).source())
    answers = found.predict(given, among=among, top=top, min_precision=min_precision, nearest=nearest)
    if to_stdout:
        from json import dumps

        for row in _rows(given, answers):
            say(dumps(row, ensure_ascii=False))
    elif out is not None:
        _write(out, list(_rows(given, answers)))
        say(f"{len(answers)} predictions written to {out}")
    else:
        _show(found, given, answers)
    if answers and not answers[0].calibrated:
        say_note("the probabilities are not calibrated; see `protorel calibrate`")


def _rows(statements: Sequence[Statement], answers: Sequence[Prediction]) -> Iterator[dict[str, Any]]:
    """Yield statements with their predictions, as JSON values."""
    for statement, answer in zip(statements, answers, strict=True):
        yield {
            "id": statement.id,
            "text": statement.text,
            "head": [statement.head.start, statement.head.stop],
            "tail": [statement.tail.start, statement.tail.stop],
            **answer.as_json(),
        }


def _write(out: Path, rows: Sequence[dict[str, Any]]) -> None:
    from protorel.io import disk_errors, written_whole

    with disk_errors(out), written_whole(out) as unfinished:
        if out.suffix == ".jsonl":
            from json import dumps

            with unfinished.open("w", encoding="utf-8", errors="surrogatepass") as file:
                file.writelines(dumps(row) + "\n" for row in rows)
        else:
            import pyarrow as pa
            from pyarrow import parquet

            pairs = ("asserted", "ranked")
            listed = [
                {**row, **{name: [{"relation": r, "probability": p} for r, p in row[name]] for name in pairs}}
                for row in rows
            ]
            parquet.write_table(pa.Table.from_pylist(listed), unfinished)


def _nothing(answer: Prediction) -> str:
    """Return what is said where nothing is asserted: that none holds, or that no relation is probable enough."""
    return "none of these" if answer.none_probability >= max((p for _, p in answer.ranked), default=0.0) else "unsure"


def _show(model: RelationModel, statements: Sequence[Statement], answers: Sequence[Prediction]) -> None:
    from rich.table import Table
    from rich.text import Text

    from protorel.cli.console import Console

    table = Table(box=None, header_style="bold")
    for column in ("head", "relation", "tail", "probability", "text"):
        table.add_column(column, justify="right" if column == "probability" else "left")
    names = {one.id: one.name for one in model.relations}
    for statement, answer in zip(statements, answers, strict=True):
        shown = answer.asserted or ((None, answer.probability),)
        for relation, probability in shown:
            name = names.get(relation) or relation if relation is not None else _nothing(answer)
            table.add_row(
                printable(statement.head_text, longest=40),
                Text(printable(name, longest=40), style="dim" if relation is None else "bold cyan"),
                printable(statement.tail_text, longest=40),
                f"{probability:.2f}",
                printable(statement.text, longest=_TEXT),
            )
    Console().print(table)
