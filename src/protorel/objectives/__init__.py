"""By which measure: one equation, one file, and their weighted sum."""

from protorel.objectives.cross_entropy import cross_entropy
from protorel.objectives.given import ObjectiveInput
from protorel.objectives.masked_language import MaskedLanguageHead, masked_language
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_softmax import prototype_softmax
from protorel.objectives.prototype_statements import prototype_statements, prototype_statements_over_pairs
from protorel.objectives.settings import ObjectiveSettings
from protorel.objectives.statement_contrast import statement_contrast
from protorel.objectives.statement_prototypes import statement_prototypes
from protorel.objectives.weighted_sum import HiddenTokens, Loss, WeightedSum

__all__ = [
    "HiddenTokens",
    "Loss",
    "MaskedLanguageHead",
    "ObjectiveInput",
    "ObjectiveSettings",
    "WeightedSum",
    "cross_entropy",
    "masked_language",
    "prototype_classification",
    "prototype_softmax",
    "prototype_statements",
    "prototype_statements_over_pairs",
    "statement_contrast",
    "statement_prototypes",
]
