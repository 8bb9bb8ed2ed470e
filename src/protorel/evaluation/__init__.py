"""Who judges: figures with intervals."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.evaluation.answers.answer_files import read_answers, write_answers
    from protorel.evaluation.answers.answers_run import AnswersJudgement, judge_answers
    from protorel.evaluation.answers.class_scores import ClassScores, class_scores
    from protorel.evaluation.answers.classify import ClassifyJudgement, judge_classify
    from protorel.evaluation.answers.semeval_scorer import SemEvalScore, score_semeval
    from protorel.evaluation.background import Background, learn_background
    from protorel.evaluation.entity_pairs.by_pair import PairResult, judge_by_pair
    from protorel.evaluation.entity_pairs.pairs_run import PairJudgement, judge_pairs
    from protorel.evaluation.few_shot import FewShotResult, few_shot_accuracy, labelled
    from protorel.evaluation.fewshot_run import FewShotJudgement, judge_few_shot
    from protorel.evaluation.report_json import few_shot_json, machine
    from protorel.evaluation.result import Measurement, measure
    from protorel.evaluation.settings import NoneSettings, TextSettings
    from protorel.evaluation.true_labels import LabelTruth, auroc, label_truth
    from protorel.evaluation.vector_cache import encode_once

__all__ = [
    "AnswersJudgement",
    "Background",
    "ClassScores",
    "ClassifyJudgement",
    "FewShotJudgement",
    "FewShotResult",
    "LabelTruth",
    "Measurement",
    "NoneSettings",
    "PairJudgement",
    "PairResult",
    "SemEvalScore",
    "TextSettings",
    "auroc",
    "class_scores",
    "encode_once",
    "few_shot_accuracy",
    "few_shot_json",
    "judge_answers",
    "judge_by_pair",
    "judge_classify",
    "judge_few_shot",
    "judge_pairs",
    "label_truth",
    "labelled",
    "learn_background",
    "machine",
    "measure",
    "read_answers",
    "score_semeval",
    "write_answers",
]

__getattr__ = lazy_names(__name__)
