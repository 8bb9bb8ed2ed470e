"""Parts of results as JSON: a model by name and fingerprint, never by path; measurements; the machine."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from protorel.evaluation.result import Measurement
from protorel.geometry import dispersion
from protorel.model import RelationModel


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
