"""Run a command line: every error becomes one line on standard error and an exit code.

Both `protorel` and `protorel-paper` use this.
"""

from __future__ import annotations

import sys

import typer

from protorel.cli.output import complain, finished, say, show_messages, show_traceback, use_safe_streams
from protorel.cli.renamed import with_new_names
from protorel.io import BadInput, Interrupted, WorkFailed, error_number, explained
from protorel.threads import thread_count_problem

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""The exception that typer raises for wrong usage; its class depends on the version of typer."""


def new_app(program: str, *, help: str) -> typer.Typer:
    """Return an app without commands that prints its help on `-h` and when called without arguments."""
    return typer.Typer(
        name=program,
        help=help,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def run_main(app: typer.Typer, program: str) -> None:
    """Run an app on the arguments of this process and exit; `--debug` shows the traceback of an error."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    use_safe_streams()
    try:
        code = run_app(app, program, [argument for argument in arguments if argument != "--debug"], debug=debug)
    except Exception as problem:  # raised again with --debug
        show_traceback(problem)
        code = 1
    sys.exit(finished(code, lambda problem: _explain(problem, program)))


def run_app(app: typer.Typer, program: str, arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code: 0 done, 1 the work failed, 2 bad input, 130 interrupted."""
    show_messages()
    try:
        if problem := thread_count_problem():
            raise BadInput(problem)
        return int(app(args=with_new_names(arguments), prog_name=program, standalone_mode=False) or 0)
    except SystemExit as ended:
        return int(ended.code or 0)
    except typer.Abort:
        return 1
    except _UsageError as wrong:
        return _explain_usage(wrong, program)
    except Exception as problem:
        if debug:
            raise
        return _explain(problem, program)


def _explain_usage(wrong: Exception, program: str) -> int:
    """Print in one line what is wrong with the arguments, and which help to read; without arguments, print the help."""
    message = str(wrong.format_message())  # type: ignore[attr-defined]
    if type(wrong).__name__ == "NoArgsIsHelpError":
        if message:
            say(message)
        return 2
    context = getattr(wrong, "ctx", None)
    command = context.command_path if context is not None else program
    complain(f"{' '.join(message.split()).rstrip('.')}; see `{command} --help`", program=program)
    return 2


def _explain(problem: Exception, program: str) -> int:
    """Print an error in one line, and return its exit code."""
    match problem:
        case BadInput():
            message, code = str(problem), 2
        case Interrupted():
            message, code = str(problem), 130
        case WorkFailed():
            message, code = str(problem), 1
        case OSError() if (number := error_number(problem)) is not None:
            return _explain(explained(problem, number, problem.filename or "a file", cannot="be used"), program)
        case _:
            kind = type(problem).__name__
            message = f"internal error: {kind}: {problem}; please report it (--debug shows the traceback)"
            code = 1
    complain(message, program=program)
    return code
