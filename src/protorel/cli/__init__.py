"""The command line: one verb, one file."""

from __future__ import annotations

import sys

import click
import typer

from protorel.cli.convert import convert
from protorel.cli.demo import demo
from protorel.cli.evaluate import evaluate
from protorel.cli.pretrain import pretrain
from protorel.statements import BadInput, WorkFailed
from protorel.training import Interrupted

app = typer.Typer(
    name="protorel",
    help="Learn relation encoders and relation prototypes from noisy, distantly labelled text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (demo, convert, pretrain):
    app.command()(command)
app.add_typer(evaluate, name="evaluate")


def main() -> None:
    """Run the command line: an error is one line; a traceback is for those who ask with --debug."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    sys.exit(run([argument for argument in arguments if argument != "--debug"], debug=debug))


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code: 0 done, 1 the work failed, 2 bad input, 130 interrupted."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except click.exceptions.Abort:
        return _say("stopped", 130)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except (BadInput, WorkFailed, LookupError) as problem:
        if debug:
            raise
        return _say(str(problem), _exit_code(problem))
    except KeyboardInterrupt:
        return _say("stopped at once; finished checkpoints are kept", 130)
    return int(code or 0)


def _exit_code(problem: Exception) -> int:
    if isinstance(problem, Interrupted):
        return 130
    return 1 if isinstance(problem, WorkFailed) else 2


def _say(message: str, code: int) -> int:
    one_line = " ".join(message.split())
    click.echo(f"protorel: {one_line}", err=True)
    return code
