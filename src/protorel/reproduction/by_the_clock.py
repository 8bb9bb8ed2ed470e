"""How long a command took that made a table, by the clock: one small file a command, so that none is overwritten."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from protorel.evaluation import machine
from protorel.statements.files import write_json

FOLDER = "clock"


@contextmanager
def timed(table: str, out: Path, *, processes: int, cells: Callable[[], int]) -> Iterator[None]:
    """Write what the block took and how many cells it made, also where it is stopped; nothing where it made none.

    A kill leaves no file: what a cell itself took stands in the cell.
    """
    began, started, before = datetime.now(UTC), time.monotonic(), cells()
    whole = False
    try:
        yield
        whole = True
    finally:
        made = cells() - before
        if made:
            told = {
                "task": "clock",
                "table": table,
                "began": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "seconds": round(time.monotonic() - started, 1),
                "cells": made,
                "cells_before": before,
                "processes": processes,
                "ended": "whole" if whole else "stopped",
                "machine": machine(),
            }
            write_json(out / FOLDER / f"{table}-{began:%Y%m%dT%H%M%SZ}-{os.getpid()}.json", told)
