"""Episodes answered by the run's own method: statements are encoded once, then the method reads what was stored.

A method that reads pairs has nothing to be stored: every query is read anew with every example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.batches import Episodes, tokenise_all
from protorel.encoders import check_vectors, encode_pairs
from protorel.evaluation.vector_cache import encode_once
from protorel.fewshot import EpisodeMethod, Scored, TokenStates
from protorel.model import RelationModel, evaluating
from protorel.statements import Statement

EpisodeWatcher = Callable[[int, int], None]
"""Is told, now and then, how many episodes are done, and of how many."""
_ENCODED_TOGETHER = 64


@torch.no_grad()
def learned_scores(
    model: RelationModel,
    method: EpisodeMethod,
    statements: Sequence[Statement],
    drawn: Episodes,
    *,
    watch: EpisodeWatcher | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Score every way for every query by a method with weights, a few episodes at a time.

    One that reads pairs takes its time, and tells `watch` how far it is.
    """
    give = _giver(model, method, statements, drawn)
    together = method.episodes_at_once(*drawn.support.shape[1:])
    scores = []
    with evaluating(model.encoder):
        for start in range(0, len(drawn), together):
            scored: Scored = method(*give(drawn.part(start, start + together)))
            scores.append(scored.scores)
            if watch is not None and method.needs == "pairs":
                watch(min(start + together, len(drawn)), len(drawn))
    return torch.cat(scores)


def _giver(
    model: RelationModel, method: EpisodeMethod, statements: Sequence[Statement], drawn: Episodes
) -> Callable[[Episodes], tuple[Tensor | TokenStates, ...]]:
    """Return what gives episodes as a method reads them; what can be encoded before is."""
    if method.needs == "pairs":
        rows = tokenise_all(statements, model.tokenizer, max_length=model.max_length)
        ids = [statement.id for statement in statements]

        def give(part: Episodes) -> tuple[Tensor]:
            found = encode_pairs(model.encoder, rows, part, chunks=_chunks_of(part))
            check_vectors(found.flatten(0, 1), part.query.ravel().tolist(), ids=ids)
            return (found,)

        return give
    take = _stored(model, method, statements, drawn)
    return lambda part: (take(torch.from_numpy(part.support)), take(torch.from_numpy(part.query)))


def _chunks_of(part: Episodes) -> int:
    """Return into how many pieces the pairs of episodes are cut."""
    pairs: int = part.support.size * part.query.shape[1]
    return math.ceil(pairs / _ENCODED_TOGETHER)


def _stored(
    model: RelationModel, method: EpisodeMethod, statements: Sequence[Statement], drawn: Episodes
) -> Callable[[Tensor], Tensor | TokenStates]:
    """Encode what the episodes are about, and return what gives it in any shape."""
    if method.needs == "states":
        return store_states(model, statements, drawn.rows().tolist()).take
    return encode_once(model, statements).__getitem__


@dataclass(frozen=True, slots=True)
class StoredStates:
    """The states of statements' tokens, end to end and without padding; statements that are not used have none."""

    states: Float[Tensor, "tokens hidden"]
    starts: Int[Tensor, " statements_and_end"]
    head: Int[Tensor, "statements 2"]
    tail: Int[Tensor, "statements 2"]

    def take(self, rows: Int[Tensor, "*shape"]) -> TokenStates:
        """Return statements in the shape of `rows`, padded to the longest of them."""
        starts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        position = torch.arange(int(lengths.max()))
        present = position < lengths[..., None]
        # In the place of padding a statement's first token is read, and wiped out.
        found = self.states[starts[..., None] + position * present]
        return TokenStates(found * present[..., None], present, self.head[rows], self.tail[rows])


@torch.no_grad()
def store_states(model: RelationModel, statements: Sequence[Statement], used: Sequence[int]) -> StoredStates:
    """Encode the statements at `used`, like lengths together, and keep the state of every token."""
    rows = tokenise_all(statements, model.tokenizer, max_length=model.max_length)
    ids = [statement.id for statement in statements]
    lengths = np.zeros(len(rows), dtype=np.int64)
    lengths[list(used)] = rows.lengths[list(used)]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    order = sorted(used, key=lambda row: int(lengths[row]))
    kept: Tensor | None = None
    with evaluating(model.encoder):
        for first in range(0, len(order), _ENCODED_TOGETHER):
            chosen = order[first : first + _ENCODED_TOGETHER]
            batch = rows.batch(chosen)
            states = model.encoder.states(batch)
            if kept is None:
                kept = states.new_empty(int(starts[-1]), states.shape[-1])
            for row, found in zip(chosen, states, strict=True):
                check_vectors(found[None, : lengths[row]], [row], ids=ids)
                kept[starts[row] : starts[row + 1]] = found[: lengths[row]]
    assert kept is not None  # episodes are drawn of at least one statement
    places = torch.from_numpy(rows.places.astype(np.int64))
    return StoredStates(kept, torch.from_numpy(starts), places[:, :2], places[:, 2:])
