"""A result as JSON, with every setting that made it: data and run by name and fingerprint, never by path."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from protorel.evaluation.background import Background
from protorel.evaluation.few_shot import FewShotResult
from protorel.evaluation.kept_apart import RunLeakage
from protorel.evaluation.result import Measurement
from protorel.geometry import dispersion
from protorel.model import RelationModel, versions
from protorel.statements import Statement, fingerprint


def few_shot_json(
    result: FewShotResult,
    model: RelationModel,
    statements: Sequence[Statement],
    *,
    data: str,
    background: Background | None = None,
    crowd: Mapping[str, Any] | None = None,
    leakage: RunLeakage | None = None,
    tuning: Mapping[str, Any] | None = None,
    descriptions: Mapping[str, Any] | None = None,
    none_of_these: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a few-shot result in the form that `--json` writes."""
    return {
        "task": "fewshot",
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
        "data": {
            "name": Path(data).name,
            "fingerprint": fingerprint(statements),
            "statements": len(statements),
            "relations": len(result.per_relation),
        },
        "run": run_json(model),
        "background": background.as_json() if background else None,
        "crowd": crowd,
        "leakage": leakage.as_json() if leakage else None,
        "tuning": tuning,
        "descriptions": descriptions,
        "none_of_these": none_of_these,
        "machine": machine(),
        "versions": versions(),
    }


def measurement_json(measurement: Measurement) -> dict[str, float | int]:
    """Return a measurement as plain numbers."""
    return {"accuracy": measurement.value, "margin": measurement.margin, "count": measurement.count}


def run_json(model: RelationModel) -> dict[str, Any]:
    """Return which model was evaluated: name, weights, relations, its recipe, or the runs it is an average of."""
    record = model.record.as_written() if model.record is not None else {}
    made_of = {"blend": record["blend"]} if "blend" in record else {}
    return {
        "name": Path(model.name).name,
        "fingerprint": model.fingerprint,
        "encoder": dict(model.encoder.settings),
        "recipe": record.get("recipe"),
        **made_of,
        "relations": list(model.relations.ids),
        "prototypes": asdict(dispersion(model.prototypes.vectors)) if len(model.relations) > 1 else None,
    }


def machine() -> dict[str, Any]:
    """Describe the machine, as far as a figure may depend on it."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
    }
