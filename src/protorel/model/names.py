"""Whether a name stands for a model: asked by commands before torch is imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protorel.encoders import locate
from protorel.model.run_record import CLASSIFIER, is_run, read_record
from protorel.statements import BadInput


def check_model(name: str, *, also: Sequence[str] = ()) -> None:
    """Refuse what is neither a finished run, nor an encoder by name, folder or hub id, nor one of the names in `also`.

    Raises:
        BadInput: there is no such model.
    """
    if name in also:
        return
    if is_run(Path(name)):
        read_record(Path(name))
    else:
        locate(name, also=also)


def check_classifies(name: str) -> None:
    """Refuse a model without a classifier.

    Raises:
        BadInput: there is no such model, or it was not tuned on labels.
    """
    check_model(name)
    if not is_run(Path(name)) or CLASSIFIER not in read_record(Path(name))["files"]:
        raise BadInput(f"{name}: has no classifier; `protorel finetune … --model {name}` makes a run that has one")


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
