"""The terms of equation 7 by name: what computes each, and what it needs.

A new objective is one file in this folder and one line in a recipe's settings:

    # objectives/margin.py
    @term("margin")
    def margin(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
        ...

    # recipes/objective.py, in ObjectiveSettings
    margin: ContrastTerm = ContrastTerm()

`objective.margin.weight=1` then trains with it. The files of this folder are imported automatically. The order of the
settings is the order in which the terms are summed.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from torch import Tensor

from protorel.geometry import LearnedCosine, ScaledCosine, Similarity
from protorel.recipes import ContrastTerm, MatchingTerm, PrototypeTerm

PROVIDED = frozenset({"similarity", "classifier", "language", "settings"})
"""What an equation may ask for as keyword arguments: the similarity that the recipe's scale and bias describe, a linear
classifier over the relations, the masked-language head, and the term's own settings."""

_Equation = TypeVar("_Equation", bound=Callable[..., Tensor])


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of equations 2 to 6."""

    unit_prototypes: bool = True
    """Whether prototypes start as unit vectors; otherwise their components start with standard deviation 1."""


READINGS: Mapping[str, Reading] = {
    "corrected": Reading(),
    "literal": Reading(),
    "released": Reading(unit_prototypes=False),
}
"""`corrected` is ours, `literal` is as printed (`literal.py`), `released` is the authors' code (`released.py`)."""


@dataclass(frozen=True, slots=True)
class ObjectiveTerm:
    """A term of equation 7: its equation, and what the weighted sum must provide for it."""

    equation: Callable[..., Tensor]
    """A function of an `ObjectiveInput`, and of the keyword arguments in `needs`."""
    needs: frozenset[str]
    moves_prototypes: bool = False
    similarity: Similarity | None = None
    """A fixed similarity, the same for every recipe; None: the one that the recipe's scale and bias describe."""


TERMS: dict[tuple[str, str | None], ObjectiveTerm] = {}
"""All registered terms by name and reading; None is the default for readings that have no version of their own."""


def term(
    name: str, *, reading: str | None = None, moves_prototypes: bool = False, similarity: Similarity | None = None
) -> Callable[[_Equation], _Equation]:
    """Register a function as the term `name` of the objective, and return it unchanged.

    The function takes an `ObjectiveInput`. Its keyword-only arguments say what it needs: any of `PROVIDED`.

    Args:
        name: The term's key in a recipe.
        reading: The reading of the paper's equations that this version belongs to; None: all that have no other.
        moves_prototypes: Whether the term trains the prototypes.
        similarity: A fixed similarity in place of the recipe's.
    """

    def register(equation: _Equation) -> _Equation:
        parameters = inspect.signature(equation).parameters.values()
        needs = frozenset(one.name for one in parameters if one.kind is one.KEYWORD_ONLY)
        if unknown := sorted(needs - PROVIDED):
            raise TypeError(f"term {name!r}: expected arguments among {sorted(PROVIDED)}, got {unknown[0]!r}")
        if (name, reading) in TERMS:
            raise ValueError(f"term {name!r}: expected a new name, got one that is registered already")
        TERMS[name, reading] = ObjectiveTerm(equation, needs, moves_prototypes, similarity)
        return equation

    return register


def find_term(name: str, reading: str) -> ObjectiveTerm:
    """Return the term with this name in a recipe, in the version of a reading."""
    _import_files()
    found = TERMS.get((name, reading)) or TERMS.get((name, None))
    if found is None:
        raise LookupError(f"objective.{name}: expected a function with @term({name!r}) in objectives/, got none")
    return found


def similarity_of(settings: ContrastTerm | PrototypeTerm | MatchingTerm) -> Similarity:
    """Return the scaled cosine that a term's settings describe, its scale fixed or learned."""
    bias = None if isinstance(settings, ContrastTerm) else settings.bias
    return LearnedCosine(settings.scale, bias) if settings.learn_scale else ScaledCosine(settings.scale, bias or 0.0)


@cache
def _import_files() -> None:
    """Import every file of this folder, so that its terms are registered."""
    room = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        import_module(f"{room}.{module.name}")
