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
    from protorel.evaluation.fuzzyred.false_positives import reproduce_table4
    from protorel.evaluation.fuzzyred.figures import FuzzyRedResult, ScoreFigures
    from protorel.evaluation.fuzzyred.judged import judged
    from protorel.evaluation.fuzzyred.rule import SHOTS
    from protorel.evaluation.fuzzyred.run import judge_fuzzyred
    from protorel.evaluation.fuzzyred.scores import DEFAULT
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
    "AnswersJudgement",
    "Background",
    "Boundary",
    "BudgetRow",
    "BudgetSummary",
    "CLEAN",
    "ClassScores",
    "ClassifyJudgement",
    "DEFAULT",
    "DRAWS",
    "Distortion",
    "EpisodeSettings",
    "Exam",
    "FewShotJudgement",
    "FewShotResult",
    "Flowers",
    "FuzzyRedResult",
    "IrisStudy",
    "JudgedSpace",
    "LabelTruth",
    "Labels",
    "Measurement",
    "NoiseRow",
    "NoiseSummary",
    "NoneSettings",
    "OTHER",
    "PairFigures",
    "PairJudgement",
    "PairResult",
    "PointExam",
    "Progress",
    "SEMEVAL_RELATIONS",
    "SHOTS",
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
    "score_semeval",
    "seed_list",
    "signed",
    "study_iris",
    "summarise_budget",
    "summarise_noise",
    "write_answers",
    "write_summary",
]

__getattr__ = lazy_names(__name__)
