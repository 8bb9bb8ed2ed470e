"""Recipes for fine-tuning: a classifier, an encoder on few-shot episodes, or prototypes for reading text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from protorel.fewshot import LearnedSettings
from protorel.recipes.names import CombineName, SimilarityName, VectorMethodName
from protorel.recipes.objective import Frozen, Term
from protorel.recipes.pretraining import Shareable, TrainingSettings
from protorel.statements import SYMMETRIC

WayAndShot = Annotated[tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(ge=1)]], Field()]


class FinetuneRecipe(TrainingSettings):
    """Settings of every kind of fine-tuning; `kind` says which one a recipe is for.

    `load_finetune_recipe` returns one of its two subclasses, `SupervisedRecipe` or `EpisodeRecipe`.

    Args:
        **settings: Any of the fields below; the others are at their defaults.

    Raises:
        pydantic.ValidationError: A setting is unknown or out of range.

    >>> from protorel import FinetuneRecipe, load_finetune_recipe
    >>> recipe = load_finetune_recipe("fewrel", {"steps": 3})
    >>> isinstance(recipe, FinetuneRecipe), recipe.kind, recipe.steps
    (True, 'episodes', 3)
    """

    kind: str
    encoder: str | None = None
    """What to start from if no `--model` is given: the name of a word encoder, or anything that `--model` takes."""
    judged_by: VectorMethodName | None = None
    """The method on stored vectors that `evaluate fewshot` uses for such a run by default."""
    max_length: int = Field(default=96, ge=8)


class SupervisedRecipe(FinetuneRecipe):
    """Tune an encoder with a classifier on top, by cross-entropy over all the data, epoch by epoch."""

    kind: Literal["supervised"] = "supervised"
    epochs: int = Field(default=10, ge=1)
    batch_size: int = Field(default=32, ge=1)
    hold_out: int = Field(default=0, ge=0)
    """Number of statements to hold out for choosing the epoch, if no --dev file is given."""
    metric: Literal["semeval", "macro", "micro", "accuracy"] = "macro"
    """The score on held-out statements that chooses the epoch."""
    no_relation: str | None = None
    """The label for "no relation": learned like any other, not counted by F1."""
    class_weights: Literal["none", "balanced"] = "none"
    """Whether rare labels weigh as much as frequent ones."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    hidden: int = Field(default=0, ge=0)
    """Width of a hidden layer with tanh in the classifier; 0: none, as in the paper's algorithm 1."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Dropout of the classifier; the encoder keeps its own."""
    share: tuple[Shareable, ...] = ("relations",)
    """A classifier is evaluated on the relations that it has learned."""


class EpisodeObjective(Frozen):
    """What represents a class in an episode; each weight above 0 adds a cross-entropy over the queries."""

    examples: Term = Term(weight=1.0)
    """Its examples: algorithm 2 of the paper."""
    text: Term = Term()
    """The text of its relation, without examples; the examples are classified too."""
    both: Term = Term()
    """Its examples and its text together."""


class EpisodeRecipe(FinetuneRecipe):
    """Tune an encoder on few-shot episodes, so that a few examples of a new relation are enough."""

    kind: Literal["episodes"] = "episodes"
    steps: int = Field(default=150, ge=1)
    max_length: int = Field(default=64, ge=8)
    episodes: tuple[WayAndShot, ...] = Field(default=((48, 1), (16, 5)), min_length=1)
    """Settings of episodes as [way, shot], used in turn: one for a fixed setting, several for a run that serves all."""
    episodes_per_step: int = Field(default=1, ge=1)
    combine: CombineName = "prototype"
    """How the examples of a class are combined."""
    similarity: SimilarityName = "cosine"
    scale: float = Field(default=20.0, gt=0)
    """Factor from similarities to logits: one over the temperature."""
    method: LearnedSettings | None = None
    """A few-shot method with its own weights, which replaces `combine`, `similarity` and `scale`."""
    apart_pairs: bool = False
    """Whether a query never has the entity pair of an example of its episode."""
    objective: EpisodeObjective = EpisodeObjective()

    @model_validator(mode="after")
    def _something_to_learn(self) -> EpisodeRecipe:
        if not any((self.objective.examples.weight, self.objective.text.weight, self.objective.both.weight)):
            raise ValueError("every weight of the objective is 0: set one of examples, text and both")
        return self

    @model_validator(mode="after")
    def _method_reads_examples(self) -> EpisodeRecipe:
        if self.method is not None and (self.reads_texts or not self.objective.examples.weight):
            raise ValueError(f"the method {self.method.name} reads examples only: set only objective.examples")
        return self

    @property
    def reads_texts(self) -> bool:
        """Whether the objective reads the texts of relations."""
        return bool(self.objective.text.weight or self.objective.both.weight)


class ExtractionText(Term):
    """Compares statements with the texts of relations by one sigmoid each, so that words alone can find a relation."""

    scale: float = Field(default=20.0, gt=0)
    """Initial factor from cosines to logits, learned."""
    bias: float = -5.0
    """Initial bias, learned and shared by all relations: a new relation has none of its own."""
    relations_per_step: int = Field(default=16, ge=1)
    """Relations whose texts a step encodes: those of the batch, filled up with others at random."""
    wordings_per_step: int = Field(default=1, ge=1)
    """Wordings of each of them: names, descriptions or generated statements, the same kinds for all relations."""


class ExtractionObjective(Frozen):
    """What is learned next to the prototypes."""

    text: ExtractionText = ExtractionText()


class ExtractionRecipe(FinetuneRecipe):
    """Tune an encoder and its prototypes for text: an independent sigmoid per relation, and pairs that hold none."""

    kind: Literal["extraction"] = "extraction"
    epochs: int = Field(default=3, ge=1)
    batch_size: int = Field(default=32, ge=1)
    max_length: int = Field(default=96, ge=8)
    scale: float = Field(default=15.0, gt=0)
    """Initial factor from cosines to logits, learned."""
    bias: float | None = None
    """Initial bias of every relation, learned; None: such that a relation starts at its share among the pairs."""
    positive_weight: float = Field(default=1.0, gt=0)
    """Weight of a label that holds, next to one that does not."""
    focus: float = Field(default=0.0, ge=0)
    """Exponent of the asymmetric loss: a relation that does not hold counts less, the less it is believed to."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """The share of labels that are assumed to be wrong; relations without a label are not smoothed."""
    partial_sources: tuple[str, ...] = ("fewrel",)
    """Sources, as in `Statement.source`, whose statements have one verified label: others may hold too."""
    partial_negatives: float = Field(default=0.1, ge=0)
    """Weight of a relation that a statement of these sources is not labelled with."""
    unseen_negatives: float = Field(default=1.0, ge=0)
    """The same for statements of all other sources, and relations that no label of those sources names."""
    reversed: bool = True
    """Whether statements of `partial_sources` are also read with head and tail swapped: their relation does not hold
    then, unless it is symmetric."""
    symmetric: tuple[str, ...] = SYMMETRIC
    """Relations that hold in both orders: Wikidata's most frequent ones by default."""
    none_per_related: float | None = Field(default=None, ge=0)
    """Pairs without a relation per related pair, drawn again in each epoch; None: all, in their natural share."""
    partial_per_epoch: int | None = Field(default=None, ge=1)
    """Statements of `partial_sources` per epoch, drawn again in each; None: all."""
    padding_free: bool = False
    """Whether a BERT is trained without padding; other encoders ignore it."""
    objective: ExtractionObjective = ExtractionObjective()
    share: tuple[Shareable, ...] = ("relations",)
    """A model for text is evaluated on the relations that it has learned."""
