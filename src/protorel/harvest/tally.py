"""What a reader of sources counted on its way: no row is lost in silence, and a bad file costs no memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from protorel.corpora import Reject

MAX_EXAMPLES = 5
"""How many examples a tally keeps for each reason."""


MAX_REASONS = 500
"""How many reasons of a kind are told apart: some name what a file holds, and a hostile file holds what it likes."""
_OTHER = "other reasons"


@dataclass(slots=True)
class Tally:
    """Counts by reason: `rows = taken + left out + rejected`; one tally may be shared by several readers."""

    on_reject: Callable[[Reject], None] | None = None
    """Called with every reject, for example to write it down."""
    rows: int = 0
    """Rows looked at: entities of a dump, lines of a file, pages."""
    taken: int = 0
    """Rows that gave something."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Good rows that are not wanted, by rule: redirects, pages of other namespaces, lexemes."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Rows that could not be read, by reason."""
    noticed: Counter[str] = field(default_factory=Counter)
    """Oddities inside rows that were taken, by reason: an entity without a label, a file cut short."""
    examples: dict[str, list[Reject]] = field(default_factory=dict)

    def take(self) -> None:
        """Count one row that gave something."""
        self.rows += 1
        self.taken += 1

    def leave(self, reason: str) -> None:
        """Count one good row that a rule leaves out."""
        self.rows += 1
        self.left_out[_known(self.left_out, reason)] += 1

    def reject(self, reject: Reject, *, reason: str | None = None) -> None:
        """Count one row that could not be read; `reason` names its class where its own words tell too much."""
        self.rows += 1
        counted = _known(self.rejected, reason or reject.reason)
        self.rejected[counted] += 1
        self._remember(counted, reject)
        if self.on_reject:
            self.on_reject(reject)

    def notice(self, reason: str, count: int = 1, *, example: Reject | None = None) -> None:
        """Count an oddity inside a row that is taken all the same."""
        if count:
            self.noticed[_known(self.noticed, reason)] += count
        if example is not None:
            self._remember(reason, example)

    def add(self, other: Tally) -> None:
        """Add what another tally counted, for example one of another process."""
        self.rows += other.rows
        self.taken += other.taken
        for mine, theirs in (
            (self.left_out, other.left_out),
            (self.rejected, other.rejected),
            (self.noticed, other.noticed),
        ):
            mine.update(theirs)
        for reason, rejects in other.examples.items():
            for reject in rejects:
                self._remember(reason, reject)

    def as_json(self) -> dict[str, object]:
        """Return the counts as a manifest holds them; equal counts give equal text."""
        return {
            "rows": self.rows,
            "taken": self.taken,
            "left_out": dict(sorted(self.left_out.items())),
            "rejected": dict(sorted(self.rejected.items())),
            "noticed": dict(sorted(self.noticed.items())),
        }

    def _remember(self, reason: str, reject: Reject) -> None:
        kept = self.examples.setdefault(reason, [])
        if len(kept) < MAX_EXAMPLES:
            kept.append(reject)


def _known(counts: Counter[str], reason: str) -> str:
    return reason if reason in counts or len(counts) < MAX_REASONS else _OTHER
