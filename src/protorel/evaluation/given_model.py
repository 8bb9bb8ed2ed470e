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


def looked_up(model: GivenModel) -> RelationModel | ModelSource:
    """Return the model with its record, looked up but not loaded where only its name was given.

    Raises:
        BadInput: there is no such model, or the run has not finished.
    """
    return model if isinstance(model, RelationModel) else ModelSource.find(model)
