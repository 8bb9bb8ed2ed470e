"""Working through a plan of points: those that are there are kept, the rest are made one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.evaluation import machine
from protorel.io import Stopwatch
from protorel.model import versions
from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel.training import Watcher, check_same
from protorel_paper.engine.point_folder import PointFolder

Watching = Callable[[str], AbstractContextManager[Watcher | None]]
"""Is told which point comes now, and gives a watcher for its training."""
_SHARED = {
    "experiment": None,
    "draw": None,
    "recipe": "recipe_name",
    "defaults": "recipe_name",
    "start": "start_name",
}
"""Parts of a point's settings that it shares with the points of the same experiment, recipe and starting encoder."""


@dataclass(frozen=True, slots=True)
class PointPlan:
    """A point to be made: its name, all that its figures depend on, and how."""

    name: str
    settings: Mapping[str, Any]
    make: Callable[[Path, Watcher | None], Mapping[str, Any]]
    """Works in a scratch folder and returns what was found."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What came of working through a plan."""

    points: Sequence[Mapping[str, Any]]
    """Every finished point in the folder, earlier ones among them."""
    made: int
    elsewhere: tuple[str, ...]
    """Points that another process is making."""


def quiet(_line: str) -> AbstractContextManager[Watcher | None]:
    """Watch nothing."""
    return nullcontext()


def point_name(*parts: str) -> str:
    """Join what a point differs by to a name that a file can have."""
    return "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)


def make_points(plans: Sequence[PointPlan], folder: PointFolder, *, task: str, watching: Watching = quiet) -> Progress:
    """Make the points that are missing; a point made with other settings is refused before the long work begins."""
    check_alike(plans, folder, task=task)
    made, elsewhere = 0, []
    for number, plan in enumerate(plans, 1):
        if folder.has(plan.name):
            continue
        with folder.claimed(plan.name) as scratch:
            if scratch is None:
                elsewhere.append(plan.name)
            elif not folder.has(plan.name):
                folder.write(plan.name, _make(plan, scratch, task, watching, f"point {number} of {len(plans)}"))
                made += 1
    waiting = tuple(name for name in elsewhere if not folder.has(name))
    return Progress(folder.read(), made, waiting)


def check_alike(plans: Iterable[PointPlan], folder: PointFolder, *, task: str) -> None:
    """Refuse to go on in a folder whose points were made otherwise: one curve must not mix them."""
    finished = folder.read()
    for plan in plans:
        for point in finished:
            if point["task"] != task:
                raise BadInput(f"{folder.folder}: holds points of {point['task']}, not of {task}; choose another --out")
            _check(plan, point, folder.folder)


def _check(plan: PointPlan, point: Mapping[str, Any], folder: Path) -> None:
    now, then = plan.settings, point["settings"]
    parts = now.keys() | then.keys()
    if point["name"] != plan.name:
        parts = {part for part, name in _SHARED.items() if name is None or now.get(name) == then.get(name)}
    old, new = ({part: of[part] for part in parts if part in of} for of in (then, now))
    check_same(old, new, what=f"{folder}: point {point['name']}")


def _make(plan: PointPlan, scratch: Path, task: str, watching: Watching, place: str) -> dict[str, Any]:
    watch_point = Stopwatch()
    try:
        with watching(f"{place}: {plan.name}") as watch:
            found = plan.make(scratch, watch)
    except (Interrupted, KeyboardInterrupt):
        raise Interrupted(
            f"stopped in {place}, {plan.name}; finished points are kept, the same command goes on"
        ) from None
    except BadInput as problem:
        raise BadInput(f"point {plan.name}: {problem}") from problem
    except WorkFailed as problem:
        raise WorkFailed(f"point {plan.name}: {problem}") from problem
    return {
        "task": task,
        "name": plan.name,
        "settings": plan.settings,
        **found,
        "seconds": round(watch_point.seconds, 1),
        "machine": machine(),
        "versions": versions(),
    }
