"""Where statements and texts are compared: a model's vectors, whitened where a background is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.background import Background
from protorel.evaluation.vector_cache import encode_once
from protorel.model import RelationModel
from protorel.statements import Statement, Wording


@dataclass(frozen=True, slots=True)
class JudgedSpace:
    """Gives the vectors that are judged."""

    model: RelationModel
    background: Background | None = None

    def statements(self, statements: Sequence[Statement]) -> Float[Tensor, "statements width"]:
        """Return the vectors of statements."""
        vectors = encode_once(self.model, statements)
        return vectors if self.background is None else self.background.whitening(vectors)

    def wordings(self, wordings: Sequence[Sequence[Wording]]) -> Float[Tensor, "relations width"]:
        """Return the vectors of relations given by their wordings, next to those of statements.

        A text is no statement: whitening by how those spread would blur it, so that it only takes over their axes.
        """
        vectors = self.model.encode_wordings(wordings)
        return vectors if self.background is None else self.background.whitening.turned(vectors)
