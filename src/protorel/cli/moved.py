"""Commands that have moved: they stay for one release, hidden, and say which command took their place."""

from __future__ import annotations

import shlex

import typer

from protorel.io import BadInput


def add_moved(app: typer.Typer, name: str, *, was: str, now: str) -> None:
    """Add a hidden command that takes any arguments and only prints the command to run instead."""

    def moved(context: typer.Context) -> None:
        raise BadInput(f"`{was}` has moved; run: {shlex.join([*now.split(), *context.args])}")

    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, hidden=True, context_settings=anything)(moved)
