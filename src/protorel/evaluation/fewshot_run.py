"""Few-shot evaluation of a model on labelled statements: what `protorel evaluate fewshot` does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from protorel.batches import pair_groups
from protorel.evaluation.background import learn_background
from protorel.evaluation.crowd import crowd_json, find_crowd, place_crowd
from protorel.evaluation.episode_exam import Exam, draw_exam
from protorel.evaluation.episode_scores import exam_scores
from protorel.evaluation.few_shot import FewShotResult, few_shot_result, labelled
from protorel.evaluation.given_model import GivenModel, loaded, looked_up
from protorel.evaluation.judged_space import JudgedSpace
from protorel.evaluation.kept_apart import relations_seen, run_leakage
from protorel.evaluation.learned_scores import EpisodeWatcher
from protorel.evaluation.own_method import episode_settings
from protorel.evaluation.rejecting.held_out_rejection import (
    HeldOutExam,
    draw_held_out,
    learn_held_out_rejection,
)
from protorel.evaluation.rejecting.none_of_these import NoneOfThese, none_of_these
from protorel.evaluation.rejecting.open_answers import draw_open, open_answers
from protorel.evaluation.report_json import machine, measurement_json, run_json
from protorel.evaluation.settings import EpisodeSettings, FewShotSettings
from protorel.model import ModelSource, RelationModel, versions
from protorel.statements import (
    BadInput,
    DataSet,
    Equivalents,
    Statement,
    fingerprint,
    load_equivalents,
    relation_list,
)


@dataclass(frozen=True, slots=True)
class FewShotEvaluation:
    """The accuracy, its JSON form with all settings, and notes for its reader."""

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
    meanings, texts, none = settings.equivalents or load_equivalents(), settings.texts, settings.none
    source = looked_up(model)
    episodes = episode_settings(source, settings)
    statements, relations = _under_test(data, settings.only)
    # Before the model is loaded, so that bad data are reported at once.
    around = find_crowd(settings.hubness, relations, equivalents=meanings) if settings.hubness else None
    with _named(data):
        exam = draw_exam(relations, episodes, groups=pair_groups(statements) if settings.apart_pairs else None)
        mixed = draw_open(exam, episodes, share=none.share) if none else None
    if texts is not None:
        texts.descriptions.wordings(exam.names)
    held_out = _held_out(source, settings, exam, episodes, meanings) if none else None
    others = list(settings.whiten.source()) if settings.whiten else None
    model = loaded(source, readout=settings.readout, marker_start=settings.marker_start)
    learned = learn_background(model, others, relations, equivalents=meanings) if others is not None else None
    space = JudgedSpace(model, learned)
    descriptions = texts.read_by(model) if texts else None
    text_vectors = space.wordings(descriptions.wordings(exam.names)) if descriptions is not None else None
    placed = place_crowd(space, around) if around else None
    scores = exam_scores(space, statements, exam, episodes, texts=text_vectors, crowd=placed, watch=watch)
    result = few_shot_result(scores, exam, episodes)
    rule = rejected = None
    if none and mixed and held_out:
        rule = learn_held_out_rejection(space, held_out, none, equivalents=meanings, descriptions=descriptions)
        answers = open_answers(space.statements(statements), mixed, episodes, texts=text_vectors)
        rejected = none_of_these(answers, rule.rejection, share=none.share, seed=settings.seed)
    leakage = run_leakage(model, data, relations, equivalents=meanings)
    as_json = {
        "task": "fewshot",
        **_result_json(result),
        "data": {
            "name": Path(data.name).name,
            "fingerprint": fingerprint(statements),
            "statements": len(statements),
            "relations": len(result.per_relation),
        },
        "run": run_json(model),
        "background": learned.as_json() if learned else None,
        "crowd": crowd_json(placed, around) if placed and around else None,
        "leakage": leakage.as_json(),
        "tuning": asdict(episodes.method.load().settings) if episodes.method.needs == "encoder" else None,
        "descriptions": {**descriptions.as_json(), "weights": episodes.weights} if descriptions is not None else None,
        "none_of_these": rejected.as_json() | {"held_out": rule.as_json()} if rejected and rule else None,
        "machine": machine(),
        "versions": versions(),
    }
    notes = (*_fewer(episodes, settings.episodes), *leakage.notes(), *(rule.notes() if rule else ()))
    return FewShotEvaluation(result, as_json, notes, rejected)


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


def _fewer(settings: EpisodeSettings, asked_for: int | None) -> tuple[str, ...]:
    """Return a note if the default number of episodes is small."""
    slow = settings.method.why_slow
    if slow is None or asked_for is not None:
        return ()
    return (f"evaluated on {settings.episodes} episodes, not 10,000: {slow}; --episodes N changes it",)


@contextmanager
def _named(data: DataSet) -> Iterator[None]:
    """Put the name of the file before an error."""
    try:
        yield
    except BadInput as problem:
        raise BadInput(f"{data.path or data.name}: {problem}") from problem


def _held_out(
    model: RelationModel | ModelSource,
    settings: FewShotSettings,
    exam: Exam,
    episodes: EpisodeSettings,
    equivalents: Equivalents,
) -> HeldOutExam:
    none = settings.none
    assert none is not None
    source = none.held_out or settings.whiten
    assert source is not None  # episode_settings checks it
    with _named(source):
        return draw_held_out(
            source,
            exam,
            episodes,
            share=none.share,
            seen=relations_seen(model),
            equivalents=equivalents,
            descriptions=settings.texts.descriptions if settings.texts else None,
        )


def _under_test(data: DataSet, only: str | None) -> tuple[list[Statement], list[str]]:
    statements, relations = labelled(list(data.source()))
    if only is None:
        return statements, relations
    wanted = set(relation_list(only))
    kept = [statement for statement in statements if statement.relation in wanted]
    if not kept:
        raise BadInput(
            f"{data.path or data.name}: expected statements of the {len(wanted)} relations of {only}, got none"
        )
    return kept, [relation for relation in relations if relation in wanted]
