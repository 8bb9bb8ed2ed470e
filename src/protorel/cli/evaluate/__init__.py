"""`protorel evaluate …`: a run in, honest figures out. One kind of judging, one file."""

from __future__ import annotations

import typer

from protorel.cli.evaluate.fewshot import fewshot

evaluate = typer.Typer(help="Judge a run: figures with intervals.", no_args_is_help=True)
for judge in (fewshot,):
    evaluate.command()(judge)
