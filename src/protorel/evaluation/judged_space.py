"""Where statements and texts are compared: a model's vectors, whitened where a background is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.background import Background
from protorel.evaluation.vector_cache import encode_once
from protorel.model import RelationModel
from protorel.statements import BadInput, Descriptions, Phrase, Statement, Wording, load_descriptions

_NO_PHRASE = "none"


@dataclass(frozen=True, slots=True)
class TextSettings:
    """Relations' names and descriptions, by which ways are given too, or, at 0 shots, alone."""

    descriptions: Descriptions
    weight: float | None = None
    """How much a text counts where the examples count 1; by default it falls with the shots."""
    phrase: str | None = None
    """What makes a statement of a relation's name, as one more wording; None for what the model has learned with, and
    "none" for texts alone."""

    @classmethod
    def given(cls, path: Path | None, *, weight: float | None = None, phrase: str | None = None) -> TextSettings | None:
        """Read a file of descriptions, where there is one; a weight or a phrase alone is refused."""
        for what, value in (("a text weight", weight), ("a phrase", phrase)):
            if path is None and value is not None:
                raise BadInput(f"{what} of {value} was given, but no descriptions: --descriptions FILE is wanted")
        if path is None:
            return None
        if phrase not in (None, _NO_PHRASE):
            Phrase(phrase)  # a bad one is refused before the long work
        return cls(load_descriptions(path), weight, phrase)

    def read_by(self, model: RelationModel) -> Descriptions:
        """Return the descriptions as a model reads them: by the phrase that was asked for, or by its own."""
        wanted = model.phrase if self.phrase is None else self.phrase
        return self.descriptions.phrased(None if wanted == _NO_PHRASE else wanted)


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
