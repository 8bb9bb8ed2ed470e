"""How likely each relation is for each statement, by a run's classifier or, without one, by its prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.vector_cache import encode_once
from protorel.geometry import ScaledCosine
from protorel.model import RelationModel
from protorel.statements import BadInput, Statement

PROTOTYPE_SCALE = 20.0
"""What cosines to prototypes are multiplied by before their softmax."""


@dataclass(frozen=True, slots=True)
class RelationProbabilities:
    """Probabilities of statements, and the space in which statements and relations lie side by side."""

    by: str
    """`classifier` or `prototypes`."""
    names: tuple[str, ...]
    probabilities: Float[Tensor, "statements relations"]
    vectors: Float[Tensor, "statements width"]
    relation_vectors: Float[Tensor, "relations width"]
    no_relation: str | None = None


@torch.no_grad()
def relation_probabilities(model: RelationModel, statements: Sequence[Statement]) -> RelationProbabilities:
    """Ask a model that was tuned, or that has prototypes."""
    vectors = encode_once(model, statements)
    if (classifier := model.classifier) is not None:
        # The rows of the last layer are the relations' vectors, beside what enters that layer.
        entering = vectors if classifier.inner is None else torch.tanh(classifier.inner(vectors))
        return RelationProbabilities(
            "classifier",
            classifier.labels.ids,
            classifier(vectors).softmax(-1),
            entering,
            classifier.outer.weight.detach(),
            classifier.no_relation,
        )
    prototypes = model.prototypes
    if not len(prototypes.relations):
        raise BadInput(f"{model.name or 'the model'}: has neither a classifier nor prototypes, so it knows no relation")
    logits = ScaledCosine(PROTOTYPE_SCALE)(vectors, prototypes.vectors)
    return RelationProbabilities(
        "prototypes", prototypes.relations.ids, logits.softmax(-1), vectors, prototypes.vectors
    )
