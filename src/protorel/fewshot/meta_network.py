"""Meta Networks: fast weights next to slow ones."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import grad, vmap

from protorel.fewshot.episode_method import EpisodeMethod, Scored, standardised
from protorel.fewshot.method_settings import MetaNetworkSettings
from protorel.io import BadInput

Weights = Mapping[str, Tensor]
"""`inner` [hidden width] and `outer` [ways hidden] of a learner."""

_FAST_AT_ONCE = 20_000_000
"""Numbers held in memory at a time while fast weights are computed."""
_MAGNIFIED = 1000.0
"""Scale of the gradients before asinh: most of them are small."""

_FIRST_STEP = 0.1
"""Bound of a fast weight before training: about the size of slow weights."""


class Learner(nn.Module):
    """Two layers without biases: outer · relu(inner · x)."""

    def __init__(self, width: int, hidden: int, ways: int) -> None:
        super().__init__()
        self.inner = nn.Parameter(torch.randn(hidden, width) * width**-0.5)
        self.outer = nn.Parameter(torch.randn(ways, hidden) * hidden**-0.5)

    def slow(self, way: int) -> dict[str, Tensor]:
        """Return the weights used for a number of classes."""
        return {"inner": self.inner, "outer": self.outer[:way]}


class FastWeights(nn.Module):
    """Maps each number of a gradient to a fast weight, by one small network for all.

    It starts as a step against the gradient, so that fast weights are useful before training.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(1, hidden), nn.Linear(hidden, 1)
        nn.init.uniform_(self.into.weight, 0, 1)
        nn.init.constant_(self.out.weight, -_FIRST_STEP / hidden)
        nn.init.zeros_(self.into.bias)
        nn.init.zeros_(self.out.bias)

    def forward(self, gradients: Weights) -> dict[str, Tensor]:
        """Return fast weights in the shape of the gradients."""
        return {name: self._each(gradient) for name, gradient in gradients.items()}

    def _each(self, gradient: Tensor) -> Tensor:
        seen = torch.asinh(_MAGNIFIED * gradient)[..., None]
        fast: Tensor = self.out(torch.tanh(self.into(seen))).squeeze(-1)
        return fast


class MetaNetwork(EpisodeMethod):
    """Slow weights, and fast weights computed from the gradients of an episode's examples.

    Munkhdalai and Yu 2017, "Meta networks", in the form that FewRel's authors compared. A small network maps the
    gradient of each example to fast weights. One learner, with fast weights from all examples, gives each statement a
    key; the other answers, with the fast weights of the examples whose keys match the query's. Slow and fast weights
    are applied side by side: relu(W x) + relu(W* x).
    """

    def __init__(self, settings: MetaNetworkSettings, width: int) -> None:
        super().__init__(settings, width)
        self.most_ways = settings.most_ways
        self.enter = nn.Linear(width, settings.vector_width) if settings.vector_width else nn.Identity()
        self.keys = Learner(settings.vector_width or width, settings.hidden, settings.most_ways)
        self.answers = Learner(settings.vector_width or width, settings.hidden, settings.most_ways)
        self.fast_keys = FastWeights(settings.gradient_hidden)
        self.fast_answers = FastWeights(settings.gradient_hidden)
        self.sharpness = nn.Parameter(torch.tensor(10.0))

    def check(self, way: int, shot: int) -> None:  # noqa: ARG002
        """Refuse more classes than it was made for."""
        if way > self.most_ways:
            raise BadInput(
                f"method meta_network: expected at most {self.most_ways} classes per episode, got {way}; "
                f"train it with method.most_ways={way}"
            )

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the memory of the fast weights."""
        hidden, width = self.keys.inner.shape
        return max(1, _FAST_AT_ONCE // (way * shot * hidden * width * self.fast_answers.into.out_features))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Compute keys and fast weights of the examples, and answer each query by those that match it."""
        way, shot = support.shape[1:3]
        support, query = standardised(support, query)
        examples, query = self.enter(support).flatten(1, 2), self.enter(query)
        ways = torch.arange(way, device=support.device).repeat_interleave(shot)
        keys, answers = self.keys.slow(way), self.answers.slow(way)
        # One gradient per episode for the keys, one per example for the answers.
        of_episode = vmap(grad(example_loss), in_dims=(None, 0, None))
        of_example = vmap(vmap(grad(example_loss), in_dims=(None, 0, 0)), in_dims=(None, 0, None))
        fast_keys = self.fast_keys(of_episode(keys, examples, ways))
        memory = self.fast_answers(of_example(answers, examples[:, :, None], ways[:, None]))
        given = augmented(examples, keys["inner"], fast_keys["inner"])
        asked = augmented(query, keys["inner"], fast_keys["inner"])
        attention = (self.sharpness * F.normalize(asked, dim=-1) @ F.normalize(given, dim=-1).mT).softmax(-1)
        fast = {name: torch.einsum("eqm,emhw->eqhw", attention, weights) for name, weights in memory.items()}
        return Scored(_answer(query, answers, fast))


def example_loss(
    weights: Weights, vectors: Float[Tensor, "examples width"], ways: Int[Tensor, " examples"]
) -> Float[Tensor, ""]:
    """Return the cross-entropy of a learner with slow weights only, whose gradient gives the fast weights."""
    return F.cross_entropy(torch.relu(vectors @ weights["inner"].mT) @ weights["outer"].mT, ways)


def augmented(
    vectors: Float[Tensor, "*more count width"],
    slow: Float[Tensor, "hidden width"],
    fast: Float[Tensor, "*more hidden width"],
) -> Float[Tensor, "*more count hidden"]:
    """Apply slow and fast weights side by side: relu(W x) + relu(W* x)."""
    return torch.relu(vectors @ slow.mT) + torch.relu(vectors @ fast.mT)


def _answer(
    query: Float[Tensor, "episodes query width"], slow: Weights, fast: Weights
) -> Float[Tensor, "episodes query way"]:
    """Answer each query by slow weights and by its own fast weights."""
    seen = augmented(query[:, :, None], slow["inner"], fast["inner"])
    return (seen @ slow["outer"].mT + seen @ fast["outer"].mT).squeeze(2)
