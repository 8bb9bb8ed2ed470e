"""Equation 7: the weighted sum of all terms, every one of them reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.geometry import LearnedCosine, random_prototypes, uniformity
from protorel.objectives.cross_entropy import cross_entropy
from protorel.objectives.given import ObjectiveInput, RelationTexts
from protorel.objectives.masked_language import MaskedLanguageHead, masked_language
from protorel.objectives.matching_blanks import matching_blanks, same_pair, same_relation
from protorel.objectives.prototype_softmax import prototype_softmax
from protorel.objectives.readings import READINGS, Compared, Reading, similarity_of
from protorel.objectives.relation_text import relation_text
from protorel.objectives.weighted_contrast import weighted_contrast
from protorel.recipes import ObjectiveSettings
from protorel.statements import BadInput

TermFunction = Callable[[ObjectiveInput], Tensor]
PROTOTYPE_TERMS = frozenset({"s2z", "s2z_prime", "cls", "softmax", "uniformity"})
"""The terms that move prototypes."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The sum that is minimised, and each of its terms before weighting."""

    total: Float[Tensor, ""]
    terms: Mapping[str, Float[Tensor, ""]]


@dataclass(frozen=True, slots=True)
class HiddenTokens:
    """What the masked-language term is told: states of hidden tokens, what they were, the word embeddings."""

    states: Float[Tensor, "tokens hidden"]
    original: Int[Tensor, " tokens"]
    embeddings: Float[Tensor, "vocabulary hidden"]


class WeightedSum(nn.Module):
    """Equation 7, with what its terms learn besides the encoder: prototypes, classifiers and scales."""

    def __init__(
        self,
        settings: ObjectiveSettings,
        *,
        relations: int,
        width: int,
        vocabulary: tuple[int, int] | None,
        generator: torch.Generator,
    ) -> None:
        """Take `vocabulary` as (words, hidden size) of the encoder's word embeddings, None where it has none."""
        super().__init__()
        self.settings = settings
        reading = READINGS[settings.reading](settings)
        start = random_prototypes(relations, width, generator=generator)
        self.prototypes = nn.Parameter(start if reading.unit_prototypes else start * width**0.5)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(generator.initial_seed())
            self.classifier = nn.Linear(width, relations) if settings.cls.weight or settings.ce.weight else None
            words, hidden = vocabulary or (0, 0)
            self.language = MaskedLanguageHead(hidden, words) if settings.mlm.weight and vocabulary else None
        self._terms = self._weighted_terms(reading)
        self.learned_scales = nn.ModuleDict(
            {
                name: term.similarity
                for name, (_, term) in self._terms.items()
                if isinstance(term, Compared) and isinstance(term.similarity, nn.Module)
            }
        )
        if not self._terms and self.language is None:
            raise BadInput(
                "no term of the objective is in use: every weight is 0, or mlm alone counts and this encoder "
                "has no word embeddings for it"
            )

    @property
    def reads_texts(self) -> bool:
        """Tell whether a term compares statements with their relations' texts."""
        return "text" in self._terms

    @property
    def moves_prototypes(self) -> bool:
        """Tell whether a term has prototypes to move."""
        return bool(self._terms.keys() & PROTOTYPE_TERMS)

    @property
    def hides_tokens(self) -> bool:
        """Tell whether the masked-language term is in use."""
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
    ) -> Loss:
        """Compute every term of weight above 0, and their weighted sum."""
        given = ObjectiveInput(embeddings, relations, labels, self.prototypes, pairs, texts, weights)
        terms = {name: term(given) for name, (_, term) in self._terms.items()}
        shares = {name: share for name, (share, _) in self._terms.items()}
        if self.language is not None and hidden is not None:
            terms["mlm"] = masked_language(self.language(hidden.states, hidden.embeddings), hidden.original)
            shares["mlm"] = self.settings.mlm.weight
        total = torch.stack([shares[name] * term for name, term in terms.items()]).sum()
        return Loss(total, terms)

    def learn_in_bf16(self) -> None:
        """Round the one large product here, that of the masked-language term, while learning from now on."""
        if self.language is not None:
            self.language.trains_in_bf16 = True

    @torch.no_grad()
    def start_prototypes(self, directions: Float[Tensor, "relations width"]) -> None:
        """Point the prototypes in given directions; they keep the lengths they start with."""
        lengths = self.prototypes.norm(dim=-1, keepdim=True)
        self.prototypes.copy_(F.normalize(directions, dim=-1) * lengths)

    def learned_prototypes(self) -> Float[Tensor, "relations width"] | None:
        """Return what stands for each relation: for plain cross-entropy the classifier's rows.

        None where no term of the sum trains anything of the kind.
        """
        if self.moves_prototypes:
            return self.prototypes.detach()
        if self.classifier is not None and "ce" in self._terms:
            return self.classifier.weight.detach()
        return None

    def terms_left_out(self) -> list[str]:
        """Return the terms that were asked for and cannot be computed with this encoder."""
        return ["mlm"] if self.settings.mlm.weight and self.language is None else []

    def scales(self) -> dict[str, dict[str, float | None]]:
        """Return the scale and the bias of each term that learns them, as they are now."""
        return {
            name: {"scale": learned.scale.item(), "bias": None if learned.bias is None else learned.bias.item()}
            for name, learned in self.learned_scales.items()
            if isinstance(learned, LearnedCosine)
        }

    def _weighted_terms(self, reading: Reading) -> dict[str, tuple[float, TermFunction]]:
        settings = self.settings
        matches = same_pair if settings.s2s_prime.match == "pair" else same_relation
        terms: dict[str, tuple[float, TermFunction | None]] = {
            "s2s": (settings.s2s.weight, reading.s2s),
            "s2z": (settings.s2z.weight, reading.s2z),
            "s2z_prime": (settings.s2z_prime.weight, reading.s2z_prime),
            "softmax": (settings.softmax.weight, Compared(prototype_softmax, similarity_of(settings.softmax))),
            "ind": (settings.ind.weight, Compared(weighted_contrast, similarity_of(settings.ind))),
            "text": (settings.text.weight, Compared(relation_text, similarity_of(settings.text))),
            "s2s_prime": (
                settings.s2s_prime.weight,
                Compared(
                    lambda given, *, similarity: matching_blanks(given, *matches(given), similarity=similarity),
                    similarity_of(settings.s2s_prime),
                ),
            ),
            "uniformity": (settings.uniformity.weight, lambda given: uniformity(given.prototypes)),
        }
        if self.classifier is not None:
            weight, bias = self.classifier.weight, self.classifier.bias
            terms["cls"] = (settings.cls.weight, lambda given: reading.cls(given, weight, bias))
            terms["ce"] = (settings.ce.weight, lambda given: cross_entropy(given, weight, bias))
        return {name: (share, term) for name, (share, term) in terms.items() if share > 0 and term is not None}
