"""Who judges: figures with intervals."""

from protorel.evaluation.background import Background, learn_background
from protorel.evaluation.few_shot import FewShotResult, few_shot_accuracy, labelled
from protorel.evaluation.fewshot_run import FewShotJudgement, judge_few_shot
from protorel.evaluation.label_truth import LabelTruth, auroc, label_truth
from protorel.evaluation.report_json import few_shot_json, machine
from protorel.evaluation.result import Measurement, measure
from protorel.evaluation.vector_cache import encode_once

__all__ = [
    "Background",
    "FewShotJudgement",
    "FewShotResult",
    "LabelTruth",
    "Measurement",
    "auroc",
    "encode_once",
    "few_shot_accuracy",
    "few_shot_json",
    "judge_few_shot",
    "label_truth",
    "labelled",
    "learn_background",
    "machine",
    "measure",
]
