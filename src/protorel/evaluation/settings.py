"""What a few-shot evaluation is asked for, checked when it is made. Nothing here needs torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from protorel.fewshot import METHODS, FewShotMethod
from protorel.recipes import SimilarityName
from protorel.statements import BadInput, Phrase, load_descriptions

if TYPE_CHECKING:
    from protorel.model import RelationModel
    from protorel.statements import DataSet, Descriptions

_NO_PHRASE = "none"


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """N ways, K shots, how many episodes by which seed, and the rule that answers in them."""

    way: int = 5
    shot: int = 1
    episodes: int = 10_000
    seed: int = 0
    method: FewShotMethod = METHODS["prototype"]
    similarity: str = "cosine"
    described: bool = False
    """Whether a way is given by its relation's text too, or, at 0 shots, by that alone."""
    text_weight: float | None = None
    """How much the text's direction counts where that of the examples counts 1; by default it falls with the shots."""

    def __post_init__(self) -> None:
        if self.method.reads_stored_vectors:
            _check_choice("similarity", self.similarity, get_args(SimilarityName))
        for name, value in (("way", self.way), ("episodes", self.episodes)):
            if value < 1:
                raise BadInput(f"{name}: expected 1 or more, got {value}")
        if self.method.needs == "encoder" and self.way < 2:
            raise BadInput(f"way: expected 2 or more for the method {self.method.name}, got {self.way}")
        if self.shot < 0 or (self.shot == 0 and not self.described):
            raise BadInput(f"shot is {self.shot}, at least 1 is wanted, or 0 where relations are given by descriptions")
        if self.described and not self.method.takes_texts:
            known = " or ".join(name for name, method in METHODS.items() if method.takes_texts)
            raise BadInput(f"method: expected {known} with descriptions, got {self.method.name!r}")
        if self.text_weight is not None and not self.described:
            raise BadInput(f"a text weight of {self.text_weight} was given, but no descriptions to be weighted")
        if self.text_weight is not None and not 0 <= self.text_weight < math.inf:
            raise BadInput(f"the text weight is {self.text_weight}, a number from 0 on is wanted")

    def check_beside_crowd(self, *, rejecting: bool = False) -> None:
        """Refuse rules in which a way is no direction that a crowd could be near to."""
        if rejecting:
            raise BadInput(
                "--crowd was given with --none-share, but a threshold is learned from plain cosines: leave one out"
            )
        if not self.method.takes_hubness or self.similarity != "cosine":
            known = " or ".join(name for name, method in METHODS.items() if method.takes_hubness)
            raise BadInput(
                f"hubness correction: expected the method {known} and the similarity cosine, "
                f"got {self.method.name!r} and {self.similarity!r}"
            )

    @property
    def weights(self) -> dict[str, float] | None:
        """How much examples and text count, where there are texts."""
        if not self.described:
            return None
        from protorel.fewshot import default_text_weight  # torch is loaded when it is needed

        text = default_text_weight(self.shot) if self.text_weight is None else self.text_weight
        return {"support": 1.0, "text": text} if self.shot else {"support": 0.0, "text": 1.0}


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
                raise BadInput(f"{what} of {value} was given without descriptions; name them by --descriptions FILE")
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
class NoneSettings:
    """How many queries are from outside the ways, and where the rule that rejects them is learned."""

    share: float
    held_out: DataSet | None = None
    """Labelled statements of other relations; without it, those of the background are taken."""
    wanted_error: float | None = None
    """The share of answers that may be wrong; without it, the threshold gives most accuracy."""

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise BadInput(f"the share of queries from outside the ways is {self.share}, 0 to below 1 is wanted")
        if self.wanted_error is not None and not 0 <= self.wanted_error < 1:
            raise BadInput(f"the wanted error rate is {self.wanted_error}, 0 to below 1 is wanted")

    @classmethod
    def given(
        cls, share: float | None, *, held_out: DataSet | None = None, wanted_error: float | None = None
    ) -> NoneSettings | None:
        """Take a share of outsiders, where there is one; what only counts beside it is refused alone."""
        if share is None and (held_out is not None or wanted_error is not None):
            raise BadInput("a threshold was asked for, but no share of queries to reject: --none-share SHARE is wanted")
        return None if share is None else cls(share, held_out, wanted_error)


def _check_choice(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BadInput(f"{what}: expected one of {', '.join(known)}, got {value!r}")
