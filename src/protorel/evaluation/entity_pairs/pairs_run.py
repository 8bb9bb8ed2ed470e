"""Judging by entity pair, from files to figures: what `protorel evaluate pairs` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protorel.evaluation.entity_pairs.by_pair import PairResult, judge_by_pair
from protorel.evaluation.entity_pairs.combining import COMBINE_RULES
from protorel.evaluation.entity_pairs.relation_probabilities import relation_probabilities
from protorel.evaluation.few_shot import labelled
from protorel.evaluation.kept_apart import run_leakage
from protorel.evaluation.report_json import machine, run_json
from protorel.model import RelationModel, versions
from protorel.statements import BadInput, DataSet, Equivalents, load_equivalents


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """The figures, all that made them, and what their reader must know."""

    result: PairResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def judge_pairs(
    run: str,
    data: DataSet,
    *,
    combine: str = "one",
    no_relation: str | None = None,
    at: Sequence[int] = (100, 200, 300),
    attention_scale: float = 1.0,
    seed: int = 0,
    equivalents: Equivalents | None = None,
) -> PairJudgement:
    """Judge which facts a run finds in distantly labelled statements, pair by pair.

    `no_relation` names the label that says that there is none; without it, that of the run's classifier counts.
    """
    if combine not in COMBINE_RULES:
        raise BadInput(f"combine is {combine!r}, one of {', '.join(COMBINE_RULES)} is wanted")
    statements = list(data.source())
    _, relations = labelled(statements)
    model = RelationModel.from_pretrained(run)
    found = relation_probabilities(model, statements)
    none = no_relation or found.no_relation
    result = judge_by_pair(
        found.probabilities.double().numpy(),
        found.names,
        statements,
        combine=combine,
        vectors=found.vectors.double().numpy(),
        relation_vectors=found.relation_vectors.double().numpy(),
        no_relation=none,
        at=at,
        attention_scale=attention_scale,
        seed=seed,
    )
    tested = set(relations) - {none}
    leakage = run_leakage(model, run, data, tested, equivalents=equivalents or load_equivalents())
    told = {
        "task": "pairs",
        **result.as_json(),
        "scored_by": found.by,
        "no_relation": none,
        "attention_scale": attention_scale if combine == "attention" else None,
        "data": data.described(),
        "run": run_json(model, run),
        "leakage": leakage.as_json(),
        "machine": machine(),
        "versions": versions(),
    }
    return PairJudgement(result, told, (*result.notes(), *leakage.notes(relations=False)))
