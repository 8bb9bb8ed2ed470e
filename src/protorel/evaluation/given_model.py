"""The model that an evaluation is given: a loaded one, or a name to load it by."""

from __future__ import annotations

from pathlib import Path

from protorel.model import MarkerStart, ModelSource, RelationModel

GivenModel = RelationModel | ModelSource | str | Path
"""A loaded model, a model that was looked up, or a run folder, encoder name, folder or hub id."""


def loaded(model: GivenModel, *, readout: str | None = None, marker_start: MarkerStart = "brackets") -> RelationModel:
    """Return the model, loaded where only its name was given; `readout` and `marker_start` as in `RelationModel`."""
    if isinstance(model, RelationModel):
        return model
    return RelationModel.from_pretrained(model, readout=readout, marker_start=marker_start)


def given_name(model: GivenModel) -> str:
    """Return the name by which the user gave the model, for messages."""
    if isinstance(model, RelationModel):
        return model.name or "the model"
    return model.given if isinstance(model, ModelSource) else str(model)
