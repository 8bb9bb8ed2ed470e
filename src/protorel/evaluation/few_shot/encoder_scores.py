"""Scores of methods that need more than stored vectors: methods with weights, and methods that tune the encoder.

A method with weights scores with the run that it was tuned with. It reads vectors or token states, which are encoded
once, or pairs of statements, which are encoded for each episode. A method that tunes the encoder starts each episode
from the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.batches import Episodes, tokenise_all
from protorel.encoders import check_vectors, encode_pairs
from protorel.evaluation.embedding_space import encode_once
from protorel.fewshot import EncoderMethod, EpisodeMethod, FewShotMethod, Scored, TokenStates
from protorel.model import RelationModel, evaluating
from protorel.statements import BadInput, Statement

EpisodeWatcher = Callable[[int, int], None]
"""Called now and then with the number of finished episodes and the number of all."""
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
    """Return the score of every candidate for every query, by a method with weights.

    A method that reads pairs is slow, and calls `watch` with its progress.
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
    """Return a function that gives episodes as the method reads them; what can be encoded in advance is."""
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
    """Return the number of chunks that the pairs of episodes are encoded in."""
    pairs: int = part.support.size * part.query.shape[1]
    return math.ceil(pairs / _ENCODED_TOGETHER)


def _stored(
    model: RelationModel, method: EpisodeMethod, statements: Sequence[Statement], drawn: Episodes
) -> Callable[[Tensor], Tensor | TokenStates]:
    """Encode the statements of the episodes, and return a function that gives them in any shape."""
    if method.needs == "states":
        return store_states(model, statements, drawn.rows().tolist()).take
    return encode_once(model, statements).__getitem__


@dataclass(frozen=True, slots=True)
class StoredStates:
    """Token states of statements, concatenated without padding; statements that are not used have none."""

    states: Float[Tensor, "tokens hidden"]
    starts: Int[Tensor, " statements_and_end"]
    head: Int[Tensor, "statements 2"]
    tail: Int[Tensor, "statements 2"]

    def take(self, rows: Int[Tensor, "*shape"]) -> TokenStates:
        """Return statements in the shape of `rows`, padded to the longest of them."""
        starts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        position = torch.arange(int(lengths.max()))
        present = position < lengths[..., None]
        # At padding, a statement's first token is read and then set to zero.
        found = self.states[starts[..., None] + position * present]
        return TokenStates(found * present[..., None], present, self.head[rows], self.tail[rows])


@torch.no_grad()
def store_states(model: RelationModel, statements: Sequence[Statement], used: Sequence[int]) -> StoredStates:
    """Encode the statements at `used`, sorted by length, and keep the state of every token."""
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


def tuned_scores(
    model: RelationModel,
    method: FewShotMethod,
    statements: Sequence[Statement],
    drawn: Episodes,
    *,
    seed: int,
    watch: EpisodeWatcher | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Return the score of every candidate for every query, with an encoder that is tuned in each episode.

    The scores of an episode depend only on the seed and its own examples.
    """
    encoder = model.encoder
    if not isinstance(encoder, nn.Module) or not any(weights.requires_grad for weights in encoder.parameters()):
        name = model.name or "the encoder"
        raise BadInput(f"{name}: expected an encoder with weights for {method.name} to tune, got one without")
    tuner: EncoderMethod = method.load()
    rows = tokenise_all(statements, model.tokenizer, max_length=model.max_length)
    scores = []
    for done, (support, query) in enumerate(zip(drawn.support, drawn.query, strict=True), start=1):
        own_seed = int(np.random.SeedSequence([seed, *support.ravel().tolist()]).generate_state(1)[0])
        with restored_weights(encoder):
            tuner.tune(encoder, rows, support, seed=own_seed)
            vectors = model.encode_rows(rows, indices=[*support.ravel(), *query])
        examples, asked = vectors[: support.size].reshape(*support.shape, -1), vectors[support.size :]
        scores.append(tuner.score(examples, asked))
        if watch is not None:
            watch(done, len(drawn))
    return torch.stack(scores)


@contextmanager
def restored_weights(module: nn.Module) -> Iterator[None]:
    """Restore the weights of a module at the end of a block."""
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    was_training = module.training
    try:
        yield
    finally:
        module.load_state_dict(before)
        module.train(was_training)
