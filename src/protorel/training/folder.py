"""The folder of a run while it is trained: never written over, and never worked in by two processes at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protorel.statements import BadInput
from protorel.statements.claim import claimed, holder

LOCK = "training.lock"
"""The file by which a process claims a run."""


@contextmanager
def run_folder(out: Path | str, *, resume: bool) -> Iterator[Path]:
    """Make the folder of a new run, or find the run to resume, and hold it until the training has ended."""
    folder = Path(out)
    _check(folder, resume=resume)
    with claimed(folder / LOCK) as mine:
        if not mine:
            raise BadInput(
                f"{folder}: {holder(folder / LOCK)} is training here; wait until it has ended, or choose another --out"
            )
        if not resume and not _is_blank(folder):  # another process may have begun and ended meanwhile
            raise _exists(folder)
        yield folder


def _check(folder: Path, *, resume: bool) -> None:
    if resume:
        if not (folder / "state").is_dir():
            raise BadInput(f"{folder}: there is no run to resume here")
    # Of a folder that is claimed it is known only with the claim whether anybody is at work in it.
    elif folder.exists() and not _is_blank(folder) and not (folder / LOCK).is_file():
        raise _exists(folder)
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "state").mkdir(exist_ok=True)
        except OSError as problem:
            raise BadInput(f"{folder}: cannot write here ({problem.strerror})") from problem


def _exists(folder: Path) -> BadInput:
    return BadInput(f"{folder}: exists already; choose another --out, or go on with it by --resume")


def _is_blank(folder: Path) -> bool:
    """Tell whether a folder holds nothing, or no more than a run leaves that was refused before its first step."""
    return folder.is_dir() and all(
        path.name == LOCK or (path.name == "state" and path.is_dir() and not any(path.iterdir()))
        for path in folder.iterdir()
    )
