"""The recipe for tuning on few-shot episodes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from protorel.fewshot import LearnedSettings
from protorel.recipes.names import CombineName, SimilarityName
from protorel.recipes.objective import Frozen, Term
from protorel.recipes.tuning import FinetuneRecipe

WayAndShot = Annotated[tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(ge=1)]], Field()]


class EpisodeObjective(Frozen):
    """By what a way is given to the queries of an episode; each weight above 0 is a cross-entropy of its own."""

    examples: Term = Term(weight=1.0)
    """By its examples: algorithm 2 of the paper."""
    text: Term = Term()
    """By what its relation means in words, with no example; asked of the examples too."""
    both: Term = Term()
    """By its examples and its text together."""


class EpisodeRecipe(FinetuneRecipe):
    """How to tune an encoder on episodes, so that a few examples of a new relation are enough."""

    kind: Literal["episodes"] = "episodes"
    steps: int = Field(default=150, ge=1)
    max_length: int = Field(default=64, ge=8)
    episodes: tuple[WayAndShot, ...] = Field(default=((48, 1), (16, 5)), min_length=1)
    """The settings that take turns, as [way, shot]: one for a fixed setting, several for a run that serves them all."""
    episodes_per_step: int = Field(default=1, ge=1)
    combine: CombineName = "prototype"
    """How the examples of a way decide together."""
    similarity: SimilarityName = "cosine"
    scale: float = Field(default=20.0, gt=0)
    """What similarities are multiplied by to be logits: one over the temperature."""
    method: LearnedSettings | None = None
    """A method with weights of its own, which answers in the place of `combine`, `similarity` and `scale`."""
    apart_pairs: bool = False
    """Whether a query is never about an entity pair that an example of its episode is about."""
    objective: EpisodeObjective = EpisodeObjective()

    @model_validator(mode="after")
    def _something_to_learn(self) -> EpisodeRecipe:
        if not any((self.objective.examples.weight, self.objective.text.weight, self.objective.both.weight)):
            raise ValueError("every weight of the objective is 0: examples, text or both is wanted")
        return self

    @model_validator(mode="after")
    def _method_reads_examples(self) -> EpisodeRecipe:
        if self.method is not None and (self.reads_texts or not self.objective.examples.weight):
            raise ValueError(f"the method {self.method.name} answers by examples: leave objective.examples alone on")
        return self

    @property
    def reads_texts(self) -> bool:
        """Tell whether the objective asks for what relations mean in words."""
        return bool(self.objective.text.weight or self.objective.both.weight)
