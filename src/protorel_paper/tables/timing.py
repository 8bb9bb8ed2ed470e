"""Wall-clock time of a command that makes a table: one small file per command, so that none is overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from protorel.io import Stopwatch, write_json
from protorel_paper.engine import provenance
from protorel_paper.tables.cells import cells_of

FOLDER = "clock"


@contextmanager
def timed(table: str, out: Path, *, processes: int) -> Iterator[None]:
    """Write how long the block took and how many cells it made, even if it is stopped; nothing if it made none.

    A kill leaves no file; the time of a cell is in the cell.
    """
    cells = cells_of(table)
    began, watch, before = datetime.now(UTC), Stopwatch(), cells.count(out)
    ended = "stopped"
    try:
        yield
        ended = "whole"
    finally:
        if made := cells.count(out) - before:
            first = next(iter(cells.read(out).values()))
            record = {
                "task": "clock",
                "table": table,
                "began": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "seconds": round(watch.seconds, 1),
                "ended": ended,
                "processes": processes,
                "cells": made,
                "cells_before": before,
                "data": first.get("data", {}),
                **provenance(),
            }
            write_json(out / FOLDER / f"{table}-{began:%Y%m%dT%H%M%SZ}-{os.getpid()}.json", record)
