"""The masked-language term: predict the hidden words, so that the encoder keeps its knowledge of language."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.encoders import linear
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term


class MaskedLanguageHead(nn.Module):
    """Maps states to logits over the vocabulary, with the encoder's own word embeddings."""

    def __init__(self, hidden: int, vocabulary: int) -> None:
        super().__init__()
        self.transform = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.trains_in_bf16 = False
        """Whether the product with the vocabulary is rounded to bfloat16 in training."""

    def forward(
        self, states: Float[Tensor, "tokens hidden"], embeddings: Float[Tensor, "vocabulary hidden"]
    ) -> Float[Tensor, "tokens vocabulary"]:
        """Return logits for the given states only: for all positions they would cost more than the encoder."""
        seen = self.norm(F.gelu(self.transform(states)))
        with torch.autocast(seen.device.type, torch.bfloat16, enabled=self.trains_in_bf16 and self.training):
            logits = linear(seen, embeddings, self.bias)
        return logits.to(seen.dtype)


def masked_language(logits: Float[Tensor, "tokens vocabulary"], original: Int[Tensor, " tokens"]) -> Float[Tensor, ""]:
    """Mean cross-entropy over the hidden tokens; 0 where none was hidden.

    Needs: an encoder with word embeddings. Gives: a term that does not depend on labels, nor on their errors.
    """
    return F.cross_entropy(logits, original) if len(original) else logits.sum() * 0.0


@term("mlm")
def _term(given: ObjectiveInput, *, language: MaskedLanguageHead) -> Float[Tensor, ""]:
    if given.hidden is None:
        raise ValueError("mlm: expected a batch with hidden tokens, got none")
    return masked_language(language(given.hidden.states, given.hidden.embeddings), given.hidden.original)
