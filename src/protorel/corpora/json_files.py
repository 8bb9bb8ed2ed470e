"""Files of JSON, whole or one value a line, and where in them a problem stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from protorel.corpora.json_values import an_object, found, parse_json
from protorel.corpora.lines import Line
from protorel.io import read_source
from protorel.statements import BadInput, StatementError


def whole_object(path: Path, wanted: str) -> dict[str, Any]:
    """Read a file that is one JSON object, or raise `BadInput`; `wanted` says whose and of what."""
    whole = _whole(path)
    if not isinstance(whole, dict):
        raise BadInput(f"{path}: is {found(whole)}, {wanted} is wanted")
    return whole


def whole_list(path: Path, wanted: str) -> list[Any]:
    """Read a file that is one JSON list, or raise `BadInput`; `wanted` says whose and of what."""
    whole = _whole(path)
    if not isinstance(whole, list):
        raise BadInput(f"{path}: is {found(whole)}, {wanted} is wanted")
    return whole


def json_of(line: Line) -> Any:
    """Return what a line says in JSON, or raise `StatementError`."""
    if line.problem:
        raise StatementError("line", line.problem)
    try:
        return parse_json(line.text)
    except ValueError as problem:
        raise StatementError("line", str(problem)) from problem


def object_of(line: Line, names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object that a line is, with these names in it, or raise `StatementError`."""
    value = json_of(line)
    return an_object(value, "" if isinstance(value, dict) else "line", names)


def field_in(place: str, problem: StatementError, their_names: Mapping[str, str]) -> str:
    """Return the path of a problem's field in the foreign file: our `head` in row `P19[3]` is their `P19[3].h`."""
    field = their_names.get(problem.field, problem.field)
    return f"{place}.{field}" if place and field else place or field


def _whole(path: Path) -> Any:
    try:
        return parse_json(read_source(path).decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: is not UTF-8 (byte {problem.start}: {problem.reason})") from problem
    except BadInput:
        raise
    except ValueError as problem:
        raise BadInput(f"{path}: {problem}; one JSON value is wanted, is the file cut short?") from problem
