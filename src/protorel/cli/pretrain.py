"""`protorel pretrain`: noisy statements in, an encoder with prototypes out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from protorel.cli.progress import TrainingProgress
from protorel.statements import Interrupted


def pretrain(
    recipe: Annotated[str, typer.Argument(help="A recipe that we ship, such as col_final, or a YAML file.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings on top of the recipe.")
    ] = None,
    *,
    data: Annotated[Path, typer.Option(help="Statements: a Parquet file, or a folder of them.")],
    out: Annotated[Path, typer.Option(help="The run folder to make.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
) -> None:
    """Train an encoder and one prototype for each relation on distantly labelled statements."""
    from protorel.model import read_record
    from protorel.training import load_recipe  # torch is loaded when it is needed, not for --help
    from protorel.training import pretrain as pretrain_model

    console = Console()
    settings = load_recipe(recipe, overrides or [])
    try:
        with TrainingProgress(console) as progress:
            model = pretrain_model(data, out, settings, resume=resume, watch=progress)
    except Interrupted as stopped:
        again = " ".join(["protorel pretrain", recipe, *(overrides or []), f"--data {data} --out {out} --resume"])
        raise Interrupted(f"{stopped}. Go on with: {again}") from None
    used = read_record(out)["data"]
    console.print(
        f"{used['statements']} statements used, {len(used['rejected'])} rejected, {used['unlabelled']} unlabelled; "
        f"{len(model.relations)} prototypes and their encoder are in {out}",
        highlight=False,
        soft_wrap=True,
    )
