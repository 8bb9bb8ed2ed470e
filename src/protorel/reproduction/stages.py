"""Stages of a row: run folders that any table may use, made once for the same recipe, data, budget and seed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.evaluation import machine
from protorel.model import RelationModel
from protorel.model.run_folder import RECORD
from protorel.reproduction.same import check_same
from protorel.statements.files import read_json, write_json
from protorel.training import Watcher

Train = Callable[[Path, bool, Watcher | None], RelationModel]
"""Trains into a folder, from the beginning or on from the last checkpoint."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A training that a row needs: the name of its run folder, all that its weights depend on, and how."""

    name: str
    settings: Mapping[str, Any]
    train: Train


class RunFolders:
    """`runs/NAME` under a folder: finished runs, and those in work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "runs"

    def at(self, stage: Stage) -> Path:
        """Return where the run of a stage stands."""
        return self.folder / stage.name

    def finished(self, stage: Stage) -> bool:
        """Tell whether a stage is done; one that was made with other settings is refused."""
        self.check(stage)
        return (self.at(stage) / RECORD).is_file()

    def check(self, stage: Stage) -> None:
        """Refuse a run that was begun with other settings."""
        note = self._note(stage)
        if note.is_file():
            check_same(read_json(note)["settings"], stage.settings, what=f"{self.at(stage)}: this run")

    def make(self, stage: Stage, watch: Watcher | None) -> None:
        """Train a stage to its end, going on where it was stopped; its checkpoint is of no use afterwards."""
        run, note = self.at(stage), self._note(stage)
        resume = _has_checkpoint(run)
        before = read_json(note)["seconds"] if resume and note.is_file() else 0.0
        if not resume:
            shutil.rmtree(run, ignore_errors=True)  # killed before its first checkpoint
        said = {"name": stage.name, "settings": stage.settings, "machine": machine()}
        write_json(note, {**said, "seconds": before})
        began = time.monotonic()
        try:
            stage.train(run, resume, watch)
        except BaseException:
            if not _has_checkpoint(run):
                note.unlink()  # nothing was begun, so nothing is bound to these settings
            raise
        finally:
            if note.is_file():
                write_json(note, {**said, "seconds": round(before + time.monotonic() - began, 1)})
        shutil.rmtree(run / "state", ignore_errors=True)

    def described(self, stage: Stage) -> dict[str, Any]:
        """Say how long a finished stage took, and on which machine; what a kill cut off is not counted."""
        note = read_json(self._note(stage))
        return {"name": stage.name, "seconds": note["seconds"], "machine": note["machine"]}

    def _note(self, stage: Stage) -> Path:
        """Return the file beside a run that says what it was begun with."""
        return self.folder / f"{stage.name}.json"


def _has_checkpoint(run: Path) -> bool:
    return any((run / "state").glob("step-*"))
