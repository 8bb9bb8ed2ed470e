"""Parsing JSON from untrusted files within bounds.

A short file can nest deeper than Python's stack, or hold a number that cannot be printed. Such files are refused with
a reason in one line; `yaml_text.py` does the same for YAML.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from protorel.io.display import shown

DEEPEST = 50
"""The deepest nesting of lists and mappings; our own files have at most ten levels."""
MOST_DIGITS = 20
"""The longest whole number, in characters: a signed 64-bit number."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""A surrogate, escaped as in JSON: half of a character beyond 16 bits."""


def parse_json(text: str) -> Any:
    """Parse JSON, or raise a `ValueError` of one line.

    NaN, duplicate names, deep nesting and huge numbers are refused. If the text is not JSON, the cause of the error is
    the `json.JSONDecodeError`.
    """
    try:
        value = json.loads(
            text,
            parse_constant=no_constant,
            parse_int=_whole_number,
            parse_float=_number,
            object_pairs_hook=no_name_twice,
        )
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"is not valid JSON ({problem})") from problem
    if _is_deep(value):
        raise ValueError("is nested too deeply")
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as problem:
            half = ord(problem.object[problem.start])
            raise ValueError(f"has a lone surrogate (U+{half:04X}), which cannot be written") from None
    return value


def _is_deep(value: Any) -> bool:
    """Tell whether a parsed value is nested beyond the bound; level by level, without recursion."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, (list, dict))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return any(isinstance(one, (list, dict)) for one in level)


def _whole_number(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(too_long(text))
    return int(text)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"holds a number that is too large ({shown(text)})")
    return number


def too_long(text: str) -> str:
    """Return the message for a whole number with too many digits."""
    return f"holds a whole number of {len(text)} digits, expected at most {MOST_DIGITS}"


def no_constant(name: str) -> NoReturn:
    """Raise `ValueError` for NaN and Infinity; the `parse_constant` of `json.loads`."""
    raise ValueError(f"has {name}, which is not valid JSON")


def no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, or raise `ValueError` if it has a name twice; the `object_pairs_hook` of `json.loads`."""
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"names {shown(twice)} twice in one object")
    return values
