"""What a recipe says of a few-shot method with weights: one class of settings for each file in `protorel.fewshot`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

WIDEST = 2**16
"""The largest size of a layer; a run folder that says more was altered."""
Width = Annotated[int, Field(ge=1, le=WIDEST)]


class MethodSettings(BaseModel):
    """What a recipe says of a method; each method has a class of its own, with its name and sizes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    name: str


class GNNSettings(MethodSettings):
    """Sizes of the graph network."""

    name: Literal["gnn"] = "gnn"
    layers: int = Field(default=2, ge=1, le=100)
    """Layers before the one that gives the answer."""
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """To how many numbers a linear layer brings a statement's vector first; null: the node holds the whole vector."""
    features: int = Field(default=32, ge=2, le=WIDEST)
    """What each layer adds to a node."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """For how many ways a node's label has room."""


class MetaNetworkSettings(MethodSettings):
    """Sizes of the meta network."""

    name: Literal["meta_network"] = "meta_network"
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """To how many numbers a linear layer brings a statement's vector first; null: the whole vector is read."""
    hidden: int = Field(default=48, ge=1, le=WIDEST)
    """The width of a key, and of what the answering learner sees in a statement."""
    gradient_hidden: int = Field(default=10, ge=1, le=WIDEST)
    """The hidden width of the network that turns a gradient into a fast weight."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """How many ways there is room for."""


class MLMANSettings(MethodSettings):
    """Sizes of MLMAN, which the paper gives as 100 for the width and 1 for the weight of the second cost."""

    name: Literal["mlman"] = "mlman"
    width: int = Field(default=100, ge=1, le=WIDEST)
    """Of the LSTM in each direction, and of the network that compares sentences."""
    dropout: float = Field(default=0.2, ge=0, lt=1)
    inconsistency: float = Field(default=1.0, ge=0)
    """What the cost of examples that do not come out alike is multiplied by."""


class PairSettings(MethodSettings):
    """Pair scoring has nothing to be set."""

    name: Literal["pair"] = "pair"


class SiameseSettings(MethodSettings):
    """What weighs a Siamese network's two costs."""

    name: Literal["siamese"] = "siamese"
    pairs: float = Field(default=1.0, ge=0)
    """What the binary cross-entropy of pairs is multiplied by."""


class SNAILSettings(MethodSettings):
    """Sizes of SNAIL."""

    name: Literal["snail"] = "snail"
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """To how many numbers a linear layer brings a statement's vector first; null: the whole vector is read."""
    attention: tuple[tuple[Width, Width], ...] = Field(
        default=((64, 32), (64, 32), (64, 32)), min_length=1, max_length=100
    )
    """The widths of key and value of each attention; between two of them stands a convolution."""
    filters: int = Field(default=32, ge=1, le=WIDEST)
    """What each layer of a convolution adds to an element."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """For how many ways a label has room."""
    most_shots: int = Field(default=5, ge=1, le=WIDEST)
    """Of so many ways with so many examples each, a convolution reaches back to the first."""


LearnedSettings = Annotated[
    GNNSettings | MetaNetworkSettings | MLMANSettings | PairSettings | SiameseSettings | SNAILSettings,
    Field(discriminator="name"),
]
"""What a recipe may say under `method`, told apart by `name`."""
