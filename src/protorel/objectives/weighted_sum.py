"""Equation 7: the weighted sum of all terms, every one of them reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.geometry import ScaledCosine, random_prototypes
from protorel.objectives.cross_entropy import cross_entropy
from protorel.objectives.given import ObjectiveInput
from protorel.objectives.masked_language import MaskedLanguageHead, masked_language
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_softmax import prototype_softmax
from protorel.objectives.prototype_statements import prototype_statements, prototype_statements_over_pairs
from protorel.objectives.settings import ObjectiveSettings
from protorel.objectives.statement_contrast import statement_contrast
from protorel.objectives.statement_prototypes import statement_prototypes
from protorel.statements import BadInput


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
    """Equation 7, with what its terms learn besides the encoder: prototypes and classifiers."""

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
        self.prototypes = nn.Parameter(random_prototypes(relations, width, generator=generator))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(generator.initial_seed())
            self.classifier = nn.Linear(width, relations) if settings.cls.weight or settings.ce.weight else None
            words, hidden = vocabulary or (0, 0)
            self.language = MaskedLanguageHead(hidden, words) if settings.mlm.weight and vocabulary else None
        self._terms = self._weighted_terms()
        if not self._terms and self.language is None:
            raise BadInput(
                "no term of the objective is in use: every weight is 0, or mlm alone counts and this encoder "
                "has no word embeddings for it"
            )

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
    ) -> Loss:
        """Compute every term of weight above 0, and their weighted sum."""
        given = ObjectiveInput(embeddings, relations, labels, self.prototypes)
        terms = {name: term(given) for name, (_, term) in self._terms.items()}
        weights = {name: weight for name, (weight, _) in self._terms.items()}
        if self.language is not None and hidden is not None:
            terms["mlm"] = masked_language(self.language(hidden.states, hidden.embeddings), hidden.original)
            weights["mlm"] = self.settings.mlm.weight
        total = torch.stack([weights[name] * term for name, term in terms.items()]).sum()
        return Loss(total, terms)

    def learned_prototypes(self) -> Float[Tensor, "relations width"] | None:
        """Return what stands for each relation: for plain cross-entropy the classifier's rows.

        None where no term of the sum trains anything of the kind.
        """
        if self._terms.keys() & {"s2z", "s2z_prime", "cls", "softmax"}:
            return self.prototypes.detach()
        if self.classifier is not None and "ce" in self._terms:
            return self.classifier.weight.detach()
        return None

    def _weighted_terms(self) -> dict[str, tuple[float, Callable[[ObjectiveInput], Tensor]]]:
        settings = self.settings
        between = ScaledCosine(settings.s2s.scale)
        choice = ScaledCosine(settings.softmax.scale)
        to_statements = ScaledCosine(settings.s2z.scale, settings.s2z.bias)
        to_prototypes = ScaledCosine(settings.s2z_prime.scale, settings.s2z_prime.bias)
        equation_4 = prototype_statements_over_pairs if settings.s2z.over_pairs else prototype_statements
        terms: dict[str, tuple[float, Callable[[ObjectiveInput], Tensor]]] = {
            "s2s": (settings.s2s.weight, lambda given: statement_contrast(given, similarity=between)),
            "s2z": (settings.s2z.weight, lambda given: equation_4(given, similarity=to_statements)),
            "s2z_prime": (
                settings.s2z_prime.weight,
                lambda given: statement_prototypes(given, similarity=to_prototypes),
            ),
            "softmax": (settings.softmax.weight, lambda given: prototype_softmax(given, similarity=choice)),
        }
        if self.classifier is not None:
            weight, bias = self.classifier.weight, self.classifier.bias
            terms["cls"] = (
                settings.cls.weight,
                lambda given: prototype_classification(given.prototypes, weight, bias),
            )
            terms["ce"] = (settings.ce.weight, lambda given: cross_entropy(given, weight, bias))
        return {name: term for name, term in terms.items() if term[0] > 0}
