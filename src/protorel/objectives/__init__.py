"""Training objectives: one equation per file, the registry of terms, and their weighted sum."""

from protorel.objectives.cross_entropy import cross_entropy
from protorel.objectives.episode import episode_loss
from protorel.objectives.inputs import HiddenTokens, ObjectiveInput, RelationTexts
from protorel.objectives.literal import printed_classification, printed_contrast
from protorel.objectives.masked_language import MaskedLanguageHead, masked_language
from protorel.objectives.matching_blanks import matching_blanks, same_pair, same_relation
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_softmax import prototype_softmax
from protorel.objectives.prototype_statements import prototype_statements, prototype_statements_over_pairs
from protorel.objectives.relation_text import relation_text
from protorel.objectives.released import released_classification, released_contrast, released_prototype_statements
from protorel.objectives.several_labels import several_labels
from protorel.objectives.statement_contrast import statement_contrast
from protorel.objectives.statement_prototypes import statement_prototypes, statement_prototypes_over_pairs
from protorel.objectives.terms import READINGS, TERMS, ObjectiveTerm, Reading, find_term, term
from protorel.objectives.weighted_contrast import weighted_contrast
from protorel.objectives.weighted_sum import Loss, WeightedSum
from protorel.recipes import ObjectiveSettings

__all__ = [
    "HiddenTokens",
    "Loss",
    "MaskedLanguageHead",
    "ObjectiveInput",
    "ObjectiveSettings",
    "ObjectiveTerm",
    "READINGS",
    "Reading",
    "RelationTexts",
    "TERMS",
    "WeightedSum",
    "cross_entropy",
    "episode_loss",
    "find_term",
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
    "several_labels",
    "statement_contrast",
    "statement_prototypes",
    "statement_prototypes_over_pairs",
    "term",
    "weighted_contrast",
]
