"""A recipe: every setting of a pretraining run, read once and never changed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from protorel.recipes.names import ReadoutName
from protorel.recipes.objective import Frozen, ObjectiveSettings
from protorel.statements import BadInput, Phrase


class WordEncoderSettings(Frozen):
    """What every encoder of words is told; a kind of encoder adds its own sizes, by the names that its maker has."""

    vectors: str | None = None
    """A text file of word vectors, a word and its numbers a line; without one, GloVe from its wheel."""
    most_frequent_words: int = Field(default=40_000, ge=0)
    """How many of the first words are known besides those of the data."""
    dropout: float = Field(default=0.2, ge=0, lt=1)
    position_width: int = Field(default=5, ge=1)

    def sizes(self) -> dict[str, Any]:
        """Return what the encoder is made with."""
        return self.model_dump(exclude={"vectors", "most_frequent_words"})


class CNNSettings(WordEncoderSettings):
    """Sizes of the convolutional encoder, pooled over the sentence or in pieces."""

    channels: int = Field(default=230, ge=1)
    window: int = Field(default=3, ge=1)


class RNNSettings(WordEncoderSettings):
    """Sizes of the recurrent encoder; its markers say where the entities are, so it needs no distances."""

    hidden: int = Field(default=120, ge=1)
    cell: Literal["lstm", "gru", "tanh"] = "lstm"
    position_width: int = Field(default=0, ge=0)


class SelfAttentionSettings(WordEncoderSettings):
    """Sizes of the self-attention encoder."""

    hidden: int = Field(default=240, ge=1)
    heads: int = Field(default=3, ge=1)
    position_width: int = Field(default=20, ge=1)


class TrainingSettings(Frozen):
    """What every kind of training is told; the keys that everybody overrides stand at the top."""

    name: str = "unnamed"
    seed: int = Field(default=0, ge=0, lt=2**63)
    learning_rate: float = Field(default=1e-4, gt=0)
    max_length: int = Field(default=64, ge=8)
    phrase: str | None = None
    """Where relations are read in words, what makes a statement of a relation's name, as one more of its wordings: text
    with {head}, {tail} and {name}."""
    checkpoint_every: int = Field(default=100, ge=1)

    marker_start: Literal["brackets", "unused"] = "brackets"
    """What a transformer's entity markers start as: brackets, or tokens that no text holds. A run keeps its own."""
    readout: ReadoutName = "start"
    without_relations: str | None = None
    """A list of relations to leave out: the name of one that we ship, such as `fewrel_dev`, or a file."""
    min_statements: int = Field(default=1, ge=1)
    """Relations with fewer statements that can be used are left out."""
    warmup: float = Field(default=0.06, ge=0, lt=1)
    """The share of the steps in which the learning rate rises."""
    weight_decay: float = Field(default=0.01, ge=0)
    clip: float = Field(default=1.0, gt=0)
    """The greatest norm of a step's gradient."""
    head_factor: float = Field(default=10.0, gt=0)
    """How much faster prototypes and classifiers learn than the encoder."""
    chunks: int = Field(default=6, ge=1)
    """Into how many pieces of like length a batch is cut for encoding."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """bf16: a transformer's products are rounded to bfloat16 while it learns, which takes about half the time on some
    processors. Weights and losses stay float32. auto: bf16 where a probe finds it usable and faster, else fp32."""
    cnn: CNNSettings = CNNSettings()
    """An encoder of words has its sizes in the section of its name."""
    pcnn: CNNSettings = CNNSettings()
    rnn: RNNSettings = RNNSettings()
    self_attention: SelfAttentionSettings = SelfAttentionSettings()

    @field_validator("phrase")
    @classmethod
    def _phrase_has_its_places(cls, template: str | None) -> str | None:
        """Refuse a phrase before any work."""
        try:
            return template if template is None else Phrase(template).template
        except BadInput as problem:
            raise ValueError(str(problem)) from problem


class Recipe(TrainingSettings):
    """How to pretrain."""

    encoder: str = "minilm"
    """`minilm`, `cnn`, `pcnn`, `rnn`, `self_attention`, a folder that Hugging Face tools can open, a run folder, or a
    hub id."""
    steps: int = Field(default=300, ge=1)
    relations_per_batch: int = Field(default=32, ge=1)
    statements_per_relation: int = Field(default=2, ge=1)

    batches_by: Literal["relation", "pair"] = "relation"
    """What the statements of a batch are grouped by: their label, or, for MTB, their two entities."""
    prototype_start: Literal["random", "means"] = "random"
    """Where prototypes start: anywhere, or at the mean of some of their relation's statements."""
    dropout: float | None = Field(default=None, ge=0, lt=1)
    """The dropout of a transformer while it learns; None: as its own config says. At 0 a step takes about a sixth less
    time. An encoder of words has its dropout in its section."""
    blank_rate: float = Field(default=0.0, ge=0, le=1)
    """How often an entity's name is hidden."""
    swap_rate: float = Field(default=0.0, ge=0, le=1)
    """How often an entity gets the name that stands in its place in another statement of the relation."""
    padding_free: bool = False
    """Whether padding is left out of what a BERT computes while it learns; other encoders learn as they do without."""
    objective: ObjectiveSettings = ObjectiveSettings()
    """The terms of equation 7 and their weights."""

    @model_validator(mode="after")
    def _pairs_can_match(self) -> Recipe:
        """Refuse MTB's rule where two statements of one pair would meet in a batch by chance only."""
        matching = self.objective.s2s_prime
        if matching.weight and matching.match == "pair" and self.batches_by != "pair":
            raise ValueError(
                "s2s_prime matches statements by their entity pair: set batches_by=pair, "
                "or objective.s2s_prime.match=relation"
            )
        return self
