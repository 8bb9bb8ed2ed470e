"""protorel: relation encoders and relation prototypes from noisy, distantly labelled text."""

from protorel.evaluation import few_shot_accuracy
from protorel.model import RelationModel
from protorel.statements import (
    BadInput,
    Relation,
    RelationVocabulary,
    Span,
    Statement,
    WorkFailed,
    read_statements,
    write_statements,
)
from protorel.training import Recipe, load_recipe, pretrain

__all__ = [
    "BadInput",
    "Recipe",
    "Relation",
    "RelationModel",
    "RelationVocabulary",
    "Span",
    "Statement",
    "WorkFailed",
    "few_shot_accuracy",
    "load_recipe",
    "pretrain",
    "read_statements",
    "write_statements",
]
