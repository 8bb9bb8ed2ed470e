"""Working through the cells of a table: those that are there are kept, the rest are made one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.evaluation import machine
from protorel.io import Stopwatch, claimed
from protorel.model import versions
from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel.training import Watcher
from protorel_paper.engine.cells import CellFolder, CellPlan
from protorel_paper.engine.stages import RunFolders

Watching = Callable[[str], AbstractContextManager[Watcher | None]]
"""Is told what is trained now, and gives a watcher for it."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who is told how the work goes; by default nobody."""

    watching: Watching = lambda _line: nullcontext()
    trained: Callable[[Path], None] = lambda _run: None
    """Is given the folder of every run that was finished."""
    finished: Callable[[CellPlan, Mapping[str, Any]], None] = lambda _plan, _cell: None
    """Is given every cell that was finished."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What came of working through a table."""

    made: int
    elsewhere: tuple[str, ...]
    """Rows that another process is making."""
    failed: tuple[str, ...] = ()
    """Rows that could not be made, and why."""
    notes: tuple[str, ...] = ()
    """What somebody who looks for the results must know."""


def make_cells(plans: Sequence[CellPlan], out: Path, *, audience: Audience) -> Progress:
    """Make the cells that are missing; what was made with other settings is refused before the long work begins.

    A row that cannot be made does not stop the others.
    """
    folder, runs = CellFolder(out), RunFolders(out)
    folder.check(plans)
    for stage in {stage.name: stage for plan in plans for stage in plan.stages}.values():
        runs.check(stage)
    made, elsewhere, failed = 0, [], {}
    for plan in plans:
        if folder.has(plan) or plan.work in failed:
            continue
        with claimed(folder.lock(plan.work)) as mine:
            if folder.has(plan):  # Another process finished it between the first look and the claim.
                continue
            try:
                cell = _made(plan, folder, runs, audience) if mine else None
            except (Interrupted, KeyboardInterrupt):
                raise Interrupted(
                    f"stopped in {plan.table}, {plan.name}; what is finished is kept, the same command goes on"
                ) from None
            except (BadInput, WorkFailed) as problem:
                failed[plan.work] = f"{plan.name}: {problem}"
                continue
            if cell is None:
                elsewhere.append(plan)
                continue
            made += 1
            audience.finished(plan, cell)
    waiting = dict.fromkeys(plan.work for plan in elsewhere if not folder.has(plan))
    return Progress(made, tuple(waiting), tuple(failed.values()))


def _made(plan: CellPlan, folder: CellFolder, runs: RunFolders, audience: Audience) -> dict[str, Any] | None:
    """Make a cell and keep it; None while another process makes one of its runs."""
    if not _trained(plan, folder, runs, audience):
        return None
    cell = _judged(plan, runs)
    folder.write(plan, cell)
    return cell


def _trained(plan: CellPlan, folder: CellFolder, runs: RunFolders, audience: Audience) -> bool:
    """Make the runs that a cell needs; False while another process makes one of them."""
    for stage in plan.stages:
        if runs.finished(stage):
            continue
        with claimed(folder.lock(f"run-{stage.name}")) as mine:
            if not mine:
                return False
            if not runs.finished(stage):
                with audience.watching(f"{plan.table}, {plan.row}: training {stage.name}") as watch:
                    runs.make(stage, watch)
                audience.trained(runs.at(stage))
    return True


def _judged(plan: CellPlan, runs: RunFolders) -> dict[str, Any]:
    watch = Stopwatch()
    found = plan.judge()
    return {
        "task": "reproduction",
        "table": plan.table,
        "row": plan.row,
        "setting": plan.setting,
        "seed": plan.seed,
        "settings": plan.settings,
        **found,
        "runs": [runs.described(stage) for stage in plan.stages],
        "seconds": round(watch.seconds, 1),
        "machine": machine(),
        "versions": versions(),
    }
