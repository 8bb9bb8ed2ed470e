"""Foreign JSON: parsing files and lines strictly, and checking the types of their values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from protorel.corpora.rows import MAX_CONTENT, Line, excerpt
from protorel.io import no_constant, no_name_twice, read_source
from protorel.statements import BadInput, StatementError


def parse_json(text: str) -> Any:
    """Parse JSON, or raise a `ValueError` of one line; NaN and duplicate names are refused."""
    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_name_twice)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"is not valid JSON ({problem})") from None


def whole_object(path: Path, expected: str) -> dict[str, Any]:
    """Return the JSON object of a file, or raise `BadInput`; `expected` describes the object, for messages."""
    whole = _whole(path)
    if not isinstance(whole, dict):
        raise BadInput(f"{path}: expected {expected}, got {found(whole)}")
    return whole


def whole_list(path: Path, expected: str) -> list[Any]:
    """Return the JSON list of a file, or raise `BadInput`; `expected` describes the list, for messages."""
    whole = _whole(path)
    if not isinstance(whole, list):
        raise BadInput(f"{path}: expected {expected}, got {found(whole)}")
    return whole


def json_of(line: Line) -> Any:
    """Return the JSON value of a line, or raise `StatementError`."""
    if line.problem:
        raise StatementError("line", line.problem)
    try:
        return parse_json(line.text)
    except ValueError as problem:
        raise StatementError("line", str(problem)) from problem


def object_of(line: Line, names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object of a line if it has these names, or raise `StatementError`."""
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
        raise BadInput(f"{path}: {problem}. Is the file cut short?") from problem


def found(value: object) -> str:
    """Return a JSON value in a few words, for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            # Python refuses to convert an int of thousands of digits to text.
            return f"the number {value}" if value.bit_length() < 64 else f"a number of {value.bit_length()} bits"
        case float():
            return f"the number {value}"
        case str():
            return f"the text {excerpt(value, 40)!r}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def a_text(value: object, field: str) -> str:
    """Return the value if it is text without lone surrogates, else raise `StatementError`."""
    if not isinstance(value, str):
        raise StatementError(field, f"expected text, got {found(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise StatementError(
            field, f"has a lone surrogate (U+{ord(value[problem.start]):04X}) at {problem.start}"
        ) from None
    return value


def a_list(value: object, field: str, expected: str) -> list[Any]:
    """Return the value if it is a list, else raise `StatementError`."""
    if not isinstance(value, list):
        raise StatementError(field, f"expected {expected}, got {found(value)}")
    return value


def texts(value: object, field: str) -> list[str]:
    """Return the value if it is a list of strings, else raise `StatementError`."""
    return [a_text(item, f"{field}[{i}]") for i, item in enumerate(a_list(value, field, "a list of texts"))]


def an_object(value: object, field: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the value if it is an object with these names, else raise `StatementError`."""
    if not isinstance(value, dict):
        expected = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
        raise StatementError(field, f"expected an object with {expected}, got {found(value)}")
    for name in names:
        if name not in value:
            raise StatementError(f"{field}.{name}".lstrip("."), "is missing")
    return value


def a_whole_number(value: object, field: str) -> int:
    """Return the value if it is a whole number of at most 31 bits, else raise `StatementError`."""
    # A bool is an int in Python.
    if not isinstance(value, int) or isinstance(value, bool):
        raise StatementError(field, f"expected a whole number, got {found(value)}")
    if value.bit_length() > 31:
        raise StatementError(field, f"expected a place in a text, got {found(value)}")
    return value


def whole_numbers(value: object, field: str) -> list[int]:
    """Return the value if it is a list of whole numbers, else raise `StatementError`."""
    numbers = a_list(value, field, "a list of whole numbers")
    return [a_whole_number(number, f"{field}[{i}]") for i, number in enumerate(numbers)]


def a_range(value: object, field: str) -> tuple[int, int]:
    """Return the value if it is a list of two whole numbers, else raise `StatementError`."""
    match whole_numbers(value, field):
        case [start, stop]:
            return start, stop
        case numbers:
            raise StatementError(field, f"expected [start, stop), got a list of {len(numbers)}")


def shown(value: object) -> str:
    """Return the beginning of a value's JSON."""
    pieces, length = [], 0
    try:
        for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            pieces.append(piece)
            length += len(piece)
            if length > MAX_CONTENT:
                break
    except (RecursionError, ValueError):
        pieces.append("…")
    return excerpt("".join(pieces), MAX_CONTENT)
