"""The model under evaluation: loaded if only its name was given, and described in results by name and fingerprint."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from protorel.geometry import dispersion
from protorel.model import UNTRAINED_READOUT, MarkerStart, ModelSource, RelationModel, untrained, versions

GivenModel = RelationModel | ModelSource | str | Path
"""A loaded model, a model that was looked up, or a run folder, encoder name, folder or hub id."""


def looked_up(model: GivenModel) -> RelationModel | ModelSource:
    """Return a model with its record, without loading it where only its name was given.

    Raises:
        BadInput: there is no such model, or the run has not finished.
    """
    return model if isinstance(model, RelationModel) else ModelSource.find(model)


def loaded(model: GivenModel, *, readout: str | None = None, marker_start: MarkerStart = "brackets") -> RelationModel:
    """Return the model, loaded where only its name was given; `readout` and `marker_start` as in `RelationModel`.

    Nothing is printed about an encoder without relations, so that an error stays the only line. Commands print that
    note at the end.
    """
    if isinstance(model, RelationModel):
        return model
    source = ModelSource.find(model)
    if source.record is None:
        return untrained(source.given, readout=readout or UNTRAINED_READOUT, marker_start=marker_start)
    return RelationModel.from_pretrained(source, readout=readout)


def run_json(model: RelationModel) -> dict[str, Any]:
    """Return which model was evaluated: name, fingerprint, relations, recipe, and the runs it is an average of."""
    record = model.record.as_written() if model.record is not None else {}
    averaged = {"blend": record["blend"]} if "blend" in record else {}
    return {
        "name": Path(model.name).name,
        "fingerprint": model.fingerprint,
        "encoder": dict(model.encoder.settings),
        "recipe": record.get("recipe"),
        **averaged,
        "relations": list(model.relations.ids),
        "prototypes": asdict(dispersion(model.prototypes.vectors)) if len(model.relations) > 1 else None,
    }


def machine() -> dict[str, Any]:
    """Return the properties of this machine that a figure may depend on."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
    }


def environment() -> dict[str, Any]:
    """Return the machine and the library versions, as every result records them."""
    return {"machine": machine(), "versions": versions()}
