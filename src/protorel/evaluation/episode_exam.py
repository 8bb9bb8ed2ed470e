"""Which episodes a judging draws, and how an answer is found in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import Episodes, draw_episodes, rows_by_relation
from protorel.fewshot import (
    LEARNED_METHODS,
    TUNED_METHODS,
    Crowd,
    default_text_weight,
    described_examples,
    described_ways,
    linear_probe,
    vector_method,
)
from protorel.statements import BadInput

_WITH_TEXTS = ("prototype", "linear_probe")
"""Methods that know what to do with a text: add it to the prototype, or let it stand among the examples."""
_AT_A_TIME = 250
"""Episodes judged in one go: it bounds the memory."""
_EPISODES, _SLOW_EPISODES = 10_000, 100
"""How many are judged where nobody says; where vectors cannot be stored, an episode takes seconds."""


def why_slow(method: str) -> str | None:
    """Say why a method cannot read stored vectors, so that an episode takes seconds; None where it can."""
    if method in TUNED_METHODS:
        return f"{method} tunes the encoder in each"
    if method in LEARNED_METHODS and LEARNED_METHODS[method].reads == "pairs":
        return f"{method} reads each query anew beside each example"
    return None


def default_episodes(method: str) -> int:
    """Return by how many episodes a method is judged where nobody says."""
    return _SLOW_EPISODES if why_slow(method) else _EPISODES


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """N ways, K shots, how many episodes by which seed, and the rule that answers in them."""

    way: int = 5
    shot: int = 1
    episodes: int = _EPISODES
    seed: int = 0
    method: str = "prototype"
    similarity: str = "cosine"
    described: bool = False
    """Whether a way is given by its relation's text too, or, at 0 shots, by that alone."""
    text_weight: float | None = None
    """How much the text's direction counts where that of the examples counts 1; by default it falls with the shots."""

    def __post_init__(self) -> None:
        if not self.learned and not self.tuned:
            vector_method(self.method, self.similarity)
        for name, value in (("way", self.way), ("episodes", self.episodes)):
            if value < 1:
                raise BadInput(f"{name} is {value}, at least 1 is wanted")
        if self.tuned and self.way < 2:
            raise BadInput(f"way is {self.way}, {self.method} learns to keep ways apart: at least 2 is wanted")
        if self.shot < 0 or (self.shot == 0 and not self.described):
            raise BadInput(f"shot is {self.shot}, at least 1 is wanted, or 0 where relations are given by descriptions")
        if self.described and self.method not in _WITH_TEXTS:
            raise BadInput(f"method is {self.method!r}, beside descriptions {' or '.join(_WITH_TEXTS)} is wanted")
        if self.text_weight is not None and not self.described:
            raise BadInput(f"a text weight of {self.text_weight} was given, but no descriptions to be weighted")
        if self.text_weight is not None and not 0 <= self.text_weight < math.inf:
            raise BadInput(f"the text weight is {self.text_weight}, a number from 0 on is wanted")

    def check_beside_crowd(self) -> None:
        """Refuse rules in which a way is no direction that a crowd could be near to."""
        if (self.method, self.similarity) != ("prototype", "cosine"):
            raise BadInput(
                f"a crowd was given beside method {self.method!r} and similarity {self.similarity!r}, "
                "prototype and cosine are wanted"
            )

    @property
    def learned(self) -> bool:
        """Tell whether the method has weights, so that only a run that was tuned with it can answer."""
        return self.method in LEARNED_METHODS

    @property
    def tuned(self) -> bool:
        """Tell whether the method tunes the encoder itself in each episode, so that stored vectors are of no use."""
        return self.method in TUNED_METHODS

    @property
    def weights(self) -> dict[str, float] | None:
        """How much examples and text count, where there are texts."""
        if not self.described:
            return None
        text = default_text_weight(self.shot) if self.text_weight is None else self.text_weight
        return {"support": 1.0, "text": text} if self.shot else {"support": 0.0, "text": 1.0}


@dataclass(frozen=True, slots=True)
class Exam:
    """Relations, their rows in a data set, and the episodes drawn of them."""

    names: tuple[str, ...]
    rows: Sequence[NDArray[np.int64]]
    episodes: Episodes
    groups: NDArray[np.int64] | None


def draw_exam(relations: Sequence[str], settings: EpisodeSettings, *, groups: NDArray[np.int64] | None = None) -> Exam:
    """Draw the episodes of a data set by its labels; with `groups`, no query's entity pair is that of an example."""
    names = tuple(sorted(set(relations)))
    codes = {name: index for index, name in enumerate(names)}
    rows = rows_by_relation(np.asarray([codes[name] for name in relations], dtype=np.int32), len(names))
    way, shot, count, seed = settings.way, settings.shot, settings.episodes, settings.seed
    drawn = draw_episodes(rows, way=way, shot=shot, count=count, seed=seed, groups=groups, names=names)
    return Exam(names, rows, drawn, groups)


def episode_scores(
    vectors: Float[Tensor, "statements width"],
    drawn: Episodes,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
    crowd: Crowd | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Score every way for every query; `texts` holds a vector for each relation, in the order of their names.

    A way that is near to a `crowd` has a handicap.
    """
    if settings.described != (texts is not None):
        raise ValueError("texts are wanted where the settings say that ways are described, and only there")
    if crowd is not None:
        settings.check_beside_crowd()
    judge = vector_method(settings.method, settings.similarity)
    scores = []
    for start in range(0, len(drawn), _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        support = vectors[torch.from_numpy(drawn.support[part])]
        query = vectors[torch.from_numpy(drawn.query[part])]
        own = texts[torch.from_numpy(drawn.relations[part])] if texts is not None else None
        if own is not None and settings.method == "linear_probe":
            examples, counts = described_examples(support, own, text_weight=settings.text_weight)
            scores.append(linear_probe(examples, query, counts=counts))
            continue
        if own is not None:
            support = described_ways(support, own, text_weight=settings.text_weight)
        found = judge(support, query)
        scores.append(found if crowd is None else found - crowd.handicap(support))
    return torch.cat(scores)


def answered_right(scores: Float[Tensor, "episodes query way"]) -> NDArray[np.bool_]:
    """Tell for each query whether the way at its own place scored highest."""
    right: NDArray[np.bool_] = (scores.argmax(-1) == torch.arange(scores.shape[-1])).numpy()
    return right
