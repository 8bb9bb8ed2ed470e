"""Points of a data budget put together: seeds of one place in the grid become one figure with two intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from protorel.evaluation import Measurement, measure

UNTUNED = "untuned"


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One place in the grid: what was trained, on how much, and how well it does."""

    recipe: str
    """The name of the recipe, or `untuned`."""
    start: str
    relations: int
    statements: int | None
    """Of each relation; None for all."""
    total: float
    """Statements trained on, the mean over seeds."""
    seeds: tuple[int, ...]
    accuracy: float
    per_relation: Mapping[str, float]
    over_relations: Measurement
    over_seeds: Measurement | None
    """None with one seed."""
    by_trained_readout: Mapping[str, float] | None = None
    """Of an untuned encoder: each test relation's accuracy by the readout that training uses."""

    @property
    def amount(self) -> str:
        """Where in the grid the row stands, for people."""
        if self.recipe == UNTUNED:
            return "0"
        return f"{self.relations}×{'all' if self.statements is None else self.statements}"


def budget_rows(points: Iterable[Mapping[str, Any]]) -> list[BudgetRow]:
    """Put points of one place together, and order the places: by start, recipe, relations, statements."""
    places: dict[tuple[str, str, int, float], list[Mapping[str, Any]]] = {}
    for point in points:
        settings = point["settings"]
        each = float("inf") if settings["statements"] == "all" else settings["statements"]
        place = (settings["start_name"], settings.get("recipe_name", UNTUNED), settings["relations"], each)
        places.setdefault(place, []).append(point)
    ordered = sorted(places, key=lambda place: (place[0], place[1] != UNTUNED, place[1], place[2:]))
    return [_row(places[place]) for place in ordered]


def mean_per_relation(judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average each relation's accuracy over the seeds that judged it."""
    relations = sorted({relation for one in judged for relation in one})
    return {relation: fmean(one[relation] for one in judged if relation in one) for relation in relations}


def _row(points: Sequence[Mapping[str, Any]]) -> BudgetRow:
    settings = points[0]["settings"]
    task = settings["experiment"]["test"]["task"]
    judged = [point["fewshot"][task] for point in points]
    per_relation = mean_per_relation([one["per_relation"] for one in judged])
    accuracies = [one["accuracy"] for one in judged]
    by_trained = points[0].get("fewshot_by_trained_readout")
    return BudgetRow(
        recipe=settings.get("recipe_name", UNTUNED),
        start=settings["start_name"],
        relations=settings["relations"],
        statements=None if settings["statements"] == "all" else settings["statements"],
        total=fmean(point["training"]["statements"] if point["training"] else 0 for point in points),
        seeds=tuple(sorted(point["settings"].get("seed", 0) for point in points)),
        accuracy=fmean(accuracies),
        per_relation=per_relation,
        over_relations=measure(list(per_relation.values())),
        over_seeds=measure(accuracies) if len(accuracies) > 1 else None,
        by_trained_readout=by_trained[task]["per_relation"] if by_trained else None,
    )
