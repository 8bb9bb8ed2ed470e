"""Old functions whose arguments changed, for one release: `protorel.evaluation` gives them with a `FutureWarning`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protorel.evaluation.entity_pairs.aggregation import Numbers, PairSettings
from protorel.evaluation.entity_pairs.evaluate import PairEvaluation, evaluate_pairs
from protorel.evaluation.entity_pairs.pair_scores import PairResult, score_pairs
from protorel.evaluation.few_shot.encoder_scores import EpisodeWatcher
from protorel.evaluation.few_shot.evaluate import FewShotEvaluation, evaluate_few_shot
from protorel.evaluation.few_shot.settings import FewShotSettings
from protorel.evaluation.fuzzyred.evaluate import FuzzyRedEvaluation, FuzzyRedSettings, evaluate_fuzzyred
from protorel.statements import DataSet, Equivalents, Statement


def judge_pairs(run: str, data: DataSet, *, equivalents: Equivalents | None = None, **settings: Any) -> PairEvaluation:
    """Call `evaluate_pairs` with the settings as arguments."""
    return evaluate_pairs(run, data, _pair_settings(settings), equivalents=equivalents)


def judge_by_pair(
    probabilities: Numbers,
    names: Sequence[str],
    statements: Sequence[Statement],
    *,
    vectors: Numbers | None = None,
    relation_vectors: Numbers | None = None,
    **settings: Any,
) -> PairResult:
    """Call `score_pairs` with the settings as arguments."""
    chosen = _pair_settings(settings)
    return score_pairs(probabilities, names, statements, chosen, vectors=vectors, relation_vectors=relation_vectors)


def judge_few_shot(run: str, data: DataSet, *, watch: EpisodeWatcher | None = None, **given: Any) -> FewShotEvaluation:
    """Call `evaluate_few_shot` with `background` and `crowd` under their new names."""
    settings = {{"background": "whiten", "crowd": "hubness"}.get(name, name): value for name, value in given.items()}
    return evaluate_few_shot(run, data, FewShotSettings(**settings), watch=watch)


def judge_fuzzyred(run: str, data: DataSet, **given: Any) -> FuzzyRedEvaluation:
    """Call `evaluate_fuzzyred` with the settings as arguments."""
    others = {name: given.pop(name) for name in ("texts", "background", "equivalents") if name in given}
    if "shots" in given:
        given["shots"] = tuple(given["shots"])
    return evaluate_fuzzyred(run, data, FuzzyRedSettings(**given), **others)


def _pair_settings(given: dict[str, Any]) -> PairSettings:
    return PairSettings(**({**given, "at": tuple(given["at"])} if "at" in given else given))
