"""JSON checked against a pydantic model; a mistake is one line with file and field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from protorel.io.display import kind, printable, shown
from protorel.io.errors import BadInput
from protorel.io.files import read_json

READ_BACK = ConfigDict(extra="allow", allow_inf_nan=False)
"""For models of files that protorel wrote: fields of a newer version are kept."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Model = TypeVar("_Model")
_KINDS = {
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "list_type": "a list",
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}
"""The types that pydantic expects, in words."""


def read_model(path: Path, model: type[_Model]) -> _Model:
    """Return the content of a JSON file as an instance of a model, or raise `BadInput` with the first wrong field.

    Types are strict: `"64"`, `64.5` and `true` are not whole numbers.
    """
    return checked(read_json(path), model, where=str(path))


def checked(value: Any, model: type[_Model], *, where: str) -> _Model:
    """Return a parsed value as an instance of a model, or raise `BadInput`; `where` is its place, for messages."""
    try:
        fitting: _Model = _adapter(cast(Any, model)).validate_python(value, strict=True)
    except ValidationError as problem:
        raise BadInput(f"{where}: {first_problem(problem)}") from problem
    except RecursionError:
        raise BadInput(f"{where}: is nested too deeply") from None
    return fitting


def first_problem(problem: ValidationError) -> str:
    """Return the first validation error: the field, what was expected, and what was found."""
    first = problem.errors(include_url=False)[0]
    field = _field(first["loc"])
    if first["type"] == "missing":
        return f"lacks {field}"
    found = kind(first["input"]) if isinstance(first["input"], (dict, list)) else shown(first["input"])
    return f"{field}{': ' if field else ''}expected {_expected(first)}, got {found}"


def _expected(first: ErrorDetails) -> str:
    """Return in words what pydantic expected."""
    if first["type"] == "union_tag_invalid":  # its message repeats the input
        return f"one whose {first['ctx']['discriminator']} is among {first['ctx']['expected_tags']}"
    message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    return _KINDS.get(first["type"]) or message.removeprefix("input should be ").removeprefix("value error, ")


def _field(place: Sequence[str | int]) -> str:
    """Return the path of a field in dot notation: `leakage.apart_from[0].name`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{printable(part)}" for part in place)
    return "".join(parts).removeprefix(".")


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)
