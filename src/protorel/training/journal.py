"""The journal: one line a step, so that a run can be watched, drawn and understood afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.io.disk_errors import disk_errors
from protorel.io.files import write_text

NAME = "journal.jsonl"


class Journal:
    """Appends a line for each step; after a resume it goes on where the checkpoint was, with no step twice."""

    def __init__(self, folder: Path, *, steps_done: int) -> None:
        self.path = folder / NAME
        kept = [line for line in read_journal(folder) if line["step"] <= steps_done]
        write_text(self.path, "".join(json.dumps(line) + "\n" for line in kept))

    def write(self, line: dict[str, Any]) -> None:
        """Add one step's line."""
        with disk_errors(self.path), self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, allow_nan=False) + "\n")


def read_journal(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a run's journal; a last line that a kill cut short is passed over."""
    path = folder / NAME
    if not path.is_file():
        return
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        yield line
