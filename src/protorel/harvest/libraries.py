"""The libraries of the extra `harvest`, asked for where they are first used."""

from __future__ import annotations

import importlib
import re
from typing import Any

from protorel.io import BadInput

LEAST_MEMORY = 64_000_000
"""The least memory, in bytes, with which DuckDB can sort and join at all."""
_SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([KMGT]?)(i?)B", re.IGNORECASE)


def library(name: str, *, extra: str = "harvest") -> Any:
    """Import a library of an extra, or say which extra to install."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise BadInput(f"this needs {name}; install it by: pip install 'protorel[{extra}]'") from problem


def memory_bound(given: str) -> str:
    """Return a bound of memory as DuckDB takes it, such as `2GB`, or raise `BadInput`."""
    match = _SIZE.fullmatch(given.strip())
    if match is None:
        raise BadInput(f"memory: expected a number and a unit, such as 2GB or 500MB, got {given[:40]!r}")
    number, unit, binary = match.groups()
    size = float(number) * (1024 if binary else 1000) ** ("KMGT".index(unit.upper()) + 1 if unit else 0)
    if not LEAST_MEMORY <= size < 2**60:
        raise BadInput(f"memory: expected at least {LEAST_MEMORY // 10**6}MB, got {given[:40]!r}")
    return f"{number}{unit.upper()}{'i' if binary else ''}B"
