"""The recipe for pretraining, and the settings that every training has."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from protorel.recipes.names import ReadoutName
from protorel.recipes.objective import Frozen, ObjectiveSettings
from protorel.statements import BadInput, Phrase

Shareable = Literal["relations", "pairs", "sentences", "near_duplicates"]
"""Kinds of overlap between training data and a test set."""


class WordEncoderSettings(Frozen):
    """Settings of every word encoder; each kind adds its own sizes, named as the arguments of its class."""

    vectors: str | None = None
    """A text file of word vectors, one word and its numbers per line; by default, packaged GloVe."""
    most_frequent_words: int = Field(default=40_000, ge=0)
    """How many of the first words in the file are known, next to the words of the data."""
    dropout: float = Field(default=0.2, ge=0, lt=1)
    position_width: int = Field(default=5, ge=1)

    def sizes(self) -> dict[str, Any]:
        """Return the arguments of the encoder."""
        return self.model_dump(exclude={"vectors", "most_frequent_words"})


class CNNSettings(WordEncoderSettings):
    """Sizes of the convolutional encoder, with one or with piecewise pooling."""

    channels: int = Field(default=230, ge=1)
    window: int = Field(default=3, ge=1)


class RNNSettings(WordEncoderSettings):
    """Sizes of the recurrent encoder; markers show where the entities are, so it needs no positions."""

    hidden: int = Field(default=120, ge=1)
    cell: Literal["lstm", "gru", "tanh"] = "lstm"
    position_width: int = Field(default=0, ge=0)


class SelfAttentionSettings(WordEncoderSettings):
    """Sizes of the self-attention encoder."""

    hidden: int = Field(default=240, ge=1)
    heads: int = Field(default=3, ge=1)
    position_width: int = Field(default=20, ge=1)


class TrainingSettings(Frozen):
    """Settings of every kind of training; those changed most often come first."""

    name: str = "unnamed"
    seed: int = Field(default=0, ge=0, lt=2**63)
    learning_rate: float = Field(default=1e-4, gt=0)
    max_length: int = Field(default=64, ge=8)
    phrase: str | None = None
    """Text with {head}, {tail} and {name} that makes a statement of a relation's name: one more wording, where an
    objective reads the texts of relations."""
    checkpoint_every: int = Field(default=100, ge=1)

    marker_start: Literal["brackets", "unused"] = "brackets"
    """Initial embeddings of a transformer's entity markers: brackets, or unused tokens. A run keeps its own."""
    readout: ReadoutName = "start"
    low_rank: int | None = Field(default=None, ge=1)
    """Rank of what a transformer learns of each matrix, all but its biases, layer norms and entity markers being frozen
    (LoRA, Hu et al. 2022); None: it learns whole matrices. Takes a higher learning rate."""
    without_relations: str | None = None
    """Relations to leave out: a list that we ship, such as `fewrel_dev`, or a file."""
    min_statements: int = Field(default=1, ge=1)
    """Relations with fewer usable statements are left out."""
    share: tuple[Shareable, ...] = ()
    """Overlap with the --decontaminate files that is allowed: no statement is removed for it."""
    warmup: float = Field(default=0.06, ge=0, lt=1)
    """The share of the steps in which the learning rate rises."""
    weight_decay: float = Field(default=0.01, ge=0)
    clip: float = Field(default=1.0, gt=0)
    """Maximum norm of a step's gradient."""
    head_factor: float = Field(default=10.0, gt=0)
    """Learning rate of prototypes and classifiers, as a multiple of the encoder's."""
    chunks: int = Field(default=6, ge=1)
    """Number of chunks of similar length that a batch is encoded in."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """bf16: matrix products of a transformer are computed in bfloat16 during training, about twice as fast on some
    processors; weights and losses stay float32. auto: bf16 if a probe finds it usable and faster, else fp32."""
    cnn: CNNSettings = CNNSettings()
    """The sizes of each word encoder are in the section of its name."""
    pcnn: CNNSettings = CNNSettings()
    rnn: RNNSettings = RNNSettings()
    self_attention: SelfAttentionSettings = SelfAttentionSettings()

    @field_validator("phrase")
    @classmethod
    def _phrase_has_its_places(cls, template: str | None) -> str | None:
        """Check the placeholders of a phrase."""
        try:
            return template if template is None else Phrase(template).template
        except BadInput as problem:
            raise ValueError(str(problem)) from problem


class Recipe(TrainingSettings):
    """Settings of a pretraining run.

    `load_recipe` reads one that we ship, or a YAML file, and says in one line what is wrong with a setting.

    Args:
        **settings: Any of the fields below; the others are at their defaults.

    Raises:
        pydantic.ValidationError: A setting is unknown or out of range.

    >>> from protorel import Recipe
    >>> recipe = Recipe(encoder="cnn", steps=3)
    >>> recipe.steps, recipe.learning_rate
    (3, 0.0001)
    """

    encoder: str = "minilm"
    """`minilm`, `cnn`, `pcnn`, `rnn`, `self_attention`, a run folder, a folder that Hugging Face tools open, or a hub
    id."""
    steps: int = Field(default=300, ge=1)
    relations_per_batch: int = Field(default=32, ge=1)
    statements_per_relation: int = Field(default=2, ge=1)

    no_relation: Literal["push", "relation"] = "push"
    """What becomes of statements whose label means no relation, such as NA: pushed from all prototypes and from the
    statements of all relations, or learned as one more relation."""
    unrelated_per_batch: int = Field(default=16, ge=1)
    """How many of them each batch holds in addition, if there are any and they are pushed."""
    batches_by: Literal["relation", "pair"] = "relation"
    """What groups the statements of a batch: their label, or, for MTB, their entity pair."""
    prototype_start: Literal["random", "means"] = "random"
    """Initial prototypes: random, or the means of some of their relation's statements."""
    dropout: float | None = Field(default=None, ge=0, lt=1)
    """Dropout of a transformer; None: as in its own config. At 0 a step takes about a sixth less time. A word encoder
    has its dropout in its section."""
    blank_rate: float = Field(default=0.0, ge=0, le=1)
    """Probability that an entity's name is hidden."""
    swap_rate: float = Field(default=0.0, ge=0, le=1)
    """Probability that an entity's name is replaced by that in another statement of the relation."""
    padding_free: bool = False
    """Whether a BERT is trained without padding; other encoders ignore it."""
    objective: ObjectiveSettings = ObjectiveSettings()
    """The terms of equation 7 and their weights."""

    @model_validator(mode="after")
    def _pairs_can_match(self) -> Recipe:
        """Check that batches hold matching pairs if the objective matches statements by entity pair."""
        matching = self.objective.s2s_prime
        if matching.weight and matching.match == "pair" and self.batches_by != "pair":
            raise ValueError(
                "s2s_prime matches statements by their entity pair: set batches_by=pair, "
                "or objective.s2s_prime.match=relation"
            )
        return self
