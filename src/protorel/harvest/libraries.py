"""Optional libraries of the extra `harvest`, and the memory limit that DuckDB takes."""

from __future__ import annotations

import importlib
import re
from typing import Any

from protorel.io import BadInput, check_type

LEAST_MEMORY = 64_000_000
"""The least memory, in bytes, with which DuckDB can sort and join."""
_SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([KMGT]?)(i?)B", re.IGNORECASE)


def library(name: str, *, extra: str = "harvest") -> Any:
    """Import a library of an extra; raise `BadInput` with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise BadInput(f"this needs {name}; install it with: pip install 'protorel[{extra}]'") from problem


def memory_bound(given: str, *, least: int = LEAST_MEMORY) -> str:
    """Return a memory limit as DuckDB takes it, or raise `BadInput` if it is malformed or less than `least` bytes.

    >>> memory_bound("2 gb")
    '2GB'
    """
    check_type(given, str, where="memory", expected="a number and a unit, such as 2GB or 500MB")
    match = _SIZE.fullmatch(given.strip())
    if match is None:
        raise BadInput(f"memory: expected a number and a unit, such as 2GB or 500MB, got {given[:40]!r}")
    number, unit, binary = match.groups()
    size = float(number) * (1024 if binary else 1000) ** ("KMGT".index(unit.upper()) + 1 if unit else 0)
    if not least <= size < 2**60:
        raise BadInput(f"memory: expected at least {least // 10**6}MB, got {given[:40]!r}")
    return f"{number}{unit.upper()}{'i' if binary else ''}B"
