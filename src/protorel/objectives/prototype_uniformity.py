"""Uniformity of the prototypes (Wang and Isola 2020): wide angles between all of them."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.geometry import uniformity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term


@term("uniformity", moves_prototypes=True)
def prototype_uniformity(given: ObjectiveInput) -> Float[Tensor, ""]:
    """Log mean exp(-2 · squared distance) over pairs of prototypes.

    Needs: prototypes. Gives: prototypes spread over the sphere; it sees no statement.
    """
    return uniformity(given.prototypes)
