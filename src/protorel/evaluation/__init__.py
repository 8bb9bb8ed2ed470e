"""Evaluation: figures with intervals."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
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
    from protorel.evaluation.deprecated import judge_few_shot as judge_few_shot
    from protorel.evaluation.deprecated import judge_fuzzyred as judge_fuzzyred
    from protorel.evaluation.deprecated import judge_pairs as judge_pairs
    from protorel.evaluation.embedding_space import EmbeddingSpace, HeldOutWhitening, encode_once, whiten_by
    from protorel.evaluation.entity_pairs.aggregation import PairSettings
    from protorel.evaluation.entity_pairs.evaluate import PairEvaluation, evaluate_pairs
    from protorel.evaluation.entity_pairs.pair_scores import PairFigures, PairResult, score_pairs
    from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, machine, run_json
    from protorel.evaluation.extraction.document_triples import DocumentTriples, document_triples
    from protorel.evaluation.extraction.documents import (
        DocumentsEvaluation,
        DocumentsResult,
        MentionFigures,
        annotated_input,
        evaluate_documents,
    )
    from protorel.evaluation.extraction.evaluate import ExtractionEvaluation, ExtractionResult, evaluate_extraction
    from protorel.evaluation.extraction.figures import ExtractionFigures, TripleFigures
    from protorel.evaluation.extraction.settings import BaselineData, ExtractionSettings, UnseenSettings
    from protorel.evaluation.extraction.triples import MicroScores
    from protorel.evaluation.few_shot.accuracy import FewShotResult, few_shot_accuracy, few_shot_result
    from protorel.evaluation.few_shot.episodes import Exam, answered_right, draw_exam, exam_scores
    from protorel.evaluation.few_shot.evaluate import FewShotEvaluation, evaluate_few_shot
    from protorel.evaluation.few_shot.method_choice import chosen_method, episode_settings
    from protorel.evaluation.few_shot.settings import EpisodeSettings, FewShotSettings, NoneSettings, TextSettings
    from protorel.evaluation.fuzzyred.evaluate import FuzzyRedEvaluation, FuzzyRedSettings, evaluate_fuzzyred
    from protorel.evaluation.fuzzyred.false_positives import reproduce_table4
    from protorel.evaluation.fuzzyred.judged_statements import judged
    from protorel.evaluation.fuzzyred.label_scores import DEFAULT_SCORE
    from protorel.evaluation.fuzzyred.result import FuzzyRedResult
    from protorel.evaluation.fuzzyred.score_quality import ScoreFigures
    from protorel.evaluation.labelled_data import labelled
    from protorel.evaluation.leakage_report import run_leakage
    from protorel.evaluation.measurement import (
        Measurement,
        as_numbers,
        bootstrap_counts,
        bootstrap_measurement,
        measure,
        measurement_json,
    )
    from protorel.evaluation.true_labels import LabelTruth, auroc, label_truth

__all__ = [
    "AnswersEvaluation",
    "BaselineData",
    "ClassScores",
    "ClassificationEvaluation",
    "DEFAULT_SCORE",
    "DocumentTriples",
    "DocumentsEvaluation",
    "DocumentsResult",
    "EmbeddingSpace",
    "EpisodeSettings",
    "Exam",
    "ExtractionEvaluation",
    "ExtractionFigures",
    "ExtractionResult",
    "ExtractionSettings",
    "FewShotEvaluation",
    "FewShotResult",
    "FewShotSettings",
    "FuzzyRedEvaluation",
    "FuzzyRedResult",
    "FuzzyRedSettings",
    "HeldOutWhitening",
    "LabelTruth",
    "Measurement",
    "MentionFigures",
    "MicroScores",
    "NoneSettings",
    "OTHER",
    "PairEvaluation",
    "PairFigures",
    "PairResult",
    "PairSettings",
    "SEMEVAL_RELATIONS",
    "ScoreFigures",
    "SemEvalScore",
    "TextSettings",
    "TripleFigures",
    "UnseenSettings",
    "annotated_input",
    "answered_right",
    "as_numbers",
    "auroc",
    "chosen_method",
    "class_scores",
    "document_triples",
    "draw_exam",
    "encode_once",
    "episode_settings",
    "evaluate_answers",
    "evaluate_classification",
    "evaluate_documents",
    "evaluate_extraction",
    "evaluate_few_shot",
    "evaluate_fuzzyred",
    "evaluate_pairs",
    "exam_scores",
    "few_shot_accuracy",
    "few_shot_result",
    "judged",
    "label_truth",
    "labelled",
    "machine",
    "measure",
    "bootstrap_measurement",
    "measurement_json",
    "read_answers",
    "bootstrap_counts",
    "reproduce_table4",
    "run_json",
    "run_leakage",
    "score_pairs",
    "score_semeval",
    "whiten_by",
    "write_answers",
    "GivenModel",
    "environment",
    "loaded",
]

_RENAMED = {
    "AnswersJudgement": "AnswersEvaluation",
    "Background": "HeldOutWhitening",
    "ClassifyJudgement": "ClassificationEvaluation",
    "DEFAULT": "DEFAULT_SCORE",
    "FewShotJudgement": "FewShotEvaluation",
    "JudgedSpace": "EmbeddingSpace",
    "PairJudgement": "PairEvaluation",
    "judge_answers": "evaluate_answers",
    "judge_by_pair": "score_pairs",
    "judge_classify": "evaluate_classification",
    "judge_few_shot": "evaluate_few_shot",
    "judge_fuzzyred": "evaluate_fuzzyred",
    "judge_pairs": "evaluate_pairs",
    "learn_background": "whiten_by",
    "measured": "bootstrap_measurement",
    "redrawn_counts": "bootstrap_counts",
}
__getattr__ = lazy_names(__name__, renamed=_RENAMED)
