"""The folder of a run: never overwritten, never shared by two processes, never left empty; a finished run is reused."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from protorel.io import as_path, checked, claimed, disk_errors, holder, shown
from protorel.model import RECORD, RelationModel, TrainedRecord, read_record
from protorel.recipes import TrainingSettings
from protorel.statements import BadInput, WorkFailed
from protorel.training.checkpoint import has_checkpoint
from protorel.training.settings_match import check_recipe, recipe_settings

LOCK = "training.lock"
"""The file by which a process claims a run."""
_GOING = ".state.part"
"""The name of a checkpoint's folder while it is removed."""
_LOGGER = logging.getLogger("protorel")


@contextmanager
def run_folder(out: Path | str, *, resume: bool, keep_state: bool = False) -> Iterator[Path]:
    """Make the folder of a new run, or open that of a run to resume, and lock it until the training ends.

    The checkpoint of a finished run is removed unless `keep_state` is set. A new run that fails before its first
    checkpoint leaves nothing: the folders that were made for it are removed.
    """
    folder = as_path(out, "out", expected="a folder")
    made = _prepare(folder, resume=resume)
    try:
        with claimed(folder / LOCK) as mine:
            if not mine:
                who = holder(folder / LOCK)
                raise BadInput(f"{folder}: {who} is training here. Wait until it ends, or choose another --out")
            if not resume and not _is_blank(folder):  # another process may have started and ended in the meantime
                raise _exists(folder)
            finished_before = is_finished(folder)
            try:
                if not resume:
                    _make(folder / "state")
                yield folder
            except BaseException:
                if not resume and not has_checkpoint(folder / "state"):
                    shutil.rmtree(folder / "state", ignore_errors=True)
                raise
            if is_finished(folder):
                _remove_state(folder, keep=keep_state or finished_before)
    except BaseException:
        _remove_empty(made)
        raise


def is_finished(folder: Path) -> bool:
    """Tell whether a run is complete: its record is written last."""
    return (folder / RECORD).is_file()


def finished_model(folder: Path, recipe: TrainingSettings, *, keep_statements: bool = False) -> RelationModel:
    """Load a finished run, and log that there is nothing left to do.

    Raises `BadInput` if the run was made with another recipe; the data are not read again, so that training statements
    are not kept afterwards, which a warning says.
    """
    record, what = read_record(folder), f"{folder}: this run"
    then, now = record.get("recipe"), recipe.model_dump(mode="json")
    if then is None:
        raise BadInput(f"{what} was not made by `protorel pretrain` or `protorel finetune`, so it cannot be resumed")
    checked(record, TrainedRecord, where=str(folder / RECORD))
    if ("kind" in then) != ("kind" in now):
        command = "finetune" if "kind" in then else "pretrain"
        raise BadInput(f"{what} was made by `protorel {command}`. Resume it with the same command")
    if then.get("encoder") != now["encoder"]:
        raise BadInput(f"{what} was made with encoder={shown(then.get('encoder'))}, got {now['encoder']!r}")
    # The best precision depends on the machine.
    recorded = {key: value for key, value in then.items() if key != "precision"}
    check_recipe(recorded, recipe_settings(recipe, without=["precision"]), what=what)
    _LOGGER.info("%s: finished already (%s steps); nothing to do", folder, record["results"].get("steps", 0))
    model = RelationModel.from_pretrained(folder)
    if keep_statements and model.training_statements is None:
        _LOGGER.warning(
            "%s: finished without training statements. To keep them, train it again in another --out", folder
        )
    return model


def _prepare(folder: Path, *, resume: bool) -> list[Path]:
    """Check that a run can be trained in a folder, make it, and return the new folders, outermost first."""
    if resume:
        if not (folder / "state").is_dir() and not is_finished(folder):
            raise BadInput(f"{folder}: expected a run to resume, got none. Leave --resume out to start one")
        return []
    # Whether a process works in a folder with a lock is known only once we hold the lock.
    if folder.exists() and not _is_blank(folder) and not (folder / LOCK).is_file():
        raise _exists(folder)
    missing = [path for path in reversed([folder, *folder.parents]) if not path.exists()]
    try:
        _make(folder)
    except (BadInput, WorkFailed):
        _remove_empty(missing)
        raise
    return missing


def _make(folder: Path) -> None:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)


def _remove_state(folder: Path, *, keep: bool) -> None:
    """Remove the checkpoint of a finished run, and what an interrupted removal left.

    The record is already written, so a run that is killed here is finished. The folder is renamed first, so that a
    checkpoint is never half removed.
    """
    going = folder / _GOING
    shutil.rmtree(going, ignore_errors=True)
    if not keep and (folder / "state").is_dir():
        with suppress(OSError):
            (folder / "state").rename(going)
        shutil.rmtree(going, ignore_errors=True)


def _remove_empty(made: list[Path]) -> None:
    """Remove folders, innermost first, if they are empty: another process may have written there."""
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _exists(folder: Path) -> BadInput:
    return BadInput(f"{folder}: exists already. Choose another --out, or continue with --resume")


def _is_blank(folder: Path) -> bool:
    """Tell whether a folder is empty, or holds no more than a run that was killed before its first step leaves."""
    return folder.is_dir() and all(
        path.name == LOCK or (path.name == "state" and path.is_dir() and not any(path.iterdir()))
        for path in folder.iterdir()
    )
