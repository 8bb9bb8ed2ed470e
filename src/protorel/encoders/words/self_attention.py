"""Self-attention over words with relative positions, and position-aware pooling (Bilan and Roth 2018)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.readout import maximum
from protorel.encoders.words.word_encoder import WordEncoder
from protorel.statements import BadInput

Heads = Float[Tensor, "batch heads length part"]


def relative_attention(
    query: Heads,
    key: Heads,
    value: Heads,
    between: Float[Tensor, "distances part"],
    present: Bool[Tensor, "batch length"],
) -> Heads:
    """Return for each word i the values v_j averaged by the softmax over j of q_i · (k_j + m_{j-i}) / √part.

    Row `d + farthest` of `between` is m_d, the vector of the distance d; larger distances are clipped.
    """
    length, farthest = query.shape[2], len(between) // 2
    position = torch.arange(length, device=query.device)
    distance = (position - position[:, None]).clamp(-farthest, farthest) + farthest
    # q_i · m_d for all distances at once; then each pair of words picks its own distance.
    by_place = (query @ between.T).gather(-1, distance.expand(*query.shape[:2], -1, -1))
    scores = (query @ key.transpose(-1, -2) + by_place) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~present[:, None, None, :], -math.inf)
    return scores.softmax(-1) @ value


class PositionAwarePooling(nn.Module):
    """The sum of all states, weighted by attention over state, sentence and entity positions.

    u_i = v · tanh(W_h h_i + W_q q + W_p p_i), weighted by the softmax over i: h_i is a state, q the maximum over all
    states, p_i the vectors of the word's distances to head and tail.
    """

    def __init__(self, hidden: int, positions: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(hidden, hidden)
        self.of_sentence = nn.Linear(hidden, hidden, bias=False)
        self.of_place = nn.Linear(positions, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(
        self,
        states: Float[Tensor, "batch length hidden"],
        places: Float[Tensor, "batch length positions"],
        present: Bool[Tensor, "batch length"],
    ) -> Float[Tensor, "batch hidden"]:
        """Return one vector per sentence."""
        sentence = self.of_sentence(maximum(states, present))[:, None]
        scores = self.score(torch.tanh(self.of_state(states) + sentence + self.of_place(places)))
        weights = scores.masked_fill(~present[..., None], -math.inf).softmax(1)
        pooled: Tensor = (weights * states).sum(1)
        return pooled


class SelfAttentionEncoder(WordEncoder):
    """One transformer layer over words and their distances to both entities, with position-aware pooling.

    The distances are part of a word's input, so they are in the keys: attention depends on the word, on its distance
    to the attending word, and on its distances to head and tail.
    """

    def __init__(
        self,
        *,
        words: int,
        word_width: int = 50,
        position_width: int = 20,
        hidden: int = 240,
        heads: int = 3,
        farthest: int = 40,
        dropout: float = 0.2,
        padding_id: int = 0,
    ) -> None:
        super().__init__(
            "self_attention", {"hidden": hidden, "heads": heads}, words=words, word_width=word_width,
            position_width=position_width, farthest=farthest, dropout=dropout, padding_id=padding_id,
        )  # fmt: skip
        if hidden % heads:
            raise BadInput(f"hidden={hidden}: expected a multiple of heads={heads}")
        self.width, self.heads = hidden, heads
        self.enter = nn.Linear(self.input_width, hidden)
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.between = nn.Embedding(2 * farthest + 1, hidden // heads)
        self.leave = nn.Linear(hidden, hidden)
        self.feed_forward = nn.Sequential(nn.Linear(hidden, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, hidden))
        self.after_attention, self.after_feed_forward = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.pooling = PositionAwarePooling(hidden, 2 * position_width)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return the layer's state of each word."""
        states = self.enter(self.inputs(batch))
        query, key, value = self.query_key_value(states).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attended = relative_attention(query, key, value, self.between.weight, batch.present)
        attended = self.leave(attended.transpose(1, 2).flatten(2))
        states = self.after_attention(states + self.dropout(attended))
        last: Tensor = self.after_feed_forward(states + self.dropout(self.feed_forward(states)))
        return last

    def read(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch hidden"]:
        """Return the states pooled by position-aware attention."""
        pooled: Tensor = self.pooling(states, self.distances(batch), batch.present)
        return pooled
