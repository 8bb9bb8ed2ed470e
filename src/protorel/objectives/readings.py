"""Three readings of equations 2 to 6: `corrected` (ours), `literal` (as printed), `released` (the authors' code)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from protorel.geometry import LearnedCosine, ScaledCosine, Similarity
from protorel.objectives.given import ObjectiveInput
from protorel.objectives.literal import PRINTED, as_drawn, printed_classification, printed_contrast
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_statements import prototype_statements, prototype_statements_over_pairs
from protorel.objectives.released import (
    BETWEEN_STATEMENTS,
    TO_PROTOTYPES,
    released_classification,
    released_contrast,
    released_prototype_statements,
)
from protorel.objectives.statement_contrast import statement_contrast
from protorel.objectives.statement_prototypes import statement_prototypes, statement_prototypes_over_pairs
from protorel.recipes import ContrastTerm, MatchingTerm, ObjectiveSettings, PrototypeTerm

Classification = Callable[[ObjectiveInput, Tensor, Tensor], Tensor]
"""Equation 6 of a batch, with the weight and the bias of its classifier."""


@runtime_checkable
class Equation(Protocol):
    """An equation that compares vectors by whatever similarity it is given."""

    def __call__(self, given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
        """Compute it for a batch."""
        ...


@dataclass(frozen=True, slots=True)
class Compared:
    """An equation, and the similarity that it compares by."""

    equation: Equation
    similarity: Similarity

    def __call__(self, given: ObjectiveInput) -> Float[Tensor, ""]:
        """Compute it for a batch."""
        return self.equation(given, similarity=self.similarity)


@dataclass(frozen=True, slots=True)
class Reading:
    """How equations 3 to 6 are computed, each with its own form of equation 2."""

    s2s: Compared
    s2z: Compared
    s2z_prime: Compared | None
    cls: Classification
    unit_prototypes: bool = True
    """Whether prototypes start as unit vectors; else each of their numbers starts at random around 0 with spread 1."""


def similarity_of(term: ContrastTerm | PrototypeTerm | MatchingTerm) -> Similarity:
    """Return the scaled cosine that a term asks for, its scale fixed or learned."""
    bias = None if isinstance(term, ContrastTerm) else term.bias
    return LearnedCosine(term.scale, bias) if term.learn_scale else ScaledCosine(term.scale, bias or 0.0)


def corrected(settings: ObjectiveSettings) -> Reading:
    """Our reading: d rises as vectors align, S2S is a softmax, CLS has its sign right."""
    equation_4 = prototype_statements_over_pairs if settings.s2z.over_pairs else prototype_statements
    equation_5 = statement_prototypes_over_pairs if settings.s2z_prime.over_pairs else statement_prototypes
    return Reading(
        s2s=Compared(statement_contrast, similarity_of(settings.s2s)),
        s2z=Compared(equation_4, similarity_of(settings.s2z)),
        s2z_prime=Compared(equation_5, similarity_of(settings.s2z_prime)),
        cls=lambda given, weight, bias: prototype_classification(given.prototypes, weight, bias),
    )


def literal(settings: ObjectiveSettings) -> Reading:  # noqa: ARG001
    """As printed, letter by letter."""
    return Reading(
        s2s=Compared(printed_contrast, PRINTED),
        s2z=Compared(_as_drawn(prototype_statements_over_pairs), PRINTED),
        s2z_prime=Compared(_as_drawn(statement_prototypes_over_pairs), PRINTED),
        cls=lambda given, weight, bias: printed_classification(given.prototypes, weight, bias),
    )


def released(settings: ObjectiveSettings) -> Reading:  # noqa: ARG001
    """As the authors' code behaves: its 384 and its 100, and no equation 5."""
    return Reading(
        s2s=Compared(released_contrast, BETWEEN_STATEMENTS),
        s2z=Compared(released_prototype_statements, TO_PROTOTYPES),
        s2z_prime=None,
        cls=released_classification,
        unit_prototypes=False,
    )


READINGS: Mapping[str, Callable[[ObjectiveSettings], Reading]] = {
    "corrected": corrected,
    "literal": literal,
    "released": released,
}


def _as_drawn(equation: Equation) -> Equation:
    def of_one_label(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
        return equation(as_drawn(given), similarity=similarity)

    return of_one_label
