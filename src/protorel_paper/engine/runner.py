"""Making the results of a plan: finished ones are kept, the rest are made one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.io import Stopwatch, claimed
from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel.training import Watcher
from protorel_paper.engine.results import Plan, ResultFolder
from protorel_paper.engine.stages import RunFolders
from protorel_paper.engine.summary import provenance

Watching = Callable[[str], AbstractContextManager[Watcher | None]]
"""Is given a line that says what is made now; returns a watcher for the training."""


def quiet(_line: str) -> AbstractContextManager[Watcher | None]:
    """Watch nothing."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Audience:
    """Callbacks that report progress; by default none."""

    watching: Watching = quiet
    trained: Callable[[Path], None] = lambda _run: None
    """Is given the folder of every finished training."""
    finished: Callable[[Plan, Mapping[str, Any]], None] = lambda _plan, _result: None
    """Is given every finished result."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Outcome of working through plans."""

    made: int
    elsewhere: tuple[str, ...] = ()
    """Claims that another process holds."""
    failed: tuple[str, ...] = ()
    """Results that could not be made, and why."""
    notes: tuple[str, ...] = ()
    """What a reader of the results should know."""
    results: Sequence[Mapping[str, Any]] = ()
    """Every finished result in the folder, earlier ones included; only experiments fill it."""


def make_results(
    plans: Sequence[Plan],
    folder: ResultFolder,
    *,
    audience: Audience = Audience(),  # noqa: B008 (it is frozen)
    keep_going: bool = False,
) -> Progress:
    """Make the missing results; refuse results and runs made with other settings before the long work begins.

    Args:
        plans: What to make, in this order.
        folder: Where results are written.
        audience: Callbacks that report progress.
        keep_going: Whether a failure stops only the plans of its group.
    """
    runs = RunFolders(folder.out)
    folder.check(plans)
    for stage in {stage.name: stage for plan in plans for stage in plan.stages or ()}.values():
        runs.check(stage)
    made, elsewhere, failed = 0, [], {}
    for number, plan in enumerate(plans, 1):
        if folder.has(plan.name) or plan.claim in failed:
            continue
        title = f"{folder.kind.noun} {number} of {len(plans)}"
        with folder.claimed(plan.claim) as scratch:
            if folder.has(plan.name):  # another process finished it between the first look and the claim
                continue
            try:
                result = None if scratch is None else _made(plan, folder, runs, scratch, title, audience)
            except (Interrupted, KeyboardInterrupt):
                raise Interrupted(
                    f"stopped in {title}, {plan.name}; what is finished is kept, run the same command to continue"
                ) from None
            except (BadInput, WorkFailed) as problem:
                if not keep_going:
                    raise type(problem)(f"{folder.kind.noun} {plan.name}: {problem}") from problem
                failed[plan.claim] = f"{plan.name}: {problem}"
                continue
            if result is None:
                elsewhere.append(plan)
                continue
            folder.write(plan.name, result)
            made += 1
            audience.finished(plan, result)
    waiting = dict.fromkeys(plan.claim for plan in elsewhere if not folder.has(plan.name))
    return Progress(made, tuple(waiting), tuple(failed.values()))


def _made(
    plan: Plan, folder: ResultFolder, runs: RunFolders, scratch: Path, title: str, audience: Audience
) -> dict[str, Any] | None:
    """Return a result; None while another process makes one of its runs."""
    if plan.stages is None:
        watch = Stopwatch()
        with audience.watching(f"{title}: {plan.name}") as watcher:
            found = plan.make(scratch, watcher)
    else:
        if not _trained(plan, folder, runs, title, audience):
            return None
        watch = Stopwatch()
        found = {**plan.make(scratch, None), "runs": [runs.described(stage) for stage in plan.stages]}
    seconds = round(watch.seconds, 1)
    return {**plan.identity, "settings": plan.settings, **found, "seconds": seconds, **provenance()}


def _trained(plan: Plan, folder: ResultFolder, runs: RunFolders, title: str, audience: Audience) -> bool:
    """Make the runs that a result needs; False while another process makes one of them."""
    for stage in plan.stages or ():
        if runs.finished(stage):
            continue
        with claimed(folder.lock(f"run-{stage.name}")) as mine:
            if not mine:
                return False
            if not runs.finished(stage):
                with audience.watching(f"{title}, {plan.name}: training {stage.name}") as watch:
                    runs.make(stage, watch)
                audience.trained(runs.at(stage))
    return True
