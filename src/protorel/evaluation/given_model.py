"""The model that an evaluation is given: a loaded one, or a name to load it by."""

from __future__ import annotations

from pathlib import Path

from protorel.model import UNTRAINED_READOUT, MarkerStart, ModelSource, RelationModel, untrained

GivenModel = RelationModel | ModelSource | str | Path
"""A loaded model, a model that was looked up, or a run folder, encoder name, folder or hub id."""


def loaded(model: GivenModel, *, readout: str | None = None, marker_start: MarkerStart = "brackets") -> RelationModel:
    """Return the model, loaded where only its name was given; `readout` and `marker_start` as in `RelationModel`.

    An encoder without relations is not announced: an error that follows must be the only line. Commands say it after.
    """
    if isinstance(model, RelationModel):
        return model
    source = ModelSource.find(model)
    if source.record is None:
        return untrained(source.given, readout=readout or UNTRAINED_READOUT, marker_start=marker_start)
    return RelationModel.from_pretrained(source, readout=readout)


def looked_up(model: GivenModel) -> RelationModel | ModelSource:
    """Return the model with its record, looked up but not loaded where only its name was given.

    Raises:
        BadInput: there is no such model, or the run has not finished.
    """
    return model if isinstance(model, RelationModel) else ModelSource.find(model)
