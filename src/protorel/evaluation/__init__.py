"""Evaluation: figures with intervals."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.evaluation.background import Background, learn_background
    from protorel.evaluation.classification.answer_files import (
        AnswersEvaluation,
        evaluate_answers,
        read_answers,
        write_answers,
    )
    from protorel.evaluation.classification.class_scores import ClassScores, class_scores
    from protorel.evaluation.classification.evaluate import ClassificationEvaluation, evaluate_classification
    from protorel.evaluation.classification.semeval_counts import OTHER, SEMEVAL_RELATIONS
    from protorel.evaluation.classification.semeval_scorer import SemEvalScore, score_semeval
    from protorel.evaluation.deprecated import judge_by_pair as judge_by_pair
    from protorel.evaluation.deprecated import judge_fuzzyred as judge_fuzzyred
    from protorel.evaluation.deprecated import judge_pairs as judge_pairs
    from protorel.evaluation.entity_pairs.aggregation import PairSettings
    from protorel.evaluation.entity_pairs.evaluate import PairEvaluation, evaluate_pairs
    from protorel.evaluation.entity_pairs.pair_scores import PairFigures, PairResult, score_pairs
    from protorel.evaluation.episode_exam import Exam, answered_right, draw_exam
    from protorel.evaluation.episode_scores import exam_scores
    from protorel.evaluation.experiments.budget_rows import UNTUNED, BudgetRow
    from protorel.evaluation.experiments.budget_summary import BudgetSummary, summarise_budget
    from protorel.evaluation.experiments.claims import signed
    from protorel.evaluation.experiments.data_budget import TASK, run_data_budget
    from protorel.evaluation.experiments.label_noise import CLEAN, run_label_noise
    from protorel.evaluation.experiments.lists import Amount, amount, amounts, check_noise, rate_list, seed_list
    from protorel.evaluation.experiments.noise_summary import NoiseRow, NoiseSummary, summarise_noise
    from protorel.evaluation.experiments.point_exam import PointExam
    from protorel.evaluation.experiments.point_folder import read_points
    from protorel.evaluation.experiments.point_plan import Progress, Watching, quiet
    from protorel.evaluation.experiments.summary import write_summary
    from protorel.evaluation.few_shot import FewShotResult, few_shot_accuracy, few_shot_result, labelled
    from protorel.evaluation.fewshot_run import FewShotJudgement, judge_few_shot
    from protorel.evaluation.fuzzyred.evaluate import FuzzyRedEvaluation, FuzzyRedSettings, evaluate_fuzzyred
    from protorel.evaluation.fuzzyred.false_positives import reproduce_table4
    from protorel.evaluation.fuzzyred.judged_statements import judged
    from protorel.evaluation.fuzzyred.label_scores import DEFAULT_SCORE
    from protorel.evaluation.fuzzyred.result import FuzzyRedResult
    from protorel.evaluation.fuzzyred.score_quality import ScoreFigures
    from protorel.evaluation.iris import DRAWS, SHOWN_RATE, Distortion, Flowers, IrisStudy, study_iris
    from protorel.evaluation.judged_space import JudgedSpace
    from protorel.evaluation.kept_apart import run_leakage
    from protorel.evaluation.linear_boundary import Boundary, Labels
    from protorel.evaluation.own_method import chosen_method, few_shot_settings
    from protorel.evaluation.redrawing import as_numbers, measured, redrawn_counts
    from protorel.evaluation.report_json import few_shot_json, machine, measurement_json, run_json
    from protorel.evaluation.result import Measurement, measure
    from protorel.evaluation.settings import EpisodeSettings, NoneSettings, TextSettings
    from protorel.evaluation.true_labels import LabelTruth, auroc, label_truth
    from protorel.evaluation.vector_cache import encode_once

__all__ = [
    "Amount",
    "AnswersEvaluation",
    "Background",
    "Boundary",
    "BudgetRow",
    "BudgetSummary",
    "CLEAN",
    "ClassScores",
    "ClassificationEvaluation",
    "DEFAULT_SCORE",
    "DRAWS",
    "Distortion",
    "EpisodeSettings",
    "Exam",
    "FewShotJudgement",
    "FewShotResult",
    "Flowers",
    "FuzzyRedEvaluation",
    "FuzzyRedResult",
    "FuzzyRedSettings",
    "IrisStudy",
    "JudgedSpace",
    "LabelTruth",
    "Labels",
    "Measurement",
    "NoiseRow",
    "NoiseSummary",
    "NoneSettings",
    "OTHER",
    "PairEvaluation",
    "PairFigures",
    "PairResult",
    "PairSettings",
    "PointExam",
    "Progress",
    "SEMEVAL_RELATIONS",
    "SHOWN_RATE",
    "ScoreFigures",
    "SemEvalScore",
    "TASK",
    "TextSettings",
    "UNTUNED",
    "Watching",
    "amount",
    "amounts",
    "answered_right",
    "as_numbers",
    "auroc",
    "check_noise",
    "chosen_method",
    "class_scores",
    "draw_exam",
    "encode_once",
    "evaluate_answers",
    "evaluate_classification",
    "evaluate_fuzzyred",
    "evaluate_pairs",
    "exam_scores",
    "few_shot_accuracy",
    "few_shot_json",
    "few_shot_result",
    "few_shot_settings",
    "judge_few_shot",
    "judged",
    "label_truth",
    "labelled",
    "learn_background",
    "machine",
    "measure",
    "measured",
    "measurement_json",
    "quiet",
    "rate_list",
    "read_answers",
    "read_points",
    "redrawn_counts",
    "reproduce_table4",
    "run_data_budget",
    "run_json",
    "run_label_noise",
    "run_leakage",
    "score_pairs",
    "score_semeval",
    "seed_list",
    "signed",
    "study_iris",
    "summarise_budget",
    "summarise_noise",
    "write_answers",
    "write_summary",
]

_RENAMED = {
    "AnswersJudgement": "AnswersEvaluation",
    "ClassifyJudgement": "ClassificationEvaluation",
    "DEFAULT": "DEFAULT_SCORE",
    "PairJudgement": "PairEvaluation",
    "judge_answers": "evaluate_answers",
    "judge_by_pair": "score_pairs",
    "judge_classify": "evaluate_classification",
    "judge_fuzzyred": "evaluate_fuzzyred",
    "judge_pairs": "evaluate_pairs",
}
__getattr__ = lazy_names(__name__, renamed=_RENAMED)
