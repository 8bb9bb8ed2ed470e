"""Options that several commands of `protorel-paper` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Budget = Literal["smoke", "cpu", "paper"]
Out = Annotated[Path, typer.Option(help="Output folder; finished work in it is kept.")]
BudgetName = Annotated[Budget, typer.Option("--budget", help="Amount of work; smoke only shows that it runs.")]
Seeds = Annotated[str, typer.Option(help="Random seeds for statements and trainings, such as 0,1,2.")]
