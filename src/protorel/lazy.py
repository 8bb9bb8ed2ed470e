"""Rooms whose names are imported when they are first used, so that `protorel --help` need not wait for torch.

A room lists what it offers as imports for type checkers, and hands the rest to this module:

    if TYPE_CHECKING:
        from protorel.statements.types import Span, Statement

    __all__ = ["Span", "Statement"]
    __getattr__ = lazy_names(__name__)

No name may be that of a module in the room: Python would give the module to whoever asks for the name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which looks a name up under `if TYPE_CHECKING:` and imports it."""
    homes: dict[str, tuple[str, str]] = {}

    def get(name: str) -> Any:
        if not homes:
            homes.update({called: (module, own) for called, module, own in _imports(package)})
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = homes[name]
        found = getattr(import_module(module), own)
        setattr(sys.modules[package], name, found)
        return found

    return get


def _imports(package: str) -> Iterator[tuple[str, str, str]]:
    """Yield the names that a package's source imports for type checkers, each with its module and its name there."""
    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package) if spec and spec.loader else None  # type: ignore[attr-defined]
    if source is None:
        raise ImportError(f"{package}: its source is not there, which says where its names come from")
    for block in ast.parse(source).body:
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    yield from ((one.asname or one.name, line.module, one.name) for one in line.names)
