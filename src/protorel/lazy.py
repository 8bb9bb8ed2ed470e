"""Rooms whose names are imported when they are first used, so that `protorel --help` need not wait for torch.

A room lists what it offers as imports for type checkers, and hands the rest to this module:

    if TYPE_CHECKING:
        from protorel.statements.types import Span, Statement

    __all__ = ["Span", "Statement"]
    __getattr__ = lazy_names(__name__)

No name may be that of a module in the room: Python would give the module to whoever asks for the name. A name that
was renamed works for one release: `lazy_names(__name__, renamed={"judge": "evaluate"})` warns and gives the new one.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, *, renamed: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which looks a name up under `if TYPE_CHECKING:` and imports it.

    Args:
        package: The package's `__name__`.
        renamed: New names by old ones. An old name gives the thing of the new name, or its own where the package
            imports that too (for a function whose arguments changed), and a `FutureWarning` that says the new name.
    """
    homes: dict[str, tuple[str, str]] = {}

    def get(name: str) -> Any:
        if not homes:
            homes.update({called: (module, own) for called, module, own in _imports(package)})
        if renamed and name in renamed:
            warnings.warn(f"{package}.{name} is now {package}.{renamed[name]}", FutureWarning, stacklevel=2)
            module, own = homes.get(name) or homes[renamed[name]]
            return getattr(import_module(module), own)
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
