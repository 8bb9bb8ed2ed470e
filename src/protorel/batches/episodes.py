"""Few-shot episodes: N relations, K statements of each as examples, and one query of each.

Optionally no query has the entity pair of an example (`groups`), and some queries are of relations outside the episode
(`mix_outsiders`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.io import BadInput
from protorel.statements import Statement, entity_pair

_TRIES = 200
"""How many draws may fail before an error: relations may share all their entity pairs."""
_DrawEpisode = Callable[[NDArray[np.int64], np.random.Generator], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Episodes:
    """Episodes as row numbers of a data set; the first axis is the episode."""

    relations: NDArray[np.int64]
    """episodes × way: which relations."""
    support: NDArray[np.int64]
    """episodes × way × shot: the rows given as examples."""
    query: NDArray[np.int64]
    """episodes × way: one row of each relation to be classified."""

    def __len__(self) -> int:
        return len(self.query)

    def part(self, start: int, stop: int) -> Episodes:
        """Return some of the episodes."""
        return Episodes(self.relations[start:stop], self.support[start:stop], self.query[start:stop])

    def rows(self) -> NDArray[np.int64]:
        """Return the distinct rows that were drawn."""
        return np.unique(np.concatenate([self.support.ravel(), self.query.ravel()]))


def draw_episodes(
    rows_of_relation: Sequence[NDArray[np.int64]],
    *,
    way: int,
    shot: int,
    count: int,
    seed: int,
    groups: NDArray[np.int64] | None = None,
    names: Sequence[str] | None = None,
) -> Episodes:
    """Draw episodes; the same arguments give the same episodes on every machine.

    Within an episode all relations differ, and a relation's examples and query are different rows. With `groups`, the
    number of each row's entity pair, no query has the entity pair of an example of its episode. `names` are those of
    the relations, for error messages.
    """
    if len(rows_of_relation) < way:
        raise BadInput(f"expected at least {way} relations for {way}-way episodes, got {len(rows_of_relation)}")
    _refuse_small(rows_of_relation, shot, names)
    rng = np.random.default_rng([seed, way, shot] if groups is None else [seed, way, shot, 1])
    disjoint = None if groups is None else _draw_disjoint(rows_of_relation, groups, shot=shot, names=names)
    relations = np.empty((count, way), dtype=np.int64)
    drawn = np.empty((count, way, shot + 1), dtype=np.int64)
    for episode in range(count):
        relations[episode] = rng.choice(len(rows_of_relation), way, replace=False)
        if disjoint is not None:
            drawn[episode] = disjoint(relations[episode], rng)
            continue
        for place, relation in enumerate(relations[episode]):
            drawn[episode, place] = rng.choice(rows_of_relation[relation], shot + 1, replace=False)
    return Episodes(relations, drawn[:, :, :shot], drawn[:, :, shot])


def _refuse_small(rows_of_relation: Sequence[NDArray[np.int64]], shot: int, names: Sequence[str] | None) -> None:
    small = [relation for relation, rows in enumerate(rows_of_relation) if len(rows) < shot + 1]
    if not small:
        return
    smallest = min(small, key=lambda relation: len(rows_of_relation[relation]))
    named = f"relation {names[smallest]!r}" if names else "a relation"
    more = f" ({len(small)} such relations)" if len(small) > 1 else ""
    raise BadInput(
        f"{named}: expected at least {shot + 1} statements for {shot} shots and a query, "
        f"got {len(rows_of_relation[smallest])}{more}. "
        "Take fewer shots, or list the relations to evaluate in a file (--only FILE)"
    )


def pair_groups(statements: Iterable[Statement]) -> NDArray[np.int64]:
    """Return for each statement the number of its entity pair, regardless of which entity is the head."""
    numbers: dict[tuple[str, ...], int] = {}
    pairs = (tuple(sorted(entity_pair(statement))) for statement in statements)
    return np.asarray([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.int64)


def _draw_disjoint(
    rows_of_relation: Sequence[NDArray[np.int64]],
    groups: NDArray[np.int64],
    *,
    shot: int,
    names: Sequence[str] | None = None,
) -> _DrawEpisode:
    """Return a function that draws the rows of an episode's relations, way × (shot + 1), the query last.

    Queries are drawn first, among rows that leave their relation enough rows with other entity pairs.
    """
    askable = [rows[_rows_of_other_pairs(groups[rows]) >= shot] for rows in rows_of_relation]
    if lost := [relation for relation, rows in enumerate(askable) if not len(rows)]:
        rows = rows_of_relation[lost[0]]
        named = f"relation {names[lost[0]]!r}" if names else "a relation"
        more = f" ({len(lost)} such relations)" if len(lost) > 1 else ""
        raise BadInput(
            f"{named}: expected statements of enough entity pairs for {shot} shots and a query with another pair, "
            f"got {len(rows)} statements of {len(np.unique(groups[rows]))} entity pairs{more}"
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
            f"{together}: expected {shot} shots and queries with other entity pairs, got relations with too many "
            f"entity pairs in common ({_TRIES} draws failed)"
        )

    return draw


def _rows_of_other_pairs(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row the number of rows with another entity pair."""
    _, own, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(len(groups) - counts[own], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class OpenEpisodes:
    """Episodes in which some queries are of relations outside the episode."""

    episodes: Episodes
    known: NDArray[np.bool_]
    """episodes × way: False where the query is of a relation outside the episode."""


def mix_outsiders(
    drawn: Episodes,
    rows_of_relation: Sequence[NDArray[np.int64]],
    *,
    share: float,
    seed: int,
    groups: NDArray[np.int64] | None = None,
) -> OpenEpisodes:
    """Replace a share of the queries, over all episodes, by statements of relations outside their episode.

    Relations, examples and all other queries stay the same. The share holds from the first episode on, rounded to
    whole queries. With `groups`, no outsider has the entity pair of an example of its episode.
    """
    if not 0 <= share < 1:
        raise BadInput(f"expected a share of queries from outside of at least 0 and below 1, got {share}")
    count, way = drawn.query.shape
    if share and len(rows_of_relation) <= way:
        raise BadInput(
            f"expected at least {way + 1} relations for {way}-way episodes with queries from outside, "
            f"got {len(rows_of_relation)}"
        )
    rng = np.random.default_rng([seed, way, drawn.support.shape[-1], 2])
    # Rounded, so that 0.15 · 20 is 3 despite floating-point error.
    due = np.floor(np.round(np.arange(count + 1) * way * share, 6)).astype(np.int64)
    query, known = drawn.query.copy(), np.ones((count, way), dtype=bool)
    for episode in np.flatnonzero(np.diff(due)):
        outside = np.delete(np.arange(len(rows_of_relation)), drawn.relations[episode])
        given = None if groups is None else groups[drawn.support[episode].ravel()]
        for place in rng.choice(way, due[episode + 1] - due[episode], replace=False):
            query[episode, place] = _outsider([rows_of_relation[int(r)] for r in outside], groups, given, rng)
            known[episode, place] = False
    return OpenEpisodes(Episodes(drawn.relations, drawn.support, query), known)


def _outsider(
    outside: Sequence[NDArray[np.int64]],
    groups: NDArray[np.int64] | None,
    given: NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> int:
    """Draw a relation, then one of its statements, so that large and small relations are equally likely."""
    for _ in range(_TRIES):
        row = int(rng.choice(outside[int(rng.integers(len(outside)))]))
        if groups is None or given is None or groups[row] not in given:
            return row
    raise BadInput(
        "expected queries from outside with other entity pairs than the examples, got too many entity pairs in common"
    )
