"""Rows of the paper's tables: how each is trained, and the figures that the paper prints."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from protorel.statements import BadInput

Trained = Literal["tuned", "pairs", "supervised", "scratch", "scratch_supervised"]
"""Size of a row's last training: a transformer on episodes, on pairs or with a classifier, or word vectors from
scratch."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: how it is pretrained and tuned, and the figures that the paper prints."""

    name: str
    """Its name in `--rows` and in files."""
    title: str
    """Its name in the table."""
    source: str
    """Where the method comes from."""
    printed: tuple[float | None, ...]
    """The paper's figures in percent, one per column; None if it prints none."""
    pretrain: str | None = None
    """Recipe of its pretraining on distant labels."""
    tune: str | None = None
    """Recipe of its tuning on clean labels; it starts from the recipe's encoder, or from the budget's."""
    first: str | None = None
    """Recipe of an earlier training of its encoder on the same data, unless the budget is the paper's."""
    first_set: tuple[str, ...] = ()
    """Settings of that recipe."""
    trained: Trained = "tuned"
    method: str | None = None
    """Few-shot method; None for the budget's."""
    for_each: tuple[str, ...] = ("episodes=[[{way},{shot}]]",)
    """Settings of a tuning for one setting only; empty if one training serves all settings."""
    most_episodes: int | None = None
    """Number of episodes for a slow method: the first ones of all."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    further: tuple[Row, ...] = ()
    """Rows that the paper lacks: made if they are named, and shown below the others once they are made."""
    people: Mapping[str, float] = field(default_factory=dict)
    """Human performance in percent, by column."""
    notes: tuple[str, ...] = ()
    """Notes below the table."""

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.further):
            if len(row.printed) != len(self.columns):
                raise ValueError(f"{row.name}: {len(row.printed)} printed figures for {len(self.columns)} columns")

    def row(self, name: str) -> Row:
        """Return a row by its name."""
        return next(row for row in (*self.rows, *self.further) if row.name == name)

    def chosen(self, names: Sequence[str] | None) -> tuple[Row, ...]:
        """Return the named rows in the order of the table; without names, the rows of the paper."""
        if names is None:
            return self.rows
        rows = (*self.rows, *self.further)
        known = [row.name for row in rows]
        for name in names:
            if name not in known:
                raise BadInput(f"{self.name} has no row {name!r}; its rows are {', '.join(known)}")
        return tuple(row for row in rows if row.name in names)

    def showing(self, made: Collection[str]) -> Table:
        """Return the table with those further rows that are among the names."""
        return replace(self, rows=(*self.rows, *(row for row in self.further if row.name in made)), further=())
