"""Models of the JSON files that a harvest writes and reads back, so that an altered or cut file is never trusted.

A file that can be made again is made again; for the others the error names the first wrong field.
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
    """The counts of a tally."""

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
    """`facts.json` of collected facts."""

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
    """`gazetteer.json` of a gazetteer."""

    version: int
    places: Annotated[int, Field(ge=1)]
    longest: Count
    counts: Counts


class PairsRecord(_Record):
    """The number of pairs in the sentences of an aligned shard."""

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
    """The parts of a finished harvest's `manifest.json` that are read back."""

    sources: dict[str, object]
    parameters: dict[str, object]
    counts: _CountsRecord
    relations: Counts


Shape = TypeVar("Shape")


def read_record(path: Path, shape: type[Shape]) -> Shape:
    """Return the content of a file, or raise `BadInput` with the first wrong field."""
    try:
        return TypeAdapter(shape).validate_python(read_json(path), strict=True)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part)[:40] for part in first["loc"][:8]) or "file"
        reason = first["msg"].removeprefix("Input should be ")
        raise BadInput(f"{path}: {field}: expected {reason}; was the file altered?") from None
    except RecursionError:
        raise BadInput(f"{path}: JSON is nested too deeply; was the file altered?") from None
    except BadInput:
        raise
    except ValueError as problem:  # a number of thousands of digits
        raise BadInput(f"{path}: is not valid JSON ({str(problem)[:100]})") from None


def readable(path: Path, shape: type[Shape]) -> Shape | None:
    """Return the content of a file, or None if it is missing or altered and must be made again."""
    try:
        return read_record(path, shape)
    except BadInput:
        return None
