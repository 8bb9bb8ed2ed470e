"""What a table of the paper consists of: rows that say how they are trained, and the figures that the paper prints."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from protorel.statements import BadInput

Trained = Literal["tuned", "pairs", "supervised", "scratch", "scratch_supervised"]
"""How the last training of a row is sized: a transformer on episodes, on pairs or with a classifier, or words from
scratch."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what is pretrained, what is tuned, and what the paper says came of it."""

    name: str
    """What `--rows` and the files call it."""
    title: str
    """What the table calls it."""
    source: str
    """Where the method comes from."""
    printed: tuple[float | None, ...]
    """The paper's figures in percent, one for each column; None where it prints none."""
    pretrain: str | None = None
    """The recipe that it is pretrained by, on distant labels."""
    tune: str | None = None
    """The recipe that it is tuned by, on clean ones; it begins with the recipe's encoder, or with the budget's."""
    first: str | None = None
    """The recipe that its encoder is trained by before that, on the same data, where the budget is not the paper's."""
    first_set: tuple[str, ...] = ()
    """Settings of that recipe."""
    trained: Trained = "tuned"
    method: str | None = None
    """How episodes are answered; None for the budget's own rule."""
    for_each: tuple[str, ...] = ("episodes=[[{way},{shot}]]",)
    """What is set where a row is tuned once for each setting; nothing where one training serves them all."""
    most_episodes: int | None = None
    """A slow method is judged by the first so many episodes only."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    further: tuple[Row, ...] = ()
    """Rows that the paper has not, made where they are named and shown where they are made, below its own."""
    people: Mapping[str, float] = field(default_factory=dict)
    """How well people do, in percent, by column."""
    notes: tuple[str, ...] = ()
    """What stands below it."""

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.further):
            if len(row.printed) != len(self.columns):
                raise ValueError(f"{row.name}: {len(row.printed)} printed figures for {len(self.columns)} columns")

    def row(self, name: str) -> Row:
        """Return a row by its name."""
        return next(row for row in (*self.rows, *self.further) if row.name == name)

    def chosen(self, names: Sequence[str] | None) -> tuple[Row, ...]:
        """Return the rows of these names, in the order of the table; all but the further ones where none are given."""
        if names is None:
            return self.rows
        rows = (*self.rows, *self.further)
        known = [row.name for row in rows]
        for name in names:
            if name not in known:
                raise BadInput(f"{self.name} has no row {name!r}; its rows are {', '.join(known)}")
        return tuple(row for row in rows if row.name in names)

    def showing(self, made: Collection[str]) -> Table:
        """Return the table with those further rows among its own of which something is made."""
        return replace(self, rows=(*self.rows, *(row for row in self.further if row.name in made)), further=())
