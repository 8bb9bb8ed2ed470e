"""Entity pairs kept apart: what an episode asks about is no pair that its examples are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.io import BadInput
from protorel.statements import Statement, entity_pair

_TRIES = 200
"""How often an episode is drawn before we say that there is none: relations may share all their pairs."""

DrawApart = Callable[[NDArray[np.int64], np.random.Generator], NDArray[np.int64]]


def pair_groups(statements: Iterable[Statement]) -> NDArray[np.int64]:
    """Return for each statement the number of its entity pair, whichever of the two comes first."""
    numbers: dict[tuple[str, ...], int] = {}
    pairs = (tuple(sorted(entity_pair(statement))) for statement in statements)
    return np.asarray([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.int64)


def draw_apart(
    rows_of_relation: Sequence[NDArray[np.int64]],
    groups: NDArray[np.int64],
    *,
    shot: int,
    names: Sequence[str] | None = None,
) -> DrawApart:
    """Return what draws an episode's rows, way × (shot + 1), the query last, for relations that it is given.

    Queries are drawn first, among rows whose pair leaves their relation enough others to take the examples from.
    """
    askable = [rows[_rows_of_other_pairs(groups[rows]) >= shot] for rows in rows_of_relation]
    if lost := [relation for relation, rows in enumerate(askable) if not len(rows)]:
        rows = rows_of_relation[lost[0]]
        named = f"relation {names[lost[0]]!r}" if names else "a relation"
        more = f" ({len(lost)} such relations)" if len(lost) > 1 else ""
        raise BadInput(
            f"{named} has {len(rows)} statements about {len(np.unique(groups[rows]))} entity pairs, "
            f"too few for {shot} shots and a query about another pair{more}"
        )

    def draw(relations: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = np.empty((len(relations), shot + 1), dtype=np.int64)
        for _ in range(_TRIES):
            drawn[:, shot] = [rng.choice(askable[relation]) for relation in relations]
            asked = groups[drawn[:, shot]]
            left = [rows_of_relation[r][~np.isin(groups[rows_of_relation[r]], asked)] for r in relations]
            if min(map(len, left)) >= shot:
                for place, rows in enumerate(left):
                    drawn[place, :shot] = rng.choice(rows, shot, replace=False)
                return drawn
        together = ", ".join(names[r] for r in relations) if names else f"{len(relations)} relations"
        raise BadInput(
            f"{together}: have too many entity pairs in common for {shot} shots and queries about other pairs "
            f"({_TRIES} draws failed)"
        )

    return draw


def _rows_of_other_pairs(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row how many of the rows are about another pair."""
    _, own, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(len(groups) - counts[own], dtype=np.int64)
