"""Whether a name stands for a model: asked by commands before torch is imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protorel.model.run_record import is_run, read_record
from protorel.model.source import ModelSource
from protorel.statements import BadInput


def check_model(name: str, *, also: Sequence[str] = ()) -> None:
    """Refuse a name that is not a model, see `ModelSource.find`."""
    ModelSource.find(name, also=also)


def check_classifies(name: str) -> None:
    """Refuse a model without a classifier, see `ModelSource.check_classifies`."""
    ModelSource.find(name).check_classifies()


def check_run(folder: Path) -> dict[str, Any]:
    """Return the record of a finished run.

    Raises:
        BadInput: the folder is not there, or is not a finished run.
    """
    if not folder.exists():
        raise BadInput(f"{folder}: expected a run folder; no such folder")
    if not is_run(folder):
        raise BadInput(
            f"{folder}: expected a run folder, got {'a folder' if folder.is_dir() else 'a file'} without a run"
        )
    return read_record(folder)
