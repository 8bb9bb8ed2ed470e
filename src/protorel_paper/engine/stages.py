"""Trainings that several results share: run folders, made once for the same recipe, data, budget and seed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from protorel.evaluation import machine
from protorel.io import READ_BACK, read_model, write_json
from protorel.model import RECORD, RelationModel, read_record
from protorel.training import Watcher, check_recipe, check_same, has_checkpoint

Train = Callable[[Path, bool, Watcher | None], RelationModel]
"""Trains into a folder, from the start or from the last checkpoint."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A training that a result needs: its run folder, everything its weights depend on, and how to train."""

    name: str
    settings: Mapping[str, Any]
    train: Train


class Note(BaseModel):
    """Contents of the file next to a run: what the run was started with."""

    model_config = READ_BACK

    settings: dict[str, Any]
    machine: dict[str, Any] = {}
    seconds: float = 0.0


class RunFolders:
    """`runs/NAME` in an output folder: finished runs, and those in progress."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "runs"

    def at(self, stage: Stage) -> Path:
        """Return the run folder of a stage."""
        return self.folder / stage.name

    def finished(self, stage: Stage) -> bool:
        """Return whether a stage is done; refuse one that was made with other settings."""
        self.check(stage)
        return (self.at(stage) / RECORD).is_file()

    def check(self, stage: Stage) -> None:
        """Refuse a run that was started with other settings, or finished by a version with other defaults."""
        note, record, what = self._note(stage), self.at(stage) / RECORD, f"{self.at(stage)}: this run"
        if note.is_file():
            check_same(read_model(note, Note).settings, stage.settings, what=what)
        if record.is_file():
            check_recipe(read_record(self.at(stage)).get("recipe") or {}, stage.settings, what=what)

    def make(self, stage: Stage, watch: Watcher | None) -> None:
        """Train a stage to its end, resuming from its last checkpoint."""
        run, note = self.at(stage), self._note(stage)
        resume = has_checkpoint(run / "state")
        if not resume:
            shutil.rmtree(run, ignore_errors=True)  # killed before its first checkpoint
        write_json(note, {"name": stage.name, "settings": stage.settings, "machine": machine()})
        try:
            stage.train(run, resume, watch)
        except BaseException:
            if not has_checkpoint(run / "state"):
                note.unlink()  # nothing was started, so nothing is bound to these settings
            raise

    def described(self, stage: Stage) -> dict[str, Any]:
        """Return how long a finished stage took, over all its restarts, and on which machine."""
        note, record = read_model(self._note(stage), Note), read_record(self.at(stage))
        # Older versions kept the seconds in the note, not in the run.
        seconds = note.seconds if record.get("seconds") is None else record["seconds"]
        return {"name": stage.name, "seconds": seconds, "machine": note.machine}

    def _note(self, stage: Stage) -> Path:
        """Return the file next to a run that says what it was started with."""
        return self.folder / f"{stage.name}.json"
