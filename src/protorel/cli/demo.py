"""`protorel demo`: the whole pipeline on a small embedded corpus, in two minutes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from protorel.cli.checks import check_new
from protorel.cli.options import seed_option

if TYPE_CHECKING:
    from rich.table import Table

    from protorel.cli.console import Console
    from protorel.demo import DemoResult
    from protorel.evaluation import Measurement

_LIBRARIES = ("torch", "transformers.modeling_utils", "protorel.training", "protorel.evaluation", "protorel.demo.run")
"""Libraries that take seconds to import, each in its turn, so that progress can be shown."""

_MOST_TRIPLES = 12


def demo(
    out: Annotated[Path, typer.Option(help="Folder for data, run and report; must not exist yet.")] = Path("demo"),
    encoder: Annotated[Literal["minilm", "cnn"], typer.Option(help="The encoder to train.")] = "minilm",
    seed: Annotated[int, seed_option("the world and the training")] = 0,
) -> None:
    """Train on the embedded corpus, evaluate, extract triples, and write a page: all of it, small."""
    check_new(out, "choose another --out, or remove it")
    from protorel.cli.console import Console
    from protorel.cli.progress import DemoProgress
    from protorel.demo import Phases

    console = Console()
    with DemoProgress(console) as progress:
        phases = Phases(progress)
        with phases("loading libraries"):
            for number, library in enumerate(_LIBRARIES, start=1):
                import_module(library)
                progress.count(number, len(_LIBRARIES))
            from protorel.demo import run_demo
        result = run_demo(out, encoder=encoder, seed=seed, phases=phases)
    show(console, result)


def show(console: Console, result: DemoResult) -> None:
    """Print the findings, where the time went, and where the page is."""
    console.print("", _table(result), "", sep="\n")
    for line in (result.accuracy_note(), result.labels()):
        console.print(line, highlight=False)
    if result.extracted.triples:
        console.print("", _triples(result), "", sep="\n")
    for line in (result.extracted.in_words(), f"{result.phases.total:.0f} s: {result.phases.in_words()}"):
        console.print(line, highlight=False)
    console.print(f"Open {result.report}", highlight=False, soft_wrap=True)


def _table(result: DemoResult) -> Table:
    from rich.table import Table

    from protorel.demo import QUESTION

    table = Table(show_edge=False)
    table.add_column(QUESTION)
    table.add_column("before training", justify="right")
    table.add_column("after", justify="right", style="bold")
    for row in result.accuracy():
        table.add_row(row.words, _percent(row.before), _percent(row.after))
    return table


def _triples(result: DemoResult) -> Table:
    from rich.table import Table
    from rich.text import Text

    triples = result.extracted.triples
    shown = triples[:_MOST_TRIPLES]
    title = f"Triples from raw text, the first {len(shown)} of {len(triples)}"
    table = Table(show_edge=False, title=title, title_justify="left", title_style="")
    for name in ("", "head", "relation", "tail"):
        table.add_column(name)
    table.add_column("prob.", justify="right")
    for checked in shown:
        verdict = Text("✓ right", "green") if checked.right else Text("✗ wrong", "red")
        triple = checked.triple
        cells = (triple.head.text, triple.relation, triple.tail.text)
        table.add_row(verdict, *map(Text, cells), f"{triple.probability:.2f}")
    return table


def _percent(figure: Measurement) -> str:
    return f"{100 * figure.value:.1f} ± {100 * figure.margin:.1f} %"
