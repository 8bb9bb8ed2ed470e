"""Recipes for tuning: what becomes of a model that is there already, or of word vectors alone."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from protorel.recipes.names import VectorMethodName
from protorel.recipes.pretraining import TrainingSettings

Shareable = Literal["relations", "pairs", "sentences", "near_duplicates"]
"""What training data and a test set can have in common, by the names that the leakage guard has for it."""


class FinetuneRecipe(TrainingSettings):
    """What every kind of tuning is told. A recipe file says by `kind` which it is for."""

    kind: str
    encoder: str | None = None
    """What to start from where no `--model` is given: an encoder of words by name, or whatever `--model` takes."""
    judged_by: VectorMethodName | None = None
    """The method on stored vectors that `evaluate fewshot` takes for such a run where it is told none."""
    max_length: int = Field(default=96, ge=8)
    share: tuple[Shareable, ...] = ()
    """What the data may have in common with the --apart-from files: no statement is dropped for it."""


class SupervisedRecipe(FinetuneRecipe):
    """How to tune an encoder with a classifier on top, by cross-entropy over all the data, epoch by epoch."""

    kind: Literal["supervised"] = "supervised"
    epochs: int = Field(default=10, ge=1)
    batch_size: int = Field(default=32, ge=1)
    hold_out: int = Field(default=0, ge=0)
    """How many statements of the data are held out to choose the epoch by, where no --dev file is given."""
    metric: Literal["semeval", "macro", "micro", "accuracy"] = "macro"
    """The score on held-out statements that chooses the epoch."""
    no_relation: str | None = None
    """The label that says that none of the relations holds: learned like any other, not counted by F1."""
    class_weights: Literal["none", "balanced"] = "none"
    """Whether rare labels weigh as much as frequent ones."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    hidden: int = Field(default=0, ge=0)
    """The width of a hidden layer with tanh in the classifier; 0: none, as in the paper's algorithm 1."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """The classifier's own; the encoder has what it came with."""
    share: tuple[Shareable, ...] = ("relations",)
    """A classifier is judged by the relations that it has learned."""
