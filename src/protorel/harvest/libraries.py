"""The libraries of the extra `harvest`, asked for where they are first used."""

from __future__ import annotations

import importlib
from typing import Any

from protorel.statements import BadInput


def library(name: str, *, extra: str = "harvest") -> Any:
    """Import a library of an extra, or say which extra to install."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise BadInput(f"this needs {name}; install it by: pip install 'protorel[{extra}]'") from problem
