"""Trainable few-shot methods: what such a module is, and how it is made, saved and loaded.

A method is one file with the module, an entry in `registry.py` and a class of settings, which a recipe gives under
`method`. The entry says by `needs` what the module reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from pydantic import ValidationError
from safetensors.torch import save_file
from torch import Tensor, nn

from protorel.encoders import load_module
from protorel.fewshot.method_settings import MethodSettings, read_method_settings
from protorel.fewshot.registry import Needs, find_method
from protorel.io import BadInput, first_problem

WEIGHTS = "method.safetensors"


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Statements as the states of their tokens, padded to the longest; leading axes count statements in any shape."""

    states: Float[Tensor, "*statements tokens hidden"]
    present: Bool[Tensor, "*statements tokens"]
    """True for a token, False for padding, whose states are 0."""
    head: Int[Tensor, "*statements 2"]
    """Start and stop of the head among the tokens, with its markers if the encoder has markers."""
    tail: Int[Tensor, "*statements 2"]

    def take(self, rows: Int[Tensor, "*shape"]) -> TokenStates:
        """Return the statements at these indices of the first axis, in the shape of `rows`."""
        return TokenStates(self.states[rows], self.present[rows], self.head[rows], self.tail[rows])


class Scored(NamedTuple):
    """The output of a trainable method."""

    scores: Float[Tensor, "episodes query way"]
    """Logits: the highest is the answer, and training minimises their cross-entropy."""
    costs: Mapping[str, Float[Tensor, ""]] = MappingProxyType({})
    """Further losses by name, already weighted, which training adds to the cross-entropy."""


class EpisodeMethod(nn.Module):
    """A few-shot method with weights of its own, trained together with the encoder.

    If it needs vectors, it is called as `method(support, query)` with tensors: support [episodes way shot width], query
    [episodes query width]. If it needs states, both are `TokenStates` with leading axes [episodes way shot] and
    [episodes query]. If it needs pairs, it is called as `method(pairs)` with [episodes query way shot width]. It
    returns `Scored`, and the scores of an episode depend on no other episode.
    """

    rounds: ClassVar[bool] = False
    """Whether it has large products of its own that can be trained in bfloat16, see `learn_in_bf16`."""

    def __init__(self, settings: MethodSettings, width: int) -> None:
        """Take the settings and the width of the encoder's vectors or states."""
        super().__init__()
        self.settings, self.width = settings, width

    @property
    def needs(self) -> Needs:
        """What it reads, as the registry says."""
        return find_method(self.settings.name).needs

    def learn_in_bf16(self) -> None:
        """Use bfloat16 for large products in training from now on, never in evaluation."""

    def check(self, way: int, shot: int) -> None:
        """Refuse episodes of a size that the method was not made for, by `BadInput`."""

    def episodes_at_once(self, way: int, shot: int) -> int:  # noqa: ARG002
        """Return how many episodes to evaluate at a time, so that memory stays bounded."""
        return 250


def standardised(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
) -> tuple[Float[Tensor, "episodes way shot width"], Float[Tensor, "episodes query width"]]:
    """Subtract the mean of an episode's examples and divide by their standard deviation over all components.

    An encoder at the start of training gives vectors that are close together, all on one side of the origin. Next to
    labels of 0 and 1 their differences would go unnoticed, and a ReLU that is dead for one of them would be dead for
    all.
    """
    mean = support.mean((1, 2))
    spread = (support - mean[:, None, None]).square().mean((1, 2, 3)).sqrt().clamp(min=1e-6)
    return (support - mean[:, None, None]) / spread[:, None, None, None], (query - mean[:, None]) / spread[
        :, None, None
    ]


def make_method(settings: MethodSettings, *, width: int, seed: int) -> EpisodeMethod:
    """Make an untrained method for vectors or states of a width."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made: EpisodeMethod = find_method(settings.name).load()(settings, width)
        return made


def method_record(method: EpisodeMethod) -> dict[str, Any]:
    """Return what is needed, in addition to the weights, to build a method again."""
    return {"width": method.width, "settings": method.settings.model_dump(mode="json")}


def save_method(method: EpisodeMethod, folder: Path) -> None:
    """Write method.safetensors."""
    save_file({name: tensor.cpu().contiguous() for name, tensor in method.state_dict().items()}, folder / WEIGHTS)


def load_method(folder: Path, record: Mapping[str, Any]) -> EpisodeMethod:
    """Build a method from its `method_record` and read its weights from a folder.

    Raises:
        BadInput: the record or the weights do not fit the method.
    """
    try:
        settings, width = read_method_settings(record["settings"]), int(record["width"])
    except (KeyError, ValidationError) as problem:
        reason = (
            f"method.settings: {first_problem(problem)}" if isinstance(problem, ValidationError) else "lacks method"
        )
        raise BadInput(f"{folder / 'protorel.json'}: {reason}") from problem
    return load_module(
        lambda: make_method(settings, width=width, seed=0), folder / WEIGHTS, sizes="protorel.json"
    ).eval()
