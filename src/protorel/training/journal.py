"""The journal of a run: one JSON object per step, with the loss, its terms and the speed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from protorel.io import READ_BACK, BadInput, checked, disk_errors, parse_json, write_text

NAME = "journal.jsonl"


class _Line(BaseModel):
    """The fields of every line; each kind of training adds its own."""

    model_config = READ_BACK

    step: int = Field(ge=0)
    terms: dict[str, float] = {}


class Journal:
    """Appends a line per step; a resumed run continues after the checkpoint's step, so no step occurs twice."""

    def __init__(self, folder: Path, *, steps_done: int) -> None:
        self.path = folder / NAME
        kept = [line for line in read_journal(folder) if line["step"] <= steps_done]
        write_text(self.path, "".join(json.dumps(line) + "\n" for line in kept))

    def write(self, line: dict[str, Any]) -> None:
        """Add one step's line."""
        with disk_errors(self.path), self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, allow_nan=False) + "\n")


def read_journal(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a run's journal; incomplete or foreign lines are skipped."""
    path = folder / NAME
    if not path.is_file():
        return
    try:
        lines = path.read_bytes().splitlines()
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read ({problem.strerror or problem})") from problem
    for content in lines:
        with suppress(ValueError):  # includes BadInput
            line = parse_json(content.decode("utf-8"))
            checked(line, _Line, where=NAME)
            yield line
