"""The command `protorel`: one file per subcommand.

A subcommand is declared with light imports, checks its arguments, and only then imports torch and does the work.
"""

from __future__ import annotations

from typing import Annotated

import typer

from protorel.cli.audit import audit
from protorel.cli.average import average
from protorel.cli.calibrate import calibrate
from protorel.cli.convert import convert
from protorel.cli.demo import demo
from protorel.cli.entry import new_app, run_app, run_main
from protorel.cli.evaluate import evaluate
from protorel.cli.extract import extract
from protorel.cli.finetune import finetune
from protorel.cli.fuzzy import fuzzy
from protorel.cli.harvest import harvest
from protorel.cli.judge import judge
from protorel.cli.leakage import leakage
from protorel.cli.output import say
from protorel.cli.patterns import patterns
from protorel.cli.predict import predict
from protorel.cli.pretrain import pretrain
from protorel.cli.relations import relations
from protorel.cli.renamed import add_moved
from protorel.cli.report import report

_PROGRAM = "protorel"

app = new_app(_PROGRAM, help="Learn relation encoders and relation prototypes from noisy, distantly labelled text.")
_PANELS = {
    "Use a model": (extract, predict, calibrate),
    "Data": (convert, harvest, leakage, patterns, fuzzy),
    "Labels": (audit, judge),
    "Train": (pretrain, finetune, average),
    "Try it": (demo,),
}
app.add_typer(relations, name="relations", rich_help_panel="Use a model")
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)
app.add_typer(evaluate, name="evaluate", rich_help_panel="Evaluate")
app.command(rich_help_panel="Evaluate")(report)
add_moved(app, "reproduce", was="protorel reproduce", now="protorel-paper")
for name in ("data-budget", "label-noise"):
    add_moved(app, name, was=f"protorel {name}", now=f"protorel-paper {name}")
    add_moved(evaluate, name, was=f"protorel evaluate {name}", now=f"protorel-paper {name}")


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        say(f"protorel {version('protorel')}")
        raise typer.Exit


@app.callback()
def _protorel(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None: ...


def main() -> None:
    """Run the command line of this process and exit."""
    run_main(app, _PROGRAM)


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code."""
    return run_app(app, _PROGRAM, arguments, debug=debug)
