"""Evaluate a model by few-shot episodes, from statements to figures: what `protorel evaluate fewshot` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, looked_up, run_json
from protorel.evaluation.few_shot.accuracy import FewShotResult, few_shot_result
from protorel.evaluation.few_shot.encoder_scores import EpisodeWatcher
from protorel.evaluation.few_shot.episodes import exam_scores
from protorel.evaluation.few_shot.plan import plan_few_shot
from protorel.evaluation.few_shot.settings import EpisodeSettings, FewShotSettings
from protorel.evaluation.leakage_report import run_leakage
from protorel.evaluation.measurement import measurement_json
from protorel.evaluation.open_set.none_of_these import NoneOfThese, evaluate_open_set
from protorel.statements import DataSet, Descriptions, Statement, fingerprint


@dataclass(frozen=True, slots=True)
class FewShotEvaluation:
    """The accuracy, its settings as JSON, and notes on how to read it."""

    result: FewShotResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]
    none_of_these: NoneOfThese | None = None


def evaluate_few_shot(
    model: GivenModel,
    data: DataSet,
    settings: FewShotSettings | None = None,
    *,
    watch: EpisodeWatcher | None = None,
    **changes: Any,
) -> FewShotEvaluation:
    """Evaluate a model by N-way K-shot episodes on labelled statements.

    Args:
        model: A loaded model, or a run folder, an encoder name, folder or hub id.
        data: Labelled statements.
        settings: Episodes, method, texts, open set and vectors; by default 5-way 1-shot.
        watch: Called with the number of finished episodes by methods that are slow.
        changes: Fields of `settings` to change, such as `way=10`.

    Returns:
        Accuracy over episodes and over relations, with intervals, the JSON form, and notes.

    Raises:
        BadInput: settings do not fit each other, the model or the data.

    Example:
        >>> from protorel import DataSet, Span, Statement
        >>> texts = {"Ada was born in Lunsk.": "born_in", "Ada, born in Lunsk.": "born_in"}
        >>> texts |= {"Ada has a house in Lunsk.": "lives_in", "Ada now lives in Lunsk.": "lives_in"}
        >>> data = [Statement(t, Span(0, 3), Span(len(t) - 6, len(t) - 1), r) for t, r in texts.items()]
        >>> found = evaluate_few_shot("minilm", DataSet.of("mine", data), way=2, shot=1, episodes=10)
        >>> found.result.way, found.result.episodes, sorted(found.result.per_relation)
        (2, 10, ['born_in', 'lives_in'])
    """
    settings = replace(settings or FewShotSettings(), **changes)
    source = looked_up(model)
    # Before the model is loaded, so that bad data are reported at once.
    plan = plan_few_shot(source, data, settings)
    model = loaded(source, readout=settings.readout, marker_start=settings.marker_start)
    space = plan.space(model)
    descriptions = plan.descriptions(model)
    texts = space.texts(descriptions, plan.exam.names)
    hubness = plan.hubness(space)
    scores = exam_scores(space, plan.statements, plan.exam, plan.episodes, texts=texts, hubness=hubness, watch=watch)
    result = few_shot_result(scores, plan.exam, plan.episodes)
    open_set = evaluate_open_set(space, plan.open_set, plan.statements, texts, descriptions) if plan.open_set else None
    leakage = run_leakage(model, data, plan.relations, equivalents=plan.equivalents)
    as_json = {
        "task": "fewshot",
        **_result_json(result),
        "data": _data_json(data, plan.statements, result),
        "run": run_json(model),
        "background": space.whitened.as_json() if space.whitened else None,
        "crowd": plan.hubness_json(hubness),
        "leakage": leakage.as_json(),
        **_method_json(plan.episodes, descriptions),
        "none_of_these": open_set.as_json() if open_set else None,
        **environment(),
    }
    notes = (*plan.notes(), *leakage.notes(), *(open_set.rule.notes() if open_set else ()))
    return FewShotEvaluation(result, as_json, notes, open_set.figures if open_set else None)


def _result_json(result: FewShotResult) -> dict[str, Any]:
    return {
        "way": result.way,
        "shot": result.shot,
        "episodes": result.episodes,
        "seed": result.seed,
        "method": result.method,
        "similarity": result.similarity,
        "apart_pairs": result.apart_pairs,
        "accuracy": result.accuracy.value,
        "margin": result.accuracy.margin,
        "over_relations": measurement_json(result.over_relations),
        "per_relation": result.per_relation,
    }


def _data_json(data: DataSet, statements: Sequence[Statement], result: FewShotResult) -> dict[str, Any]:
    return {
        "name": Path(data.name).name,
        "fingerprint": fingerprint(statements),
        "statements": len(statements),
        "relations": len(result.per_relation),
    }


def _method_json(episodes: EpisodeSettings, descriptions: Descriptions | None) -> dict[str, Any]:
    """Return how the encoder is tuned in each episode, and how relation texts are used, if they are."""
    texts = None if descriptions is None else {**descriptions.as_json(), "weights": episodes.weights}
    tunes = episodes.method.needs == "encoder"
    return {"tuning": asdict(episodes.method.load().settings) if tunes else None, "descriptions": texts}
