"""Where statements and texts are compared: a model's vectors, whitened where a background is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.background import Background
from protorel.evaluation.vector_cache import encode_once
from protorel.model import RelationModel
from protorel.statements import BadInput, Descriptions, Statement, load_descriptions


@dataclass(frozen=True, slots=True)
class TextSettings:
    """Relations' names and descriptions, by which ways are given too, or, at 0 shots, alone."""

    descriptions: Descriptions
    weight: float | None = None
    """How much a text counts where the examples count 1; by default it falls with the shots."""

    @classmethod
    def given(cls, path: Path | None, *, weight: float | None = None) -> TextSettings | None:
        """Read a file of descriptions, where there is one; a weight alone is refused."""
        if path is None and weight is not None:
            raise BadInput(f"a text weight of {weight} was given, but no descriptions: --descriptions FILE is wanted")
        return None if path is None else cls(load_descriptions(path), weight)

    def as_json(self, weights: Mapping[str, float] | None) -> dict[str, Any]:
        """Say which texts were used and how much they counted."""
        return {
            "name": self.descriptions.name,
            "fingerprint": self.descriptions.fingerprint,
            "weights": weights,
        }


@dataclass(frozen=True, slots=True)
class JudgedSpace:
    """Gives the vectors that are judged."""

    model: RelationModel
    background: Background | None = None

    def statements(self, statements: Sequence[Statement]) -> Float[Tensor, "statements width"]:
        """Return the vectors of statements."""
        vectors = encode_once(self.model, statements)
        return vectors if self.background is None else self.background.whitening(vectors)

    def wordings(self, wordings: Sequence[Sequence[str]]) -> Float[Tensor, "relations width"]:
        """Return the vectors of relations given by their wordings, next to those of statements.

        A text is no statement: whitening by how those spread would blur it, so that it only takes over their axes.
        """
        vectors = self.model.encode_wordings(wordings)
        return vectors if self.background is None else self.background.whitening.turned(vectors)
