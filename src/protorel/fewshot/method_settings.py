"""The settings of trainable few-shot methods, one class per method; recipes are checked by them without torch."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, TypeAdapter, WrapValidator

from protorel.fewshot.registry import trainable_methods

WIDEST = 2**16
"""The largest width of a layer that is accepted, also from a run folder."""
Width = Annotated[int, Field(ge=1, le=WIDEST)]


class MethodSettings(BaseModel):
    """The settings of a trainable method, given in a recipe under `method`; a subclass fixes its name."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    name: str


class GNNSettings(MethodSettings):
    """Settings of the graph neural network."""

    name: Literal["gnn"] = "gnn"
    layers: int = Field(default=2, ge=1, le=100)
    """Number of layers before the output layer."""
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """Width of a linear projection of the statement vectors; null: no projection."""
    features: int = Field(default=32, ge=2, le=WIDEST)
    """Features that each layer adds to a node."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """Largest number of classes per episode: the width of the one-hot labels."""


class MetaNetworkSettings(MethodSettings):
    """Settings of the meta network."""

    name: Literal["meta_network"] = "meta_network"
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """Width of a linear projection of the statement vectors; null: no projection."""
    hidden: int = Field(default=48, ge=1, le=WIDEST)
    """Hidden width of both learners, and the width of a key."""
    gradient_hidden: int = Field(default=10, ge=1, le=WIDEST)
    """Hidden width of the network that maps a gradient to a fast weight."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """Largest number of classes per episode."""


class MLMANSettings(MethodSettings):
    """Settings of MLMAN; the paper has width 100 and inconsistency 1."""

    name: Literal["mlman"] = "mlman"
    width: int = Field(default=100, ge=1, le=WIDEST)
    """Width of the LSTM in each direction, and of the network that compares sentences."""
    dropout: float = Field(default=0.2, ge=0, lt=1)
    inconsistency: float = Field(default=1.0, ge=0)
    """Weight of the inconsistency loss: the distance of a class's examples from their prototype."""


class PairSettings(MethodSettings):
    """Pair scoring has no settings."""

    name: Literal["pair"] = "pair"


class SiameseSettings(MethodSettings):
    """Settings of the Siamese network."""

    name: Literal["siamese"] = "siamese"
    pairs: float = Field(default=1.0, ge=0)
    """Weight of the binary cross-entropy over pairs."""


class SNAILSettings(MethodSettings):
    """Settings of SNAIL."""

    name: Literal["snail"] = "snail"
    vector_width: int | None = Field(default=64, ge=1, le=WIDEST)
    """Width of a linear projection of the statement vectors; null: no projection."""
    attention: tuple[tuple[Width, Width], ...] = Field(
        default=((64, 32), (64, 32), (64, 32)), min_length=1, max_length=100
    )
    """Key and value width of each attention block; a convolution block comes between two of them."""
    filters: int = Field(default=32, ge=1, le=WIDEST)
    """Features that each convolution layer adds to an element."""
    most_ways: int = Field(default=10, ge=2, le=WIDEST)
    """Largest number of classes per episode: the width of the one-hot labels."""
    most_shots: int = Field(default=5, ge=1, le=WIDEST)
    """Largest number of examples per class, at `most_ways` classes, that a convolution block spans."""


def read_method_settings(values: Any) -> MethodSettings:
    """Check the settings of a trainable method, which says by `name` which one it is.

    Raises:
        ValidationError: the name or a value is wrong; its place starts with the method's name.
    """
    return _any_settings(tuple(method.settings_class() for method in trainable_methods().values())).validate_python(
        values
    )


@lru_cache(maxsize=4)
def _any_settings(classes: tuple[type[MethodSettings], ...]) -> TypeAdapter[MethodSettings]:
    either: Any = Union[classes]  # noqa: UP007
    return TypeAdapter(Annotated[either, Field(discriminator="name")])


LearnedSettings = Annotated[
    SerializeAsAny[MethodSettings], WrapValidator(lambda values, _: read_method_settings(values))
]
"""What a recipe says under `method`: the settings of any trainable method, chosen by `name`."""
