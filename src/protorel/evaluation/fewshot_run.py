"""Few-shot judging from files to figures: what `protorel evaluate fewshot` does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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
from protorel.evaluation.own_method import few_shot_settings
from protorel.evaluation.rejecting.held_out_rejection import (
    HeldOutExam,
    draw_held_out,
    learn_held_out_rejection,
)
from protorel.evaluation.rejecting.none_of_these import NoneOfThese, none_of_these
from protorel.evaluation.rejecting.open_answers import draw_open, open_answers
from protorel.evaluation.report_json import few_shot_json
from protorel.evaluation.settings import EpisodeSettings, NoneSettings, TextSettings
from protorel.fewshot import FewShotMethod
from protorel.model import MarkerStart, ModelSource, RelationModel
from protorel.statements import (
    BadInput,
    DataSet,
    Descriptions,
    Equivalents,
    Statement,
    load_equivalents,
    relation_list,
)


@dataclass(frozen=True, slots=True)
class FewShotJudgement:
    """A figure, all that made it, and what its reader must know."""

    result: FewShotResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]
    none_of_these: NoneOfThese | None = None


def judge_few_shot(
    model: GivenModel,
    data: DataSet,
    *,
    way: int = 5,
    shot: int = 1,
    episodes: int | None = None,
    seed: int = 0,
    method: str | FewShotMethod | None = None,
    similarity: str | None = None,
    apart_pairs: bool = False,
    readout: str | None = None,
    marker_start: MarkerStart = "brackets",
    background: DataSet | None = None,
    crowd: DataSet | None = None,
    only: str | None = None,
    equivalents: Equivalents | None = None,
    texts: TextSettings | None = None,
    none: NoneSettings | None = None,
    watch: EpisodeWatcher | None = None,
) -> FewShotJudgement:
    """Judge a run, or an encoder, by N-way K-shot episodes on labelled statements.

    Without a `method` or a `similarity`, those count that the run was tuned with, or else `prototype` and `cosine`.
    `only` names a list of relations; `background` holds statements of others, by whose spread vectors are whitened,
    and `crowd` statements of others, whose nearness is a way's handicap. `apart_pairs` keeps examples and queries from
    sharing an entity pair, `texts` gives ways by descriptions, and `none` mixes in queries that belong to no way.
    Without a number, 10,000 episodes are judged, or 100 by a method that cannot read stored vectors; `watch` is told
    how many of those are done.
    """
    meanings = equivalents or load_equivalents()
    source = looked_up(model)
    settings = few_shot_settings(
        source,
        way=way,
        shot=shot,
        episodes=episodes,
        seed=seed,
        method=method,
        similarity=similarity,
        texts=texts,
        none=none,
        background=background,
        crowd=crowd,
    )
    descriptions = texts.descriptions if texts else None
    statements, relations = _under_test(data, only)
    # All that can be refused is refused before the long work.
    around = find_crowd(crowd, relations, settings, rejecting=none is not None, equivalents=meanings) if crowd else None
    with _named(data):
        exam = draw_exam(relations, settings, groups=pair_groups(statements) if apart_pairs else None)
        mixed = draw_open(exam, settings, share=none.share) if none else None
    if descriptions is not None:
        descriptions.wordings(exam.names)
    held_out = _held_out(source, none, background, exam, settings, meanings, descriptions) if none else None
    others = list(background.source()) if background else None
    model = loaded(source, readout=readout, marker_start=marker_start)
    learned = learn_background(model, others, relations, equivalents=meanings) if others is not None else None
    space = JudgedSpace(model, learned)
    descriptions = texts.read_by(model) if texts else None
    text_vectors = space.wordings(descriptions.wordings(exam.names)) if descriptions is not None else None
    placed = place_crowd(space, around) if around else None
    scores = exam_scores(space, statements, exam, settings, texts=text_vectors, crowd=placed, watch=watch)
    result = few_shot_result(scores, exam, settings)
    rule = rejected = None
    if none and mixed and held_out:
        rule = learn_held_out_rejection(space, held_out, none, equivalents=meanings, descriptions=descriptions)
        answers = open_answers(space.statements(statements), mixed, settings, texts=text_vectors)
        rejected = none_of_these(answers, rule.rejection, share=none.share, seed=seed)
    leakage = run_leakage(model, data, relations, equivalents=meanings)
    told = few_shot_json(
        result,
        model,
        statements,
        data=data.name,
        background=learned,
        crowd=crowd_json(placed, around) if placed and around else None,
        leakage=leakage,
        tuning=asdict(settings.method.load().settings) if settings.method.needs == "encoder" else None,
        descriptions={**descriptions.as_json(), "weights": settings.weights} if descriptions is not None else None,
        none_of_these=rejected.as_json() | {"held_out": rule.as_json()} if rejected and rule else None,
    )
    notes = (*_fewer(settings, episodes), *leakage.notes(), *(rule.notes() if rule else ()))
    return FewShotJudgement(result, told, notes, rejected)


def _fewer(settings: EpisodeSettings, asked_for: int | None) -> tuple[str, ...]:
    """Say why there are fewer episodes than elsewhere, where nobody asked for that."""
    slow = settings.method.why_slow
    if slow is None or asked_for is not None:
        return ()
    return (f"{settings.episodes} episodes were judged, not 10,000: {slow}; --episodes N asks for more",)


@contextmanager
def _named(data: DataSet) -> Iterator[None]:
    """Say of which file a complaint is."""
    try:
        yield
    except BadInput as problem:
        raise BadInput(f"{data.path or data.name}: {problem}") from problem


def _held_out(
    model: RelationModel | ModelSource,
    none: NoneSettings,
    background: DataSet | None,
    exam: Exam,
    settings: EpisodeSettings,
    equivalents: Equivalents,
    descriptions: Descriptions | None,
) -> HeldOutExam:
    source = none.held_out or background
    assert source is not None  # few_shot_settings has seen to it
    with _named(source):
        return draw_held_out(
            source,
            exam,
            settings,
            share=none.share,
            seen=relations_seen(model),
            equivalents=equivalents,
            descriptions=descriptions,
        )


def _under_test(data: DataSet, only: str | None) -> tuple[list[Statement], list[str]]:
    statements, relations = labelled(list(data.source()))
    if only is None:
        return statements, relations
    wanted = set(relation_list(only))
    kept = [statement for statement in statements if statement.relation in wanted]
    if not kept:
        raise BadInput(f"{data.path or data.name}: holds none of the {len(wanted)} relations of {only}")
    return kept, [relation for relation in relations if relation in wanted]
