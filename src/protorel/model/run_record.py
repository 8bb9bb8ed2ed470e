"""The record of a run, `protorel.json`: what a run folder says of itself. Reading it needs no torch."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.io.files import read_json
from protorel.statements import BadInput

RUN_VERSION = 1
RECORD = "protorel.json"
CLASSIFIER = "classifier.safetensors"
"""The file of a run that was tuned on labels."""


def is_run(folder: Path) -> bool:
    """Tell whether a folder is, or is becoming, a run of ours."""
    return (folder / RECORD).is_file() or (folder / "state").is_dir()


def read_record(folder: Path) -> dict[str, Any]:
    """Read a run's record, or say why there is none."""
    if not (folder / RECORD).is_file():
        raise BadInput(f"{folder}: this run has not finished; go on with the command that began it and --resume")
    record = read_json(folder / RECORD)
    if not isinstance(record, dict) or record.get("format") != RUN_VERSION:
        found = record.get("format") if isinstance(record, dict) else type(record).__name__
        raise BadInput(f"{folder / RECORD}: is of run format {found!r}, this protorel reads format {RUN_VERSION}")
    if missing := {"files", "encoder", "max_length"} - record.keys():
        raise BadInput(f"{folder / RECORD}: lacks {', '.join(sorted(missing))}")
    return record


def versions() -> dict[str, str]:
    """Return the versions of what a result depends on, and protorel's own revision where it runs from a checkout."""
    found = {name: version(name) for name in ("protorel", "torch", "transformers", "tokenizers", "numpy")}
    return {**found, "revision": _revision()}


@cache
def _revision() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
