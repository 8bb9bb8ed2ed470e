"""The settings of a few-shot evaluation, checked when they are made. Nothing here needs torch."""

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
    from protorel.model import MarkerStart, RelationModel
    from protorel.statements import DataSet, Descriptions, Equivalents

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
        """Refuse methods in which a candidate relation is not one direction, which hubness correction needs."""
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
    """Names and descriptions of the candidate relations, used with examples or, at 0 shots, alone."""

    descriptions: Descriptions
    weight: float | None = None
    """Weight of a text, where the examples have weight 1; by default it falls with the shots."""
    phrase: str | None = None
    """Template that makes a statement of a relation's name; None for the one that the model learned with, "none" for
    texts alone."""

    @classmethod
    def given(cls, path: Path | None, *, weight: float | None = None, phrase: str | None = None) -> TextSettings | None:
        """Read a file of descriptions, if there is one; a weight or a phrase without it is refused."""
        for option, value in (("--text-weight", weight), ("--phrase", phrase)):
            if path is None and value is not None:
                raise BadInput(f"{option}: expected descriptions with it, got none. Name them by --descriptions FILE")
        if path is None:
            return None
        if phrase not in (None, _NO_PHRASE):
            Phrase(phrase)  # a bad one is refused before the long work
        return cls(load_descriptions(path), weight, phrase)

    def read_by(self, model: RelationModel) -> Descriptions:
        """Return the descriptions with the phrase that was given, or else with the model's own."""
        phrase = model.phrase if self.phrase is None else self.phrase
        return self.descriptions.phrased(None if phrase == _NO_PHRASE else phrase)


@dataclass(frozen=True, slots=True)
class NoneSettings:
    """Share of queries that belong to no candidate relation, and the data that rejecting them is learned from."""

    share: float
    held_out: DataSet | None = None
    """Labelled statements of other relations; by default those that vectors are whitened by."""
    wanted_error: float | None = None
    """Highest share of wrong answers; by default the threshold maximises accuracy."""

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise BadInput(f"--none-share: expected 0 or more and below 1, got {self.share}")
        if self.wanted_error is not None and not 0 <= self.wanted_error < 1:
            raise BadInput(f"--wanted-error: expected 0 or more and below 1, got {self.wanted_error}")

    @classmethod
    def given(
        cls, share: float | None, *, held_out: DataSet | None = None, wanted_error: float | None = None
    ) -> NoneSettings | None:
        """Return the settings if a share was given; options that need a share are refused without it."""
        if share is None and (held_out is not None or wanted_error is not None):
            raise BadInput("--threshold-from and --wanted-error: expected --none-share SHARE with them, got none")
        return None if share is None else cls(share, held_out, wanted_error)


@dataclass(frozen=True, slots=True)
class FewShotSettings:
    """The settings of `evaluate_few_shot`.

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
