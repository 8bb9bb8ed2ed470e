"""How long a command took that made a table, by the clock: one small file a command, so that none is overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from protorel.evaluation import machine
from protorel.io import Stopwatch, write_json
from protorel.model import versions
from protorel_paper.engine.cells import CellFolder, count_cells

FOLDER = "clock"


@contextmanager
def timed(table: str, out: Path, *, processes: int) -> Iterator[None]:
    """Write what the block took and how many cells it made, also where it is stopped; nothing where it made none.

    A kill leaves no file: what a cell itself took stands in the cell.
    """
    began, watch, before = datetime.now(UTC), Stopwatch(), count_cells(out, table)
    ended = "stopped"
    try:
        yield
        ended = "whole"
    finally:
        if made := count_cells(out, table) - before:
            told = {
                "task": "clock",
                "table": table,
                "began": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "seconds": round(watch.seconds, 1),
                "ended": ended,
                "processes": processes,
                "cells": made,
                "cells_before": before,
                "data": CellFolder(out).read(table)[0].get("data", {}),
                "machine": machine(),
                "versions": versions(),
            }
            write_json(out / FOLDER / f"{table}-{began:%Y%m%dT%H%M%SZ}-{os.getpid()}.json", told)
