"""Commands and options under their older names: they work for one release, and a note says the new name.

A renamed option or command is one line in a table here; nothing else knows the older name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protorel.cli.output import say_note

COMMANDS: Mapping[str, str] = {"blend": "average"}
"""Older commands, and their new names; a subcommand is written as "evaluate answers"."""
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "pretrain": {"--apart-from": "--decontaminate"},
    "finetune": {"--apart-from": "--decontaminate"},
    "evaluate fewshot": {"--crowd": "--hubness", "--background": "--whiten", "--wanted-error": "--max-error"},
    "evaluate fuzzyred": {"--background": "--whiten"},
}
"""Older options of each command, and their new names."""


def with_new_names(
    arguments: Sequence[str],
    commands: Mapping[str, str] = COMMANDS,
    options: Mapping[str, Mapping[str, str]] = OPTIONS,
) -> list[str]:
    """Return the arguments of the command line with new names for older ones, and print a note for each."""
    renamed = list(arguments)
    notes: dict[str, str] = {}
    for older, new in commands.items():
        if _is_command(older, renamed):
            renamed = [*new.split(), *renamed[len(older.split()) :]]
            notes[older] = new
    for command, names in options.items():
        if _is_command(command, renamed):
            for place, argument in enumerate(renamed):
                if argument == "--":  # what follows is no option
                    break
                option, equals, value = argument.partition("=")
                if option in names:
                    renamed[place] = f"{names[option]}{equals}{value}"
                    notes[option] = names[option]
    for older, new in notes.items():
        say_note(f"{older} is now {new}")
    return renamed


def _is_command(command: str, arguments: Sequence[str]) -> bool:
    words = command.split()
    return list(arguments[: len(words)]) == words
