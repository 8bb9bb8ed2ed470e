"""Verdicts: what a judge can say of a label, and the log of what was said and undone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from protorel.io import BadInput, shown

VerdictName = Literal["true", "false", "unclear", "reversed", "other", "skip"]
Round = Literal["first", "repeat", "settle"]
"""A first look, a repeat for self-consistency, or the decision on a disagreement."""

VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)
ROUNDS: tuple[Round, ...] = get_args(Round)
WRONG: dict[VerdictName, bool | None] = {
    "true": False,
    "false": True,
    "reversed": True,
    "other": True,
    "unclear": None,
    "skip": None,
}
"""What each verdict says of the label: True if it is wrong, None if the verdict leaves it open."""
LONGEST_NAME = 80
_ID = re.compile(r"[0-9A-Za-z-]{8,64}")


class VerdictRefused(BadInput):
    """A verdict that cannot be stored: a field of it has another type or value, or another verdict has its id."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one label, as it is sent to the store.

    Args:
        id: Chosen by the sender: the same verdict sent twice is stored once.
        place: The place of the statement in the audit.
        verdict: One of `VERDICTS`.
        relation: The relation that the text expresses instead, for the verdict `other`.
        round: Which look at the statement this is.
        opinion_shown: Whether the judge saw the model's opinion before.

    Raises:
        VerdictRefused: a field has another type or value.
    """

    id: str
    place: int
    verdict: VerdictName
    relation: str | None = None
    round: Round = "first"
    opinion_shown: bool = False

    def __post_init__(self) -> None:
        check_id(self.id)
        if type(self.place) is not int or self.place < 0:
            raise VerdictRefused(f"place: expected a whole number of at least 0, got {shown(self.place)}")
        _check_one_of("verdict", self.verdict, VERDICTS)
        _check_one_of("round", self.round, ROUNDS)
        if type(self.opinion_shown) is not bool:
            raise VerdictRefused(f"opinion_shown: expected true or false, got {shown(self.opinion_shown)}")
        if (self.verdict == "other") != isinstance(self.relation, str) or self.relation == "":
            expected = "the name of a relation" if self.verdict == "other" else "none with this verdict"
            raise VerdictRefused(f"relation: expected {expected}, got {shown(self.relation)}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: a verdict, or the undoing of the last one that stands."""

    number: int
    judge: str
    verdict: Verdict | None
    """None: this line undoes the judge's last verdict that stands."""


class JudgeHistory:
    """The verdicts of one judge that stand, in the order in which they were given."""

    def __init__(self) -> None:
        self._stack: list[Verdict] = []
        self.seen: set[tuple[int, Round]] = set()
        """What was ever judged, undone or not."""

    def add(self, entry: Entry) -> None:
        """Take in the next line of the log."""
        if entry.verdict is not None:
            self._stack.append(entry.verdict)
            self.seen.add((entry.verdict.place, entry.verdict.round))
        elif self._stack:
            self._stack.pop()

    def copy(self) -> JudgeHistory:
        """Return a copy that later lines of the log do not change."""
        copied = JudgeHistory()
        copied._stack, copied.seen = list(self._stack), set(self.seen)
        return copied

    @property
    def last(self) -> Verdict | None:
        """The verdict that the next undo takes back."""
        return self._stack[-1] if self._stack else None

    def standing(self) -> dict[tuple[int, Round], Verdict]:
        """Return the verdict on each statement and round, the most recent last; a later one replaces an earlier."""
        found: dict[tuple[int, Round], Verdict] = {}
        for verdict in self._stack:
            key = (verdict.place, verdict.round)
            found.pop(key, None)
            found[key] = verdict
        return found


def replay(entries: Iterable[Entry]) -> dict[str, JudgeHistory]:
    """Return the history of each judge, in the order of their first verdicts."""
    histories: dict[str, JudgeHistory] = {}
    for entry in entries:
        histories.setdefault(entry.judge, JudgeHistory()).add(entry)
    return histories


def check_id(id: object) -> None:
    """Raise `VerdictRefused` unless a value can be the id of a verdict."""
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise VerdictRefused(f"id: expected 8 to 64 letters, digits or hyphens, got {shown(id)}")


def check_judge(name: object) -> str:
    """Return the name of a judge, or raise `BadInput` if it is empty, too long or not plain text."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput(f"judge: expected a name of 1 to {LONGEST_NAME} printable characters, got {shown(name)}")
    return name.strip()


def _check_one_of(field: str, value: object, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise VerdictRefused(f"{field}: expected one of {', '.join(allowed)}, got {shown(value)}")
