"""Small data: batches and episodes are reduced to what the data has; data that are too small raise `BadInput`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protorel.recipes import Recipe, TrainingSettings
from protorel.statements import BadInput, StatementSource

_LOGGER = logging.getLogger("protorel")

WaysAndShots = Sequence[tuple[int, int]]
"""Settings of episodes, each as (way, shot)."""


@dataclass(frozen=True, slots=True)
class BatchShape:
    """Relations, or entity pairs, per batch, and statements of each."""

    relations_per_batch: int
    asked: int
    """The recipe's relations_per_batch."""
    statements_per_relation: int
    repeating: int
    """Number of relations, or pairs, with fewer statements than that, some of which a batch repeats."""

    def as_json(self) -> dict[str, Any]:
        """Return the section `batches` of a run's record."""
        return {
            "relations_per_batch": {"asked": self.asked, "used": self.relations_per_batch},
            "statements_per_relation": self.statements_per_relation,
            "with_fewer_statements": self.repeating,
        }


def least_relations(recipe: TrainingSettings) -> int:
    """Return the number of relations that a recipe needs: 1 for Matching the Blanks, which reads no labels, else 2."""
    if not isinstance(recipe, Recipe) or recipe.batches_by == "relation":
        return 2
    terms = ((name, getattr(recipe.objective, name)) for name in type(recipe.objective).model_fields)
    used = {name for name, term in terms if getattr(term, "weight", 0)}
    return 2 if used - {"s2s_prime", "mlm"} or recipe.objective.s2s_prime.match == "relation" else 1


def check_at_once(source: StatementSource, recipe: TrainingSettings) -> None:
    """Raise `BadInput` for data of a single relation; reads no further than the second relation."""
    found: set[str] = set()
    for statement in source():
        if statement.relation is not None:
            found.add(statement.relation)
        if len(found) >= least_relations(recipe):
            return
    raise too_few_relations(sorted(found), least_relations(recipe))


def too_few_relations(found: Sequence[str], least: int, *, left_out: str = "") -> BadInput:
    """Return the error for data with too few relations; `left_out` says why there are not more."""
    expected = f"the data: expected statements of at least {least} relation{'s' * (least > 1)}"
    got = f"{len(found)} ({found[0]!r})" if found else "0" if left_out else "no labelled statement"
    hint = left_out or ("Add statements of another relation." if found else "Give the statements a relation.")
    return BadInput(f"{expected}, got {got}. {hint}")


def fit_batches(recipe: Recipe, sizes: Sequence[int]) -> BatchShape:
    """Return the batch shape of a recipe for relations, or pairs, of these sizes; log what was reduced."""
    by_pair = recipe.batches_by == "pair"
    kind = "entity pairs with 2 statements or more" if by_pair else "relations"
    if by_pair and len(sizes) < 2:
        raise BadInput(
            f"batches_by=pair: expected at least 2 {kind}, got {len(sizes)}. To match statements by their label, set "
            "batches_by=relation objective.s2s_prime.match=relation"
        )
    asked, each = recipe.relations_per_batch, recipe.statements_per_relation
    shape = BatchShape(min(asked, len(sizes)), asked, each, sum(size < each for size in sizes))
    if shape.relations_per_batch < asked:
        _LOGGER.warning(
            "relations_per_batch=%d: the data has %d %s, so a batch has %d",
            asked,
            len(sizes),
            kind,
            shape.relations_per_batch,
        )
    if shape.repeating:
        _LOGGER.warning(
            "statements_per_relation=%d: %d of %d %s have fewer statements, so a batch repeats some",
            each,
            shape.repeating,
            len(sizes),
            kind,
        )
    return shape


def fit_episodes(asked: WaysAndShots, sizes: Sequence[int], names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the settings of episodes for relations of these sizes, with no more classes than relations; log a change.

    Raises `BadInput` for a relation with too few statements for the shots: fewer shots are another task.
    """
    for way, shot in asked:
        if small := [place for place, size in enumerate(sizes) if size < shot + 1]:
            raise _too_few_for(way, shot, small, sizes, names)
    used = tuple((min(way, len(sizes)), shot) for way, shot in asked)
    if used != tuple(asked):
        _LOGGER.warning(
            "episodes=%s: the data has %d relations, so they are %s", _written(asked), len(sizes), _written(used)
        )
    return used


def _too_few_for(way: int, shot: int, small: Sequence[int], sizes: Sequence[int], names: Sequence[str]) -> BadInput:
    smallest = min(small, key=lambda place: sizes[place])
    more = f" ({len(small)} such relations)" if len(small) > 1 else ""
    hints = []
    if len(sizes) - len(small) >= 2:
        hints.append(f"min_statements={shot + 1} to leave {'them' if more else 'it'} out")
    if sizes[smallest] > 1:
        hints.append(f"episodes={_written([(min(way, len(sizes)), sizes[smallest] - 1)])} for fewer shots")
    hint = f" Set {', or '.join(hints)}" if hints else ""
    return BadInput(
        f"episodes=[{way},{shot}]: expected relations with at least {shot + 1} statements, {shot} shots and a query, "
        f"got {names[smallest]!r} with {sizes[smallest]}{more}.{hint}"
    )


def _written(episodes: WaysAndShots) -> str:
    """Return settings of episodes as written on the command line."""
    return "[" + ",".join(f"[{way},{shot}]" for way, shot in episodes) + "]"
