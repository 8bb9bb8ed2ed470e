"""Who judges: figures with intervals."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.evaluation.answers.answer_files import read_answers, write_answers
    from protorel.evaluation.answers.answers_run import AnswersJudgement, judge_answers
    from protorel.evaluation.answers.class_scores import ClassScores, class_scores
    from protorel.evaluation.answers.classify import ClassifyJudgement, judge_classify
    from protorel.evaluation.answers.semeval_labels import OTHER, SEMEVAL_RELATIONS
    from protorel.evaluation.answers.semeval_scorer import SemEvalScore, score_semeval
    from protorel.evaluation.background import Background, learn_background
    from protorel.evaluation.entity_pairs.by_pair import PairFigures, PairResult, judge_by_pair
    from protorel.evaluation.entity_pairs.pairs_run import PairJudgement, judge_pairs
    from protorel.evaluation.episode_exam import Exam, answered_right, draw_exam
    from protorel.evaluation.episode_scores import exam_scores
    from protorel.evaluation.few_shot import FewShotResult, few_shot_accuracy, few_shot_result, labelled
    from protorel.evaluation.fewshot_run import FewShotJudgement, judge_few_shot
    from protorel.evaluation.fuzzyred.false_positives import reproduce_table4
    from protorel.evaluation.fuzzyred.figures import FuzzyRedResult, ScoreFigures
    from protorel.evaluation.fuzzyred.judged import judged
    from protorel.evaluation.fuzzyred.rule import SHOTS
    from protorel.evaluation.fuzzyred.run import judge_fuzzyred
    from protorel.evaluation.fuzzyred.scores import DEFAULT
    from protorel.evaluation.judged_space import JudgedSpace
    from protorel.evaluation.kept_apart import run_leakage
    from protorel.evaluation.own_method import chosen_method, few_shot_settings
    from protorel.evaluation.redrawing import as_numbers, measured, redrawn_counts
    from protorel.evaluation.report_json import few_shot_json, machine, measurement_json, run_json
    from protorel.evaluation.result import Measurement, measure
    from protorel.evaluation.settings import EpisodeSettings, NoneSettings, TextSettings
    from protorel.evaluation.true_labels import LabelTruth, auroc, label_truth
    from protorel.evaluation.vector_cache import encode_once

__all__ = [
    "AnswersJudgement",
    "Background",
    "ClassScores",
    "ClassifyJudgement",
    "DEFAULT",
    "EpisodeSettings",
    "Exam",
    "FewShotJudgement",
    "FewShotResult",
    "FuzzyRedResult",
    "JudgedSpace",
    "LabelTruth",
    "Measurement",
    "NoneSettings",
    "OTHER",
    "PairFigures",
    "PairJudgement",
    "PairResult",
    "SEMEVAL_RELATIONS",
    "SHOTS",
    "ScoreFigures",
    "SemEvalScore",
    "TextSettings",
    "answered_right",
    "as_numbers",
    "auroc",
    "chosen_method",
    "class_scores",
    "draw_exam",
    "encode_once",
    "exam_scores",
    "few_shot_accuracy",
    "few_shot_json",
    "few_shot_result",
    "few_shot_settings",
    "judge_answers",
    "judge_by_pair",
    "judge_classify",
    "judge_few_shot",
    "judge_fuzzyred",
    "judge_pairs",
    "judged",
    "label_truth",
    "labelled",
    "learn_background",
    "machine",
    "measure",
    "measured",
    "measurement_json",
    "read_answers",
    "redrawn_counts",
    "reproduce_table4",
    "run_json",
    "run_leakage",
    "score_semeval",
    "write_answers",
]

__getattr__ = lazy_names(__name__)
