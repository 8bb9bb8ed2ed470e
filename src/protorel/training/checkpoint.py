"""Checkpoints: written beside the old one and renamed into place, checked when read, never pickled."""

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
    """What a run was started with, as far as it is read by name; all of it is compared with what a resume is given."""

    model_config = READ_BACK

    recipe: dict[str, Any] = {}
    data: str | None = None
    tokenizer: str | None = None


class _Record(BaseModel):
    """What checkpoint.json says."""

    model_config = READ_BACK

    step: Count
    settings: _Settings
    files: dict[FileName, Sha256]
    seconds: Seconds = 0.0
    """An older version said nothing of the time."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All that an exact resume needs: randomness is a function of seed and step, so no generator is kept."""

    step: int
    tensors: Mapping[str, Mapping[str, Tensor]]
    """For each part (encoder, objective, optimiser, learning) its tensors by name."""
    settings: Mapping[str, Any]
    """What the run was started with; a resume must be started with the same."""
    seconds: float = 0.0
    """How long it took to come here."""


def save_checkpoint(checkpoint: Checkpoint, folder: Path) -> Path:
    """Write a checkpoint into the `state` folder, then remove older ones and what a kill left half written."""
    target = folder / f"step-{checkpoint.step:07d}"
    shutil.rmtree(target, ignore_errors=True)
    try:
        with written_whole(target) as beside:
            _write(checkpoint, beside)
    except (BadInput, WorkFailed) as problem:
        raise type(problem)(f"{problem}; the checkpoint before it is kept") from problem
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
    """Read the newest checkpoint of a `state` folder, or return None where there is none yet."""
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
    for name, wanted in record.files.items():
        check_hash(newest / name, wanted, of="checkpoint")
        tensors[Path(name).stem] = read_tensors(newest / name)
    return Checkpoint(record.step, tensors, _plain(record.settings), record.seconds)


def checkpoint_settings(folder: Path) -> Mapping[str, Any] | None:
    """Return what the run of a `state` folder was started with, or None where it has no checkpoint yet."""
    found = _found(folder)
    return _plain(read_model(found[-1][1] / "checkpoint.json", _Record).settings) if found else None


def _plain(settings: _Settings) -> dict[str, Any]:
    return settings.model_dump(exclude_unset=True)


def has_checkpoint(folder: Path) -> bool:
    """Tell whether a `state` folder holds a checkpoint to go on from."""
    return bool(_found(folder))


def _found(folder: Path) -> list[tuple[int, Path]]:
    if not folder.is_dir():
        return []
    named = ((match, path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name)))
    return sorted((int(match.group(1)), path) for match, path in named)
