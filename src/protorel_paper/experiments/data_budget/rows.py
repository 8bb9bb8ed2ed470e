"""Rows of a data budget: all seeds of one place in the grid as one figure with two intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from protorel.evaluation import Measurement, measure
from protorel_paper.engine import mean_per_relation, over_seeds

UNTUNED = "untuned"
"""In place of a recipe's name: the starting encoder as it is."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One place in the grid, over its seeds: what was trained, on how much data, and its accuracy."""

    recipe: str
    """The name of the recipe, or `untuned`."""
    start: str
    relations: int
    statements: int | None
    """Per relation; None for all."""
    total: float
    """Number of training statements, averaged over seeds."""
    seeds: tuple[int, ...]
    accuracy: float
    per_relation: Mapping[str, float]
    over_relations: Measurement
    over_seeds: Measurement | None
    """None for a single seed."""
    by_trained_readout: Mapping[str, float] | None = None
    """For an untuned encoder: accuracy per test relation with the readout of training."""

    @property
    def amount(self) -> str:
        """Its place in the grid, such as 8×20."""
        if self.recipe == UNTUNED:
            return "0"
        return f"{self.relations}×{'all' if self.statements is None else self.statements}"


def budget_rows(points: Iterable[Mapping[str, Any]]) -> list[BudgetRow]:
    """Return one row per place in the grid, ordered by start, recipe, relations and statements."""
    places: dict[tuple[str, str, int, float], list[Mapping[str, Any]]] = {}
    for point in points:
        settings = point["settings"]
        each = float("inf") if settings["statements"] == "all" else settings["statements"]
        place = (settings["start_name"], settings.get("recipe_name", UNTUNED), settings["relations"], each)
        places.setdefault(place, []).append(point)
    ordered = sorted(places, key=lambda place: (place[0], place[1] != UNTUNED, place[1], place[2:]))
    return [_row(places[place]) for place in ordered]


def _row(points: Sequence[Mapping[str, Any]]) -> BudgetRow:
    settings = points[0]["settings"]
    task = settings["experiment"]["test"]["task"]
    evaluated = [point["fewshot"][task] for point in points]
    per_relation = mean_per_relation([one["per_relation"] for one in evaluated])
    accuracies = [one["accuracy"] for one in evaluated]
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
        over_seeds=over_seeds(accuracies),
        by_trained_readout=by_trained[task]["per_relation"] if by_trained else None,
    )
