"""By which measure: one equation, one file, and their weighted sum."""

from protorel.objectives.cross_entropy import cross_entropy
from protorel.objectives.episode import episode_loss
from protorel.objectives.given import ObjectiveInput, RelationTexts
from protorel.objectives.literal import printed_classification, printed_contrast
from protorel.objectives.masked_language import MaskedLanguageHead, masked_language
from protorel.objectives.matching_blanks import matching_blanks, same_pair, same_relation
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_softmax import prototype_softmax
from protorel.objectives.prototype_statements import prototype_statements, prototype_statements_over_pairs
from protorel.objectives.readings import READINGS, Reading
from protorel.objectives.relation_text import relation_text
from protorel.objectives.released import released_classification, released_contrast, released_prototype_statements
from protorel.objectives.statement_contrast import statement_contrast
from protorel.objectives.statement_prototypes import statement_prototypes, statement_prototypes_over_pairs
from protorel.objectives.weighted_contrast import weighted_contrast
from protorel.objectives.weighted_sum import HiddenTokens, Loss, WeightedSum
from protorel.recipes.objective import ObjectiveSettings

__all__ = [
    "episode_loss",
    "HiddenTokens",
    "Loss",
    "MaskedLanguageHead",
    "ObjectiveInput",
    "ObjectiveSettings",
    "READINGS",
    "Reading",
    "RelationTexts",
    "WeightedSum",
    "cross_entropy",
    "masked_language",
    "matching_blanks",
    "printed_classification",
    "printed_contrast",
    "prototype_classification",
    "prototype_softmax",
    "prototype_statements",
    "prototype_statements_over_pairs",
    "relation_text",
    "released_classification",
    "released_contrast",
    "released_prototype_statements",
    "same_pair",
    "same_relation",
    "statement_contrast",
    "statement_prototypes",
    "statement_prototypes_over_pairs",
    "weighted_contrast",
]
