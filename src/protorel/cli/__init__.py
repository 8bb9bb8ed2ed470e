"""The command line: one verb, one file.

Verbs import little when they are declared, check all that was given before they import torch, and then do the work.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from protorel.cli.average import average, blend
from protorel.cli.convert import convert
from protorel.cli.demo import demo
from protorel.cli.evaluate import evaluate
from protorel.cli.finetune import finetune
from protorel.cli.fuzzy import fuzzy
from protorel.cli.harvest import harvest
from protorel.cli.leakage import leakage
from protorel.cli.output import complain, finished, say, show_messages, show_traceback, use_safe_streams
from protorel.cli.patterns import patterns
from protorel.cli.pretrain import pretrain
from protorel.cli.reproduce import reproduce
from protorel.io import BadInput, Interrupted, WorkFailed, error_number, explained
from protorel.threads import thread_count_problem

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises for wrong usage; some versions take the class from click, others have their own."""

app = typer.Typer(
    name="protorel",
    help="Learn relation encoders and relation prototypes from noisy, distantly labelled text.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, convert, harvest, fuzzy, leakage, patterns, pretrain, finetune, average, reproduce):
    app.command()(command)
app.command(hidden=True)(blend)
app.add_typer(evaluate, name="evaluate")


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
    """Run the command line: an error is one line; a traceback is for those who ask with --debug."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    use_safe_streams()
    try:
        code = run([argument for argument in arguments if argument != "--debug"], debug=debug)
    except Exception as problem:  # --debug lets it through
        show_traceback(problem)
        code = 1
    sys.exit(finished(code, _explain))


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code: 0 done, 1 the work failed, 2 bad input, 130 interrupted."""
    show_messages()
    try:
        if problem := thread_count_problem():
            raise BadInput(problem)
        return int(app(args=arguments, prog_name="protorel", standalone_mode=False) or 0)
    except SystemExit as ended:
        return int(ended.code or 0)
    except typer.Abort:
        return 1
    except _UsageError as wrong:
        return _explain_usage(wrong)
    except Exception as problem:
        if debug:
            raise
        return _explain(problem)


def _explain_usage(wrong: Exception) -> int:
    """Say in one line what is wrong with the arguments, and where to look; without any, help has been printed."""
    message = str(wrong.format_message())  # type: ignore[attr-defined]
    if type(wrong).__name__ == "NoArgsIsHelpError":
        if message:
            say(message)
        return 2
    context = getattr(wrong, "ctx", None)
    command = context.command_path if context is not None else "protorel"
    complain(f"{' '.join(message.split()).rstrip('.')}; see `{command} --help`")
    return 2


def _explain(problem: Exception) -> int:
    """Say in one line what went wrong, and return the exit code for it."""
    match problem:
        case BadInput():
            message, code = str(problem), 2
        case Interrupted():
            message, code = str(problem), 130
        case WorkFailed():
            message, code = str(problem), 1
        case OSError() if (number := error_number(problem)) is not None:
            return _explain(explained(problem, number, problem.filename or "a file", cannot="be used"))
        case _:
            kind = type(problem).__name__
            message = f"internal error: {kind}: {problem}; please report it (--debug shows the traceback)"
            code = 1
    complain(message)
    return code
