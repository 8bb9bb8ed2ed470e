"""protorel: relation encoders and relation prototypes from noisy, distantly labelled text."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from protorel.threads import sleep_while_waiting

if TYPE_CHECKING:
    from protorel.evaluation import few_shot_accuracy, judge_classify, judge_few_shot
    from protorel.model import RelationModel
    from protorel.statements import (
        BadInput,
        DataSet,
        Leakage,
        Relation,
        RelationVocabulary,
        Span,
        Statement,
        WorkFailed,
        find_leakage,
        load_equivalents,
        read_statements,
        write_statements,
    )
    from protorel.training import FinetuneRecipe, Recipe, finetune, load_finetune_recipe, load_recipe, pretrain

__all__ = [
    "BadInput",
    "DataSet",
    "FinetuneRecipe",
    "Leakage",
    "Recipe",
    "Relation",
    "RelationModel",
    "RelationVocabulary",
    "Span",
    "Statement",
    "WorkFailed",
    "few_shot_accuracy",
    "find_leakage",
    "finetune",
    "judge_classify",
    "judge_few_shot",
    "load_equivalents",
    "load_finetune_recipe",
    "load_recipe",
    "pretrain",
    "read_statements",
    "write_statements",
]

sleep_while_waiting()

_HOME = {
    "few_shot_accuracy": "evaluation",
    "judge_classify": "evaluation",
    "judge_few_shot": "evaluation",
    "RelationModel": "model",
    "FinetuneRecipe": "training",
    "Recipe": "training",
    "finetune": "training",
    "load_finetune_recipe": "training",
    "load_recipe": "training",
    "pretrain": "training",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `protorel convert` need not wait for torch."""
    if name not in __all__:
        raise AttributeError(f"module 'protorel' has no attribute {name!r}")
    return getattr(import_module(f"protorel.{_HOME.get(name, 'statements')}"), name)
