"""What calibration.json says: maps, held-out data, the curve of their answers. Checked when it is read."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from protorel.io import READ_BACK

CALIBRATION_VERSION = 1
_Share = Annotated[float, Field(ge=0, le=1)]


class Interval(BaseModel):
    """A figure with its 95 % interval."""

    model_config = READ_BACK

    value: float
    low: float
    high: float


class HeldOut(BaseModel):
    """The statements that a calibration was fitted to."""

    model_config = READ_BACK

    name: str
    fingerprint: str
    pairs: Annotated[int, Field(ge=1)]
    """Statements that differ in text, head or tail."""
    related: Annotated[int, Field(ge=0)]
    """Those that hold at least one of the model's relations."""
    labels: Annotated[int, Field(ge=0)]
    documents: Annotated[int, Field(ge=0)]
    none_share: _Share
    """The share of pairs that hold none of the model's relations."""
    unknown: dict[str, int] = {}
    """Labels that the model has no prototype for, with their numbers."""
    calibration_error: Interval
    """The expected calibration error of the answers in 15 bins, cross-fitted; the interval is over documents."""


class Line(BaseModel):
    """A map from a score to a logit."""

    model_config = ConfigDict(**READ_BACK, frozen=True)

    slope: float
    offset: float


IDENTITY = Line(slope=1.0, offset=0.0)
"""The map that changes nothing."""


class Curve(BaseModel):
    """Held-out answers in order of their cross-fitted probabilities, from which a precision is looked up."""

    model_config = READ_BACK

    probability: list[_Share]
    right: list[Annotated[int, Field(ge=0, le=1)]]
    document: list[Annotated[int, Field(ge=0)]]
    """The number of each answer's document: answers of one document are right or wrong together."""
    labels: Annotated[int, Field(ge=0)]
    """All labels that could have been asserted: the whole that coverage is a share of."""


class CalibrationFile(BaseModel):
    """All of calibration.json."""

    model_config = READ_BACK

    format: Annotated[int, Field(ge=CALIBRATION_VERSION, le=CALIBRATION_VERSION)]
    relations: list[str]
    prototypes: str
    slope: list[float]
    offset: list[float]
    positives: list[Annotated[int, Field(ge=0)]]
    none: Line
    measured_share: _Share | None
    none_share: _Share | None
    added: dict[str, Line] = {}
    held_out: HeldOut | None
    curve: Curve | None
    background: bool = False
