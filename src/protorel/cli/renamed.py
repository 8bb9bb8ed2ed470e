"""Commands and options that were renamed or moved: the old ones are accepted for one release, with the new name.

A renamed command or option is one line in a table here. A command that moved to another program is a hidden command
that prints what to run instead.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import typer

from protorel.cli.output import say_note
from protorel.io import BadInput

COMMANDS: Mapping[str, str] = {"blend": "average"}
"""New names by old ones; a subcommand is written as "evaluate answers"."""
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "pretrain": {"--apart-from": "--decontaminate"},
    "finetune": {"--apart-from": "--decontaminate"},
    "evaluate fewshot": {"--crowd": "--hubness", "--background": "--whiten", "--wanted-error": "--max-error"},
    "evaluate fuzzyred": {"--background": "--whiten"},
}
"""New options by old ones, for each command."""


def with_new_names(
    arguments: Sequence[str],
    commands: Mapping[str, str] = COMMANDS,
    options: Mapping[str, Mapping[str, str]] = OPTIONS,
) -> list[str]:
    """Return the arguments of the command line with old names replaced, and print a note for each."""
    renamed = list(arguments)
    notes: dict[str, str] = {}
    for older, new in commands.items():
        if _is_command(older, renamed):
            renamed = [*new.split(), *renamed[len(older.split()) :]]
            notes[older] = new
    for command, names in options.items():
        if _is_command(command, renamed):
            for place, argument in enumerate(renamed):
                if argument == "--":  # no options after this
                    break
                option, equals, value = argument.partition("=")
                if option in names:
                    renamed[place] = f"{names[option]}{equals}{value}"
                    notes[option] = names[option]
    for older, new in notes.items():
        say_note(f"{older} is now {new}")
    return renamed


def add_moved(app: typer.Typer, name: str, *, was: str, now: str) -> None:
    """Add a hidden command that takes any arguments and only prints the command to run instead."""

    def moved(context: typer.Context) -> None:
        raise BadInput(f"`{was}` has moved; run: {shlex.join([*now.split(), *context.args])}")

    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, hidden=True, context_settings=anything)(moved)


def _is_command(command: str, arguments: Sequence[str]) -> bool:
    words = command.split()
    return list(arguments[: len(words)]) == words
