"""Few-shot judging from files to figures: what `protorel evaluate fewshot` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from protorel.evaluation.background import learn_background
from protorel.evaluation.few_shot import FewShotResult, few_shot_accuracy, labelled
from protorel.evaluation.kept_apart import run_leakage
from protorel.evaluation.report_json import few_shot_json
from protorel.evaluation.vector_cache import encode_once
from protorel.model import MarkerStart, RelationModel
from protorel.statements import BadInput, DataSet, Equivalents, Statement, load_equivalents, relation_list


@dataclass(frozen=True, slots=True)
class FewShotJudgement:
    """A figure, all that made it, and what its reader must know."""

    result: FewShotResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def judge_few_shot(
    run: str,
    data: DataSet,
    *,
    way: int = 5,
    shot: int = 1,
    episodes: int = 10_000,
    seed: int = 0,
    method: str = "prototype",
    readout: str | None = None,
    marker_start: MarkerStart = "brackets",
    background: DataSet | None = None,
    only: str | None = None,
    equivalents: Equivalents | None = None,
) -> FewShotJudgement:
    """Judge a run, or an encoder, by N-way K-shot episodes on labelled statements.

    `only` names a list of relations; `background` holds statements of others, by whose spread vectors are whitened.
    """
    meanings = equivalents or load_equivalents()
    statements, relations = _under_test(data, only)
    if (count := len(set(relations))) < way:
        raise BadInput(f"{data.path or data.name}: has {count} relations, {way} ways need at least {way}")
    others = list(background.source()) if background else None  # before the long work: a bad file costs no time
    model = RelationModel.load(run, readout=readout, marker_start=marker_start)
    vectors = encode_once(model, statements)
    learned = learn_background(model, others, relations, equivalents=meanings) if others is not None else None
    if learned is not None:
        vectors = learned.whitening(vectors)
    result = few_shot_accuracy(vectors, relations, way=way, shot=shot, episodes=episodes, seed=seed, method=method)
    leakage = run_leakage(model, run, data, relations, equivalents=meanings)
    told = few_shot_json(result, model, statements, run=run, data=data.name, background=learned, leakage=leakage)
    return FewShotJudgement(result, told, tuple(leakage.notes()))


def _under_test(data: DataSet, only: str | None) -> tuple[list[Statement], list[str]]:
    statements, relations = labelled(list(data.source()))
    if only is None:
        return statements, relations
    wanted = set(relation_list(only))
    kept = [statement for statement in statements if statement.relation in wanted]
    if not kept:
        raise BadInput(f"{data.path or data.name}: holds none of the {len(wanted)} relations of {only}")
    return kept, [relation for relation in relations if relation in wanted]
