"""Encoding statements, or pairs of statements, in chunks of similar length, so that short ones need little padding.

All chunks belong to one graph, so a loss on all vectors can be computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from protorel.batches import Episodes, Layout, StatementBatch, TokenRows, join_pairs
from protorel.encoders.protocol import PairEncoder, RelationEncoder
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """The vectors of a batch in its order, and the states of the requested tokens."""

    vectors: Float[Tensor, "batch width"]
    states: Float[Tensor, "tokens hidden"] | None = None
    rows: Int[Tensor, " tokens"] | None = None
    """For each state the row and the position that it belongs to."""
    positions: Int[Tensor, " tokens"] | None = None


def encode_in_chunks(
    encoder: RelationEncoder,
    batch: StatementBatch,
    *,
    chunks: int,
    keep: Bool[Tensor, "batch length"] | None = None,
    texts: Bool[Tensor, " batch"] | None = None,
) -> EncodedBatch:
    """Encode a batch in `chunks` pieces, sorted by length; return the vectors in the batch's order.

    The states of tokens where `keep` is true are returned too, for the masked-language term. Rows where `texts` is true
    are read as texts without entities, all others as statements.
    """
    order = torch.argsort(batch.lengths, stable=True)
    vectors, states, rows, positions = [], [], [], []
    pieces = [(chunk, batch.select(chunk)) for chunk in torch.tensor_split(order, min(chunks, len(batch)))]
    read = [encoder.places_read(piece, None if texts is None else texts[chunk]) for chunk, piece in pieces]
    if keep is not None:
        read = [own | keep[chunk, : own.shape[1]] for own, (chunk, _) in zip(read, pieces, strict=True)]
    for (chunk, piece), hidden in zip(pieces, encoder.states_of([piece for _, piece in pieces], read), strict=True):
        vectors.append(_read(encoder, hidden, piece, None if texts is None else texts[chunk]))
        if keep is not None:
            row, position = keep[chunk, : piece.tokens.shape[1]].nonzero(as_tuple=True)
            states.append(hidden[row, position])
            rows.append(chunk[row])
            positions.append(position)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    if keep is None:
        return EncodedBatch(torch.cat(vectors)[back])
    return EncodedBatch(torch.cat(vectors)[back], torch.cat(states), torch.cat(rows), torch.cat(positions))


def _read(
    encoder: RelationEncoder,
    states: Float[Tensor, "batch length hidden"],
    batch: StatementBatch,
    texts: Bool[Tensor, " batch"] | None,
) -> Float[Tensor, "batch width"]:
    """Return the vector of each row, a statement or a text."""
    if texts is None or not texts.any():
        return encoder.read(states, batch)
    if texts.all():
        return encoder.read_text(states, batch)
    kinds = [(~texts).nonzero()[:, 0], texts.nonzero()[:, 0]]
    vectors = []
    for rows, read in zip(kinds, (encoder.read, encoder.read_text), strict=True):
        part = batch.select(rows)
        vectors.append(read(states[rows, : part.tokens.shape[1]], part))
    return torch.cat(vectors)[torch.argsort(torch.cat(kinds))]


def check_reads_pairs(encoder: RelationEncoder, layout: Layout, *, max_length: int) -> None:
    """Refuse an encoder that cannot read two statements of `max_length` tokens at once."""
    if not isinstance(encoder, PairEncoder):
        raise BadInput(
            f"encoder: expected a transformer to read two statements at once, got {encoder.settings['kind']}"
        )
    if not layout.prefix:
        raise BadInput("encoder: expected a tokenizer that starts a text with a special token, got one without")
    most, before = encoder.most_tokens, len(layout.prefix)
    if most is not None and 2 * max_length - before > most:
        raise BadInput(
            f"max_length={max_length}: expected at most {most} tokens for two statements, the limit of the encoder, "
            f"got {2 * max_length - before}. Set max_length={(most + before) // 2} or less"
        )


def encode_pairs(
    encoder: RelationEncoder, rows: TokenRows, drawn: Episodes, *, chunks: int, device: torch.device | None = None
) -> Float[Tensor, "episodes query way shot hidden"]:
    """Encode each query of an episode with each of its examples, sorted by length, in `chunks` pieces."""
    assert isinstance(encoder, PairEncoder)  # `check_reads_pairs` refused any other
    queries, examples = np.broadcast_arrays(drawn.query[:, :, None, None], drawn.support[:, None])
    firsts, seconds = queries.ravel(), examples.ravel()
    order = np.argsort(rows.lengths[firsts] + rows.lengths[seconds], kind="stable")
    found = []
    for chunk in np.array_split(order, min(chunks, len(order))):
        batch = join_pairs(rows, firsts[chunk], seconds[chunk])
        found.append(encoder.read_pairs(batch.to(device) if device is not None else batch))
    states = torch.cat(found)[torch.from_numpy(np.argsort(order)).to(found[0].device)]
    return states.reshape(*queries.shape, -1)
