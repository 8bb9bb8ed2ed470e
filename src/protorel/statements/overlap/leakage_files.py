"""The comparison of two data sets: its result as JSON, and the remainder as Parquet."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.io import BadInput
from protorel.statements.data_set import DataSet
from protorel.statements.equivalents import Equivalents
from protorel.statements.normal_text import writable
from protorel.statements.overlap.leakage import find_leakage
from protorel.statements.overlap.leakage_result import Example, Leakage
from protorel.statements.overlap.near_duplicates import DEFAULT_SETTINGS
from protorel.statements.storage import write_statements
from protorel.statements.types import Statement

_EXCERPT = 300
"""The longest text of an example, in characters."""


def compare(train: DataSet, test: DataSet, *, equivalents: Equivalents, strict: Path | None = None) -> Leakage:
    """Return what two data sets share; check first that the remainder can be written to `strict`."""
    if strict is not None:
        _check_place(strict, train, test)
    found = find_leakage(train.source(), test.source(), equivalents=equivalents)
    for data, count in ((train, found.train), (test, found.test)):
        if not count:
            raise BadInput(f"{data.path or data.name}: expected statements to compare, got none")
    return found


def write_strict(found: Leakage, train: DataSet, path: Path) -> int:
    """Write the training statements that share nothing, atomically; return their number."""
    if not found.left:
        raise BadInput(
            f"{path}: not written, since each of the {found.train} statements of {train.name} shares something"
        )
    return write_statements(found.remainder(train.source()), path)


def leakage_json(found: Leakage, train: DataSet, test: DataSet, *, equivalents: Equivalents) -> dict[str, Any]:
    """Return a comparison as `--json` writes it; data sets have a name and a fingerprint, never a path."""
    return {
        "task": "leakage",
        "data": {"train": train.described(), "test": test.described()},
        **found.counts(),
        "relations": [{**asdict(pair), "train": _cut(pair.train), "test": _cut(pair.test)} for pair in found.relations],
        "examples": {kind: [_example(one) for one in examples] for kind, examples in found.examples.items()},
        "settings": settings_json(equivalents),
        "machine": {"system": platform.system(), "python": platform.python_version()},
        "versions": {name: version(name) for name in ("protorel", "datasketch", "numpy")},
    }


def settings_json(equivalents: Equivalents) -> dict[str, Any]:
    """Return the settings that define when two things are the same."""
    return {"near_duplicates": asdict(DEFAULT_SETTINGS), "equivalents": equivalents.fingerprint}


def _example(example: Example) -> dict[str, Any]:
    return {"train": _shown(example.train), "test": _shown(example.test), "likeness": example.likeness}


def _shown(statement: Statement) -> dict[str, Any]:
    return {
        "id": _cut(statement.id),
        "relation": _cut(statement.relation) if statement.relation is not None else None,
        "head": _cut(statement.head_text),
        "tail": _cut(statement.tail_text),
        "text": _cut(statement.text),
    }


def _cut(text: str) -> str:
    return writable(text, limit=_EXCERPT)


def _check_place(path: Path, *inputs: DataSet) -> None:
    if path.suffix != ".parquet":
        raise BadInput(f"{path}: expected a name that ends in .parquet")
    if path.is_dir():
        raise BadInput(f"{path}: expected a file name, got a folder")
    for data in inputs:
        if data.path is not None and data.path.resolve() in (path.resolve(), path.resolve().parent):
            raise BadInput(f"{path}: would overwrite or extend {data.name}. Choose another place.")
