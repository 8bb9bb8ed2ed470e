"""Settings of a few-shot evaluation, checked when they are created, without importing torch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from protorel.fewshot import METHODS, FewShotMethod
from protorel.recipes import SimilarityName
from protorel.statements import BadInput, Phrase, load_descriptions

if TYPE_CHECKING:
    from protorel.model import MarkerStart, RelationModel
    from protorel.statements import DataSet, Descriptions, Equivalents

_NO_PHRASE = "none"


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """How many episodes of which size are drawn, and the method that answers in them."""

    way: int = 5
    shot: int = 1
    episodes: int = 10_000
    seed: int = 0
    method: FewShotMethod = METHODS["prototype"]
    similarity: str = "cosine"
    described: bool = False
    """Whether a candidate relation has a text too or, at 0 shots, only a text."""
    text_weight: float | None = None
    """Weight of a text, where the examples have weight 1; by default it falls with the shots."""

    def __post_init__(self) -> None:
        if self.method.reads_stored_vectors:
            _check_choice("similarity", self.similarity, get_args(SimilarityName))
        _check_counts(self.way, self.episodes)
        if self.method.needs == "encoder" and self.way < 2:
            raise BadInput(f"way: expected 2 or more for the method {self.method.name}, got {self.way}")
        if self.shot < 0 or (self.shot == 0 and not self.described):
            raise BadInput(f"shot: expected 1 or more, or 0 with descriptions of relations, got {self.shot}")
        if self.described and not self.method.takes_texts:
            known = " or ".join(name for name, method in METHODS.items() if method.takes_texts)
            raise BadInput(f"method: expected {known} with descriptions, got {self.method.name!r}")
        if self.text_weight is not None and not self.described:
            raise BadInput(f"text weight: expected none without descriptions, got {self.text_weight}")
        if self.text_weight is not None and not 0 <= self.text_weight < math.inf:
            raise BadInput(f"text weight: expected a number of 0 or more, got {self.text_weight}")

    def check_takes_hubness(self) -> None:
        """Raise `BadInput` for methods that do not represent a candidate relation by one direction."""
        if not self.method.takes_hubness or self.similarity != "cosine":
            known = " or ".join(name for name, method in METHODS.items() if method.takes_hubness)
            raise BadInput(
                f"hubness correction: expected the method {known} and the similarity cosine, "
                f"got {self.method.name!r} and {self.similarity!r}"
            )

    @property
    def weights(self) -> dict[str, float] | None:
        """The weights of examples and texts, where there are texts."""
        if not self.described:
            return None
        from protorel.fewshot import default_text_weight  # imports torch

        text = default_text_weight(self.shot) if self.text_weight is None else self.text_weight
        return {"support": 1.0, "text": text} if self.shot else {"support": 0.0, "text": 1.0}


@dataclass(frozen=True, slots=True)
class TextSettings:
    """Names and descriptions of the candidate relations, used with examples or, at 0 shots, alone."""

    descriptions: Descriptions
    weight: float | None = None
    """Weight of a text, where the examples have weight 1; by default it falls with the shots."""
    phrase: str | None = None
    """Template that makes a statement of a relation's name; None for the one that the model learned with, "none" for
    texts alone."""

    @classmethod
    def given(cls, path: Path | None, *, weight: float | None = None, phrase: str | None = None) -> TextSettings | None:
        """Return the settings for a file of descriptions, or None without one.

        Raises:
            BadInput: there is a weight or a phrase without a file, or the file or the phrase cannot be used.
        """
        for option, value in (("--text-weight", weight), ("--phrase", phrase)):
            if path is None and value is not None:
                raise BadInput(f"{option}: expected descriptions with it, got none. Name them by --descriptions FILE")
        if path is None:
            return None
        if phrase not in (None, _NO_PHRASE):
            Phrase(phrase)  # raises BadInput before the long work
        return cls(load_descriptions(path), weight, phrase)

    def read_by(self, model: RelationModel) -> Descriptions:
        """Return the descriptions with the given phrase, or else with the model's own."""
        phrase = model.phrase if self.phrase is None else self.phrase
        return self.descriptions.phrased(None if phrase == _NO_PHRASE else phrase)


