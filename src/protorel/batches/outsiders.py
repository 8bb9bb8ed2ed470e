"""Episodes in which some queries belong to none of the ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.batches.episodes import Episodes
from protorel.io import BadInput

_TRIES = 200
"""How often an outsider is drawn before we say that there is none about another pair."""


@dataclass(frozen=True, slots=True)
class OpenEpisodes:
    """Episodes, and which of their queries are of the relation at their place."""

    episodes: Episodes
    known: NDArray[np.bool_]
    """episodes × way: False where the query is of a relation outside the ways."""


def mix_outsiders(
    drawn: Episodes,
    rows_of_relation: Sequence[NDArray[np.int64]],
    *,
    share: float,
    seed: int,
    groups: NDArray[np.int64] | None = None,
) -> OpenEpisodes:
    """Replace a share of the queries, over all episodes, by statements of relations outside their episode's ways.

    Ways and examples stay as they are, and so do the other queries. The share is kept from the first episode on, as
    far as whole queries can. With `groups`, an outsider's entity pair is that of no example of its episode.
    """
    if not 0 <= share < 1:
        raise BadInput(f"a share of {share} of the queries from outside the ways cannot be drawn, 0 to below 1 can")
    count, way = drawn.query.shape
    if share and len(rows_of_relation) <= way:
        raise BadInput(
            f"the data has {len(rows_of_relation)} relations, {way} ways and a query from outside need {way + 1}"
        )
    rng = np.random.default_rng([seed, way, drawn.support.shape[-1], 2])
    # Rounded, so that 0.15 · 20 is 3 whatever the machine thinks of 0.15.
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
    """Draw a relation, then a statement of it, so that a large relation is asked about no more than a small one."""
    for _ in range(_TRIES):
        row = int(rng.choice(outside[int(rng.integers(len(outside)))]))
        if groups is None or given is None or groups[row] not in given:
            return row
    raise BadInput("relations outside the ways have too many entity pairs in common with the examples")
