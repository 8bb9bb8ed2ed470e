"""BERT_CE, the first baseline: a linear classifier over the relations, without prototypes."""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.prototype_softmax import label_cross_entropy
from protorel.objectives.terms import term


def cross_entropy(
    given: ObjectiveInput, weight: Float[Tensor, "relations width"], bias: Float[Tensor, " relations"]
) -> Float[Tensor, ""]:
    """Cross-entropy of a linear classifier on the statement's vector, its length included.

    Needs: labels only. Gives: what the paper calls BERT_CE.
    """
    return label_cross_entropy(F.linear(given.embeddings, weight, bias), given.relations, given.labels)


@term("ce")
def _term(given: ObjectiveInput, *, classifier: nn.Linear) -> Float[Tensor, ""]:
    return cross_entropy(given, classifier.weight, classifier.bias)
