"""Checkpoints: written atomically next to the previous one, checked when read, never pickled."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from safetensors.torch import save_file
from torch import Tensor

from protorel.encoders import read_tensors
from protorel.io import READ_BACK, Sha256, read_model, remove_leftovers, sha256, write_json, written_whole
from protorel.model import Count, FileName, Seconds, check_hash
from protorel.statements import BadInput, WorkFailed

_NAME = re.compile(r"step-(\d{1,18})")


class _Settings(BaseModel):
    """The settings of a run that are read by name; a resumed run is compared with all of them."""

    model_config = READ_BACK

    recipe: dict[str, Any] = {}
    data: str | None = None
    tokenizer: str | None = None


class _Record(BaseModel):
    """The content of checkpoint.json."""

    model_config = READ_BACK

    step: Count
    settings: _Settings
    files: dict[FileName, Sha256]
    seconds: Seconds = 0.0
    """Not in older checkpoints."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All that an exact resume needs; randomness is a function of seed and step, so no generator is saved."""

    step: int
    tensors: Mapping[str, Mapping[str, Tensor]]
    """Tensors by name for each part: encoder, objective, optimiser, learning (the training dynamics)."""
    settings: Mapping[str, Any]
    """The settings of the run; a resumed run must have the same."""
    seconds: float = 0.0
    """Seconds of training up to this step."""


def save_checkpoint(checkpoint: Checkpoint, folder: Path) -> Path:
    """Write a checkpoint into the `state` folder, then remove older ones and partial files of a killed run."""
    target = folder / f"step-{checkpoint.step:07d}"
    shutil.rmtree(target, ignore_errors=True)
    try:
        with written_whole(target) as temporary:
            _write(checkpoint, temporary)
    except (BadInput, WorkFailed) as problem:
        raise type(problem)(f"{problem}; the previous checkpoint is kept") from problem
    for step, path in _found(folder):
        if step < checkpoint.step:
            shutil.rmtree(path)
    remove_leftovers(folder)
    return target


def _write(checkpoint: Checkpoint, folder: Path) -> None:
    folder.mkdir(parents=True)
    for part, tensors in checkpoint.tensors.items():
        plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        save_file(plain, folder / f"{part}.safetensors")
    hashes = {path.name: sha256(path) for path in sorted(folder.iterdir())}
    record = {"step": checkpoint.step, "settings": dict(checkpoint.settings), "files": hashes}
    write_json(folder / "checkpoint.json", {**record, "seconds": checkpoint.seconds})


def load_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the newest checkpoint of a `state` folder, or None if there is none yet."""
    found = _found(folder)
    if not found:
        return None
    step, newest = found[-1]
    record = read_model(newest / "checkpoint.json", _Record)
    if record.step != step:
        raise BadInput(
            f"{newest / 'checkpoint.json'}: step: expected {step} as in the folder's name, got {record.step}"
        )
    tensors: dict[str, dict[str, Tensor]] = {}
    for name, expected in record.files.items():
        check_hash(newest / name, expected, of="checkpoint")
        tensors[Path(name).stem] = read_tensors(newest / name)
    return Checkpoint(record.step, tensors, _plain(record.settings), record.seconds)


def checkpoint_settings(folder: Path) -> Mapping[str, Any] | None:
    """Return the settings of the run of a `state` folder, or None if it has no checkpoint yet."""
    found = _found(folder)
    return _plain(read_model(found[-1][1] / "checkpoint.json", _Record).settings) if found else None


def _plain(settings: _Settings) -> dict[str, Any]:
    return settings.model_dump(exclude_unset=True)


def has_checkpoint(folder: Path) -> bool:
    """Tell whether a `state` folder holds a checkpoint."""
    return bool(_found(folder))


def _found(folder: Path) -> list[tuple[int, Path]]:
    if not folder.is_dir():
        return []
    named = ((match, path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name)))
    return sorted((int(match.group(1)), path) for match, path in named)
