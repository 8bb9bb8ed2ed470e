"""What a few-shot method with weights of its own is: a module that learns, beside the encoder, to score queries.

A method is one file with the module, and a class of settings in `protorel/recipes/methods.py`, which a recipe gives
under `method`. It says by `reads` what it is given: of each statement its vector or the states of its tokens, or of
each query and example what the encoder made of the two together. `learned.py` lists all methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.recipes import MethodSettings

Reads = Literal["vectors", "states", "pairs"]
"""What a method is given of a statement, or of two."""


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Statements as the states of their tokens, padded to the longest; leading axes count statements in any shape."""

    states: Float[Tensor, "*statements tokens hidden"]
    present: Bool[Tensor, "*statements tokens"]
    """Where there is a token and not padding; states are 0 elsewhere."""
    head: Int[Tensor, "*statements 2"]
    """Start and stop of the head among the tokens, its markers included where the encoder has some."""
    tail: Int[Tensor, "*statements 2"]

    def take(self, rows: Int[Tensor, "*shape"]) -> TokenStates:
        """Return the statements at these places of the first axis, in the shape of `rows`."""
        return TokenStates(self.states[rows], self.present[rows], self.head[rows], self.tail[rows])


class Scored(NamedTuple):
    """What a method makes of episodes."""

    scores: Float[Tensor, "episodes query way"]
    """Logits: the highest is the answer, and training takes their cross-entropy."""
    costs: Mapping[str, Float[Tensor, ""]] = MappingProxyType({})
    """What training adds to the cross-entropy, by name, each times its weight already."""


class EpisodeMethod(nn.Module):
    """A method with weights. Where it `reads` vectors, it is called with tensors:

    `method(support, query)`, support [episodes way shot width], query [episodes query width]; where it reads states,
    with `TokenStates` whose leading axes are [episodes way shot] and [episodes query]. Where it reads pairs, it is
    called with one tensor, `method(pairs)` of [episodes query way shot width]. Each time it returns `Scored`, and an
    episode's scores depend on no other episode.
    """

    reads: ClassVar[Reads] = "vectors"
    rounds: ClassVar[bool] = False
    """Whether it has products of its own to round while it learns, see `learn_in_bf16`."""

    def __init__(self, settings: MethodSettings, width: int) -> None:
        """Take the settings, and the width of the vectors or states that the encoder gives."""
        super().__init__()
        self.settings, self.width = settings, width

    def learn_in_bf16(self) -> None:
        """Round large products to bfloat16 while learning from now on; at other times they never are."""

    def check(self, way: int, shot: int) -> None:
        """Refuse, by `BadInput`, episodes of a size that the method was not made for."""

    def episodes_at_once(self, way: int, shot: int) -> int:  # noqa: ARG002
        """Return how many episodes may be judged in one go, so that memory stays bounded."""
        return 250
