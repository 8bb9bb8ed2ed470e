"""What the verbs that train say alike: how to go on, and what was dropped to keep a run apart from test sets."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protorel.cli.printable import printable

Options = Iterable[tuple[str, Path | str | None]]
"""Options of a command by name, in order; None where one was not given."""


def go_on(verb: str, recipe: str, overrides: Iterable[str], options: Options) -> str:
    """Return the command that goes on with a run that was stopped."""
    given = [part for name, value in options if value is not None for part in (name, str(value))]
    return shlex.join(["protorel", verb, recipe, *overrides, *given, "--resume"])


def kept_apart_lines(leakage: Mapping[str, Any]) -> list[str]:
    """Return a line for each test set that a run was kept apart from."""
    return [
        f"kept apart from {printable(test['name'])}: {_shared(test['shared'])} dropped"
        for test in leakage["apart_from"]
    ]


def _shared(shared: Mapping[str, Mapping[str, int]]) -> str:
    counts = {kind.replace("_", "-"): found["train_statements"] for kind, found in shared.items() if kind != "any"}
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    return f"{shared['any']['train_statements']} statements ({parts})"
