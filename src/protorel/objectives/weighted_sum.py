"""Equation 7: the weighted sum of all terms, each of them reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.geometry import LearnedCosine, random_prototypes
from protorel.objectives.inputs import HiddenTokens, ObjectiveInput, RelationTexts
from protorel.objectives.masked_language import MaskedLanguageHead
from protorel.objectives.terms import READINGS, ObjectiveTerm, find_term, similarity_of
from protorel.recipes import ObjectiveSettings
from protorel.statements import BadInput

_WITH_UNRELATED = frozenset({"s2s", "s2z", "s2z_prime"})
"""Equations 3 to 5 push statements without a relation; the other terms classify, and such statements have no class."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The sum that is minimised, and each of its terms before weighting."""

    total: Float[Tensor, ""]
    terms: Mapping[str, Float[Tensor, ""]]


@dataclass(frozen=True, slots=True)
class _WeightedTerm:
    """A term of weight above 0, with the keyword arguments of its equation."""

    weight: float
    term: ObjectiveTerm
    arguments: Mapping[str, Any]

    def __call__(self, given: ObjectiveInput) -> Tensor:
        return self.term.equation(given, **self.arguments)


class WeightedSum(nn.Module):
    """Equation 7, with what its terms learn in addition to the encoder: prototypes, classifiers and scales."""

    def __init__(
        self,
        settings: ObjectiveSettings,
        *,
        relations: int,
        width: int,
        vocabulary: tuple[int, int] | None,
        generator: torch.Generator,
    ) -> None:
        """Take `vocabulary` as (words, hidden size) of the encoder's word embeddings; None if it has none."""
        super().__init__()
        self.settings = settings
        used = _terms_in_use(settings)
        needed = frozenset().union(*(term.needs for term in used.values()))
        start = random_prototypes(relations, width, generator=generator)
        self.prototypes = nn.Parameter(start if READINGS[settings.reading].unit_prototypes else start * width**0.5)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(generator.initial_seed())
            self.classifier = nn.Linear(width, relations) if "classifier" in needed else None
            words, hidden = vocabulary or (0, 0)
            self.language = MaskedLanguageHead(hidden, words) if "language" in needed and vocabulary else None
        self._left_out = [name for name, term in used.items() if "language" in term.needs and self.language is None]
        self._terms = {name: self._weighted(name, term) for name, term in used.items() if name not in self._left_out}
        similarities = {name: term.arguments.get("similarity") for name, term in self._terms.items()}
        self.learned_scales = nn.ModuleDict(
            {name: similarity for name, similarity in similarities.items() if isinstance(similarity, nn.Module)}
        )
        if not self._terms:
            raise BadInput(
                "objective: expected a term of weight above 0 that this encoder can train, got none: every weight is "
                "0, or only mlm counts and the encoder has no word embeddings for it. Set objective.s2s.weight=1"
            )

    @property
    def moves_prototypes(self) -> bool:
        """Whether a term trains the prototypes."""
        return any(used.term.moves_prototypes for used in self._terms.values())

    @property
    def pushes_unrelated(self) -> bool:
        """Whether a term has statements without a relation as negatives; the authors' code has none."""
        return self.settings.reading != "released" and not _WITH_UNRELATED.isdisjoint(self._terms)

    @property
    def hides_tokens(self) -> bool:
        """Whether the masked-language term is in use."""
        return self.language is not None

    def forward(
        self,
        embeddings: Float[Tensor, "batch width"],
        relations: Int[Tensor, " batch"],
        labels: Bool[Tensor, "batch relations"],
        hidden: HiddenTokens | None = None,
        *,
        pairs: Int[Tensor, " batch"] | None = None,
        texts: RelationTexts | None = None,
        weights: Float[Tensor, " batch"] | None = None,
        unrelated: Float[Tensor, "unrelated width"] | None = None,
    ) -> Loss:
        """Compute every term of weight above 0, and their weighted sum."""
        given = ObjectiveInput(embeddings, relations, labels, self.prototypes, pairs, texts, weights, hidden, unrelated)
        used = {
            name: term for name, term in self._terms.items() if hidden is not None or "language" not in term.term.needs
        }
        terms = {name: term(given) for name, term in used.items()}
        total = torch.stack([used[name].weight * value for name, value in terms.items()]).sum()
        return Loss(total, terms)

    def learn_in_bf16(self) -> None:
        """Round the one large product, that of the masked-language term, to bfloat16 in training."""
        if self.language is not None:
            self.language.trains_in_bf16 = True

    @torch.no_grad()
    def start_prototypes(self, directions: Float[Tensor, "relations width"]) -> None:
        """Point the prototypes in the given directions; their lengths stay the same."""
        lengths = self.prototypes.norm(dim=-1, keepdim=True)
        self.prototypes.copy_(F.normalize(directions, dim=-1) * lengths)

    def learned_prototypes(self) -> Float[Tensor, "relations width"] | None:
        """Return the trained vector of each relation: its prototype, or for plain cross-entropy its classifier row.

        None if no term trains either.
        """
        if self.moves_prototypes:
            return self.prototypes.detach()
        return None if self.classifier is None else self.classifier.weight.detach()

    def terms_left_out(self) -> list[str]:
        """Return the terms that the recipe asks for and this encoder cannot train."""
        return self._left_out

    def scales(self) -> dict[str, dict[str, float | None]]:
        """Return the current scale and bias of each term that learns them."""
        return {
            name: {"scale": learned.scale.item(), "bias": None if learned.bias is None else learned.bias.item()}
            for name, learned in self.learned_scales.items()
            if isinstance(learned, LearnedCosine)
        }

    def _weighted(self, name: str, term: ObjectiveTerm) -> _WeightedTerm:
        settings = getattr(self.settings, name)
        arguments: dict[str, Any] = {"settings": settings, "classifier": self.classifier, "language": self.language}
        if "similarity" in term.needs:
            arguments["similarity"] = term.similarity or similarity_of(settings)
        return _WeightedTerm(settings.weight, term, {need: arguments[need] for need in term.needs})


def _terms_in_use(settings: ObjectiveSettings) -> dict[str, ObjectiveTerm]:
    """Return the terms of weight above 0, in the order of the settings."""
    names = [name for name in type(settings).model_fields if name != "reading" and getattr(settings, name).weight > 0]
    return {name: find_term(name, settings.reading) for name in names}
