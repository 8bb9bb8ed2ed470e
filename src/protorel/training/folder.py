"""The folder of a run while it is trained: never written over, never shared by two processes, never left empty."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from protorel.io import claimed, disk_errors, holder
from protorel.model import RECORD
from protorel.statements import BadInput, WorkFailed
from protorel.training.checkpoint import has_checkpoint

LOCK = "training.lock"
"""The file by which a process claims a run."""
_GOING = ".state.part"
"""The name of a checkpoint's folder while it is removed."""


@contextmanager
def run_folder(out: Path | str, *, resume: bool, keep_state: bool = False) -> Iterator[Path]:
    """Make the folder of a new run, or find the run to resume, and hold it until the training has ended.

    When the run has finished, its checkpoint is removed, unless `keep_state` is set. A new run that fails before its
    first checkpoint leaves nothing: the folders that were made for it are removed.
    """
    folder = Path(out)
    made = _prepare(folder, resume=resume)
    try:
        with claimed(folder / LOCK) as mine:
            if not mine:
                who = holder(folder / LOCK)
                raise BadInput(f"{folder}: {who} is training here; wait until it has ended, or choose another --out")
            if not resume and not _is_blank(folder):  # another process may have begun and ended meanwhile
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
    """Tell whether a run has been trained to its end: its record is written last."""
    return (folder / RECORD).is_file()


def _prepare(folder: Path, *, resume: bool) -> list[Path]:
    """Check that a run can be trained in a folder, and return the folders that had to be made, outermost first."""
    if resume:
        if not (folder / "state").is_dir() and not is_finished(folder):
            raise BadInput(f"{folder}: there is no run to resume here")
        return []
    # Of a folder that is claimed it is known only with the claim whether anybody is at work in it.
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
    """Remove the checkpoint of a finished run, and what a kill in the middle of such a removal has left.

    The record is written before, so a run that is killed here has finished all the same. What is kept by choice is
    never half removed: the folder loses its name first.
    """
    going = folder / _GOING
    shutil.rmtree(going, ignore_errors=True)
    if not keep and (folder / "state").is_dir():
        with suppress(OSError):
            (folder / "state").rename(going)
        shutil.rmtree(going, ignore_errors=True)


def _remove_empty(made: list[Path]) -> None:
    """Remove folders, innermost first, as far as they are empty: another process may have put something there."""
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _exists(folder: Path) -> BadInput:
    return BadInput(f"{folder}: exists already; choose another --out, or go on with it by --resume")


def _is_blank(folder: Path) -> bool:
    """Tell whether a folder holds nothing, or no more than a run leaves that was killed before its first step."""
    return folder.is_dir() and all(
        path.name == LOCK or (path.name == "state" and path.is_dir() and not any(path.iterdir()))
        for path in folder.iterdir()
    )
