"""protorel: relation encoders and relation prototypes from noisy, distantly labelled text."""

import sys
from typing import TYPE_CHECKING

from protorel.lazy import lazy_names
from protorel.threads import sleep_while_waiting

if TYPE_CHECKING:
    from protorel.evaluation import evaluate_classification, evaluate_few_shot, few_shot_accuracy
    from protorel.evaluation.deprecated import judge_few_shot as judge_few_shot
    from protorel.model import RelationModel
    from protorel.recipes import FinetuneRecipe, Recipe, load_finetune_recipe, load_recipe
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
    from protorel.training import finetune, pretrain

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
    "evaluate_classification",
    "evaluate_few_shot",
    "few_shot_accuracy",
    "find_leakage",
    "finetune",
    "load_equivalents",
    "load_finetune_recipe",
    "load_recipe",
    "pretrain",
    "read_statements",
    "write_statements",
]

if sys.platform == "win32":
    raise ImportError("protorel runs on Linux and macOS, where a file can be locked by fcntl. On Windows, use WSL.")

sleep_while_waiting()
__getattr__ = lazy_names(
    __name__, renamed={"judge_classify": "evaluate_classification", "judge_few_shot": "evaluate_few_shot"}
)
