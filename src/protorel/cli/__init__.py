"""The command line: one verb, one file."""

from __future__ import annotations

import sys

import typer

from protorel.cli.blend import blend
from protorel.cli.convert import convert
from protorel.cli.demo import demo
from protorel.cli.evaluate import evaluate
from protorel.cli.finetune import finetune
from protorel.cli.fuzzy import fuzzy
from protorel.cli.harvest import harvest
from protorel.cli.leakage import leakage
from protorel.cli.messages import show_messages
from protorel.cli.patterns import patterns
from protorel.cli.pretrain import pretrain
from protorel.cli.reproduce import reproduce
from protorel.statements import BadInput, Interrupted, WorkFailed

app = typer.Typer(
    name="protorel",
    help="Learn relation encoders and relation prototypes from noisy, distantly labelled text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (demo, convert, harvest, fuzzy, leakage, patterns, pretrain, finetune, blend, reproduce):
    app.command()(command)
app.add_typer(evaluate, name="evaluate")


def main() -> None:
    """Run the command line: an error is one line; a traceback is for those who ask with --debug."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    sys.exit(run([argument for argument in arguments if argument != "--debug"], debug=debug))


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code: 0 done, 1 the work failed, 2 bad input, 130 interrupted."""
    show_messages()
    try:
        app(args=arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    except Exception as problem:
        if debug:
            raise
        return _explain(problem)
    return 0


def _explain(problem: Exception) -> int:
    """Say in one line what went wrong, and return the exit code for it."""
    match problem:
        case BadInput():
            message, code = str(problem), 2
        case Interrupted():
            message, code = str(problem), 130
        case WorkFailed():
            message, code = str(problem), 1
        case _:
            message = f"this should not have happened: {type(problem).__name__}: {problem} (--debug shows where)"
            code = 1
    typer.echo(f"protorel: {' '.join(message.split())}", err=True)
    return code
