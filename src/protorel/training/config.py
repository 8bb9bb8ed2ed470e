"""A recipe: every setting of a training run, read once and never changed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from protorel.objectives.settings import Frozen, ObjectiveSettings


class CNNSettings(Frozen):
    """Sizes of the convolutional encoder."""

    channels: int = Field(default=230, ge=1)
    position_width: int = Field(default=5, ge=1)
    window: int = Field(default=3, ge=1)
    dropout: float = Field(default=0.2, ge=0, lt=1)
    most_frequent_words: int = Field(default=40_000, ge=0)


class Recipe(Frozen):
    """How to train; the keys that everybody overrides stand at the top."""

    name: str = "unnamed"
    encoder: str = "minilm"
    """`minilm`, `cnn`, a folder that Hugging Face tools can open, a run folder, or a hub id."""
    steps: int = Field(default=300, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    learning_rate: float = Field(default=1e-4, gt=0)
    relations_per_batch: int = Field(default=32, ge=1)
    statements_per_relation: int = Field(default=2, ge=1)
    max_length: int = Field(default=64, ge=8)
    checkpoint_every: int = Field(default=100, ge=1)

    readout: Literal["start", "mention", "cls", "mean"] = "start"
    without_relations: str | None = None
    """A list of relations to leave out: the name of one that we ship, such as `fewrel_dev`, or a file."""
    min_statements: int = Field(default=1, ge=1)
    """Relations with fewer statements are left out."""
    blank_rate: float = Field(default=0.0, ge=0, le=1)
    """How often an entity's name is hidden."""
    warmup: float = Field(default=0.06, ge=0, lt=1)
    """The share of the steps in which the learning rate rises."""
    weight_decay: float = Field(default=0.01, ge=0)
    clip: float = Field(default=1.0, gt=0)
    """The greatest norm of a step's gradient."""
    head_factor: float = Field(default=10.0, gt=0)
    """How much faster prototypes and classifiers learn than the encoder."""
    chunks: int = Field(default=6, ge=1)
    """Into how many pieces of like length a batch is cut for encoding."""
    objective: ObjectiveSettings = ObjectiveSettings()
    cnn: CNNSettings = CNNSettings()