@dataclass(frozen=True, slots=True)
class NoneSettings:
    """Share of queries that belong to no candidate relation, and the data that rejecting them is learned from."""

    share: float
    held_out: DataSet | None = None
    """Labelled statements of other relations; by default those that vectors are whitened by."""
    max_error: float | None = None
    """Highest share of wrong answers; by default the threshold maximises accuracy."""
    wanted_error: InitVar[float | None] = None
    """The old name of `max_error`, for one release."""

    def __post_init__(self, wanted_error: float | None) -> None:
        if wanted_error is not None:
            warnings.warn("NoneSettings: wanted_error is now max_error", FutureWarning, stacklevel=3)
            object.__setattr__(self, "max_error", wanted_error)
        if not 0 <= self.share < 1:
            raise BadInput(f"--none-share: expected 0 or more and below 1, got {self.share}")
        if self.max_error is not None and not 0 <= self.max_error < 1:
            raise BadInput(f"--max-error: expected 0 or more and below 1, got {self.max_error}")

    @classmethod
    def given(
        cls, share: float | None, *, held_out: DataSet | None = None, max_error: float | None = None
    ) -> NoneSettings | None:
        """Return the settings if a share was given, and raise `BadInput` for options that need one."""
        if share is None and (held_out is not None or max_error is not None):
            raise BadInput("--threshold-from and --max-error: expected --none-share SHARE with them, got none")
        return None if share is None else cls(share, held_out, max_error)


@dataclass(frozen=True, slots=True)
class FewShotSettings:
    """Settings of `evaluate_few_shot`.

    Args:
        way: Candidate relations per episode.
        shot: Examples per relation; 0 with `texts`.
        episodes: Number of episodes; by default 10,000, or 100 for a slow method.
        seed: Random seed for the episodes.
        method: A few-shot method or its name; by default the run's own, or `prototype`.
        similarity: How vectors are compared; by default as the run was tuned, or by `cosine`.
        apart_pairs: Whether queries and examples of an episode never share an entity pair.
        readout: How an encoder that is not a run is read.
        marker_start: Entity markers of an encoder that is not a run: brackets, or unused tokens.
        whiten: Labelled statements of other relations: vectors are whitened by the spread within those.
        hubness: Labelled statements of other relations: candidates that are close to many of them are penalised.
        only: Relations to evaluate on: the name of a list that we ship, or a file.
        equivalents: Relations that mean the same; by default the table that we ship.
        texts: Names and descriptions of the relations.
        none: Queries that belong to no candidate relation, and how they are rejected.

    Raises:
        BadInput: a number is out of range, or two settings exclude each other.

    Example:
        >>> FewShotSettings(way=10, shot=5).method is None
        True
    """

    way: int = 5
    shot: int = 1
    episodes: int | None = None
    seed: int = 0
    method: str | FewShotMethod | None = None
    similarity: str | None = None
    apart_pairs: bool = False
    readout: str | None = None
    marker_start: MarkerStart = "brackets"
    whiten: DataSet | None = None
    hubness: DataSet | None = None
    only: str | None = None
    equivalents: Equivalents | None = None
    texts: TextSettings | None = None
    none: NoneSettings | None = None

    def __post_init__(self) -> None:
        _check_counts(self.way, self.episodes)
        if self.hubness is not None and self.none is not None:
            raise BadInput(
                "--hubness: expected no --none-share with it, since a threshold is learned from plain cosines; "
                "leave one out"
            )


def _check_counts(way: int, episodes: int | None) -> None:
    for name, value in (("way", way), ("episodes", episodes)):
        if value is not None and value < 1:
            raise BadInput(f"{name}: expected 1 or more, got {value}")


def _check_choice(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BadInput(f"{what}: expected one of {', '.join(known)}, got {value!r}")
