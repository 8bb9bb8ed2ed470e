"""`protorel demo`: all of it, small, in a few minutes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from protorel.cli.checks import check_new

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from protorel.demo import DemoResult


def demo(
    out: Annotated[Path, typer.Option(help="Where data, run and report go; must not exist yet.")] = Path("demo"),
    encoder: Annotated[Literal["minilm", "cnn"], typer.Option(help="The encoder to train.")] = "minilm",
    seed: Annotated[int, typer.Option(help="What the world and the training are drawn by.", min=0)] = 0,
) -> None:
    """Small world → distant labels → pretraining → few-shot judging → label check → one page."""
    check_new(out, "choose another --out, or remove it")
    from rich.console import Console

    from protorel.cli.progress import TrainingProgress
    from protorel.demo import run_demo  # torch is loaded when all that was given is checked

    console = Console()
    with TrainingProgress(console) as progress:
        result = run_demo(out, encoder=encoder, seed=seed, watch=progress)
    console.print(_table(result))
    _say_truth(console, result)


def _table(result: DemoResult) -> Table:
    from rich.table import Table

    table = Table(title="few-shot accuracy, %", title_justify="left")
    table.add_column("encoder")
    for name in result.rows[0].figures:
        table.add_column(name, justify="right")
    for row in result.rows:
        figures = [f"{100 * m.value:.1f} ± {100 * m.margin:.1f}" for m in row.figures.values()]
        table.add_row(row.name, *figures, style="bold" if row.emphasised else None)
    return table


def _say_truth(console: Console, result: DemoResult) -> None:
    trained, untrained = result.truth.by_margin, result.untrained_truth.by_margin
    console.print(
        f"true labels told from false ones ({100 * result.truth.false_share:.0f} % are false): "
        f"AUROC {trained.value:.3f} ± {trained.margin:.3f}, untrained {untrained.value:.3f} ± {untrained.margin:.3f}\n"
        f"{result.seconds:.0f} s; open {result.report}",
        highlight=False,
        soft_wrap=True,
    )
