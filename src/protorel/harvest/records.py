"""The JSON files that a harvest writes and reads back, each as a model: one that was altered or cut is never trusted.

A file that holds what can be made again is made again; of the others the first wrong field is named in one line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from protorel.io import read_json
from protorel.statements import BadInput

Count = Annotated[int, Field(ge=0)]
Counts = dict[str, Count]


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class TallyRecord(_Record):
    """What a tally counted."""

    rows: Count
    taken: Count
    left_out: Counts
    rejected: Counts
    noticed: Counts


class ShardRecord(_Record):
    """`counts.json` of a shard."""

    text: TallyRecord
    mentions: Counts


class FactsRecord(_Record):
    """`facts.json` of gathered facts."""

    version: int
    facts: Count
    names: Count
    relations: Count
    tally: TallyRecord


class PropertyRecord(_Record):
    """A relation's words, as an entry of `properties.json`."""

    label: str | None
    description: str | None
    aliases: list[str]


class GazetteerRecord(_Record):
    """`gazetteer.json` of names laid out for searching."""

    version: int
    places: Annotated[int, Field(ge=1)]
    longest: Count
    counts: Counts


class PairsRecord(_Record):
    """How many pairs the sentences of an aligned shard have."""

    pairs: Count


class _ShardsRecord(_Record):
    all: Count
    lost: list[Count]


class _FactCounts(TallyRecord):
    facts: Count
    names: Count
    relations: Count


class _CountsRecord(_Record):
    facts: _FactCounts
    names: Counts
    text: TallyRecord
    mentions: Counts
    alignment: Counts
    shards: _ShardsRecord


class ManifestRecord(_Record):
    """`manifest.json` of a finished harvest, as far as it is read again."""

    sources: dict[str, object]
    parameters: dict[str, object]
    counts: _CountsRecord
    relations: Counts


Shape = TypeVar("Shape")


def read_record(path: Path, shape: type[Shape]) -> Shape:
    """Return what a file holds, or raise `BadInput` with the first thing that is wrong."""
    try:
        return TypeAdapter(shape).validate_python(read_json(path), strict=True)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part)[:40] for part in first["loc"][:8]) or "file"
        reason = first["msg"].removeprefix("Input should be ")
        raise BadInput(f"{path}: {field}: expected {reason}; was the file altered?") from None
    except RecursionError:
        raise BadInput(f"{path}: is nested too deeply; was the file altered?") from None
    except BadInput:
        raise
    except ValueError as problem:  # a number of thousands of digits
        raise BadInput(f"{path}: is not whole JSON ({str(problem)[:100]})") from None


def readable(path: Path, shape: type[Shape]) -> Shape | None:
    """Return what a file holds, or None where it is not there or was altered: then it is made again."""
    try:
        return read_record(path, shape)
    except BadInput:
        return None
