"""The two ways in which a command ends badly, and nothing else a user needs to tell apart."""

from __future__ import annotations


class BadInput(ValueError):
    """What came in cannot be used: the message is one line with what was found, where, and what was wanted."""


class WorkFailed(RuntimeError):
    """The input was good and the work still could not be finished."""


class Interrupted(WorkFailed):
    """Somebody pressed Ctrl-C; what was done is saved."""
