"""Values out of somebody else's JSON: each is checked where it enters, and refused with what was found and wanted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from protorel.corpora.rejects import MAX_CONTENT, excerpt
from protorel.io import no_constant, no_name_twice
from protorel.statements import StatementError


def parse_json(text: str) -> Any:
    """Parse JSON strictly, or raise a `ValueError` of one line: no NaN, no name twice in one object."""
    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_name_twice)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"is not whole JSON ({problem})") from None


def found(value: object) -> str:
    """Say in a few words what a value is."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            # An int of thousands of digits cannot even be turned into a text.
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
    """Return the value if it is a text that can be stored, else raise `StatementError`."""
    if not isinstance(value, str):
        raise StatementError(field, f"is {found(value)}, a text is wanted")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise StatementError(
            field, f"holds half a character (U+{ord(value[problem.start]):04X}) at {problem.start}"
        ) from None
    return value


def a_list(value: object, field: str, wanted: str) -> list[Any]:
    """Return the value if it is a list, else raise `StatementError`."""
    if not isinstance(value, list):
        raise StatementError(field, f"is {found(value)}, {wanted} is wanted")
    return value


def texts(value: object, field: str) -> list[str]:
    """Return the value if it is a list of texts, else raise `StatementError`."""
    return [a_text(item, f"{field}[{i}]") for i, item in enumerate(a_list(value, field, "a list of texts"))]


def an_object(value: object, field: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the value if it is an object that has these names, else raise `StatementError`."""
    if not isinstance(value, dict):
        wanted = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
        raise StatementError(field, f"is {found(value)}, an object with {wanted} is wanted")
    for name in names:
        if name not in value:
            raise StatementError(f"{field}.{name}".lstrip("."), "is missing")
    return value


def a_whole_number(value: object, field: str) -> int:
    """Return the value if it is a whole number that a text may have places for, else raise `StatementError`."""
    # JSON's true is an int to Python.
    if not isinstance(value, int) or isinstance(value, bool):
        raise StatementError(field, f"is {found(value)}, a whole number is wanted")
    if value.bit_length() > 31:
        raise StatementError(field, f"is {found(value)}, no text has so many places")
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
            raise StatementError(field, f"is a list of {len(numbers)}, [start, stop) is wanted")


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
