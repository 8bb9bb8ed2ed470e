"""The paper's two claims on data budget, tested on the rows of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from protorel_paper.engine import Claim, Comparison, compare
from protorel_paper.experiments.data_budget.rows import UNTUNED, BudgetRow

_MOST, _LEAST = 1.25, 0.25
"""Bounds on the size of a more diverse set relative to the other: with more, size could explain a gain."""


def budget_claims(rows: Sequence[BudgetRow]) -> list[Claim]:
    """Return both claims for every recipe and starting encoder."""
    tuned: dict[tuple[str, str], list[BudgetRow]] = {}
    for row in rows:
        if row.recipe != UNTUNED:
            tuned.setdefault((row.recipe, row.start), []).append(row)
    untuned = {row.start: row for row in rows if row.recipe == UNTUNED}
    claims = []
    for (recipe, start), own in tuned.items():
        of = f"{recipe} from {start}"
        claims.append(diversity(of, own))
        if (bare := untuned.get(start)) is not None:
            claims.append(little_diversity(of, own, bare.per_relation))
            if bare.by_trained_readout is not None:
                read_alike = "the encoder untuned, read as in training,"
                claims.append(little_diversity(of, own, bare.by_trained_readout, against=read_alike))
    return claims


def diversity(of: str, rows: Sequence[BudgetRow]) -> Claim:
    """Test whether many relations with few statements beat few relations with many."""
    return Claim(
        f"more relations matter more than more statements ({of})",
        list(_pairs(of, rows)),
        "more relations against fewer, at a like number of statements in all",
    )


def little_diversity(
    of: str, rows: Sequence[BudgetRow], untuned: Mapping[str, float], *, against: str = "the encoder untuned"
) -> Claim:
    """Test whether training on the fewest relations of the grid is worse than no training."""
    fewest = min(row.relations for row in rows)
    return Claim(
        f"too few relations hurt ({of})",
        [compare(of, UNTUNED, row.amount, untuned, row.per_relation) for row in rows if row.relations == fewest],
        f"{against} against trained on {fewest} relations",
    )


def _pairs(of: str, rows: Sequence[BudgetRow]) -> Iterable[Comparison]:
    """Compare each set with the more diverse set that is closest to it in size."""
    for few in rows:
        rivals = [
            many
            for many in rows
            if many.relations > few.relations and _LEAST * few.total <= many.total <= _MOST * few.total
        ]
        if rivals:
            nearest = min(rivals, key=lambda many: (abs(many.total - few.total), many.relations))
            yield compare(of, nearest.amount, few.amount, nearest.per_relation, few.per_relation)
