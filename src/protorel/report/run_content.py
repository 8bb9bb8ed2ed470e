"""Parts of a page about a run: its places on the map, its data card, its journal; each from what the run has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.geometry import Prototypes
from protorel.io import BadInput, check_count, check_type, shown
from protorel.model import RunRecord
from protorel.report.content import Layout, RelationCount
from protorel.report.projection import has_tsne, large_neighbour_map, project, sampled
from protorel.report.statement_block import MOST_STATEMENTS
from protorel.statements import Statement

Projection = Literal["both", "tsne", "pca"]


@dataclass(frozen=True, slots=True)
class MapSettings:
    """How to draw the map.

    Args:
        projection: t-SNE, principal components, or both with a switch. Without openTSNE, both means components alone.
        most: The most statements; of more, a random sample is drawn.
        seed: Random seed for t-SNE and for the sample.

    Raises:
        BadInput: a value is not one of these.

    >>> MapSettings("pca", most=1000).rows(3).tolist()
    [0, 1, 2]
    """

    projection: Projection = "both"
    most: int = MOST_STATEMENTS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.projection not in get_args(Projection):
            names = ", ".join(get_args(Projection))
            raise BadInput(f"projection: expected one of {names}, got {shown(self.projection)}")
        check_count(self.most, where="most")
        check_type(self.seed, int, where="seed", expected="a whole number")
        if self.most > MOST_STATEMENTS:
            raise BadInput(f"most: expected at most {MOST_STATEMENTS:,}, got {self.most:,}")

    def rows(self, count: int) -> NDArray[np.int64]:
        """Return which of `count` statements are on the map, in order: all, or sampled ones."""
        return sampled(count, self.most, seed=self.seed)


def layouts_of(
    run: str, vectors: Float[Tensor, "statements width"], prototypes: Prototypes, settings: MapSettings
) -> list[Layout]:
    """Return the places of statements and prototypes by each projection that was asked for and can be made.

    Raises:
        BadInput: t-SNE alone was asked for and openTSNE is not installed.
    """
    unit, stars = F.normalize(vectors, dim=-1), prototypes.vectors
    found = {}
    if settings.projection == "tsne" or (settings.projection == "both" and has_tsne()):
        found["t-SNE"] = large_neighbour_map(unit, stars, seed=settings.seed)
    if settings.projection != "tsne":
        both = project(torch.cat([unit, stars]))
        found["PCA"] = both[: len(unit)], both[len(unit) :]
    return [
        Layout(run, name, places, dict(zip(prototypes.relations.ids, map(tuple, at.tolist()), strict=True)))
        for name, (places, at) in found.items()
    ]


def training_facts(record: RunRecord | None) -> dict[str, str]:
    """Return what a run was trained on and what is known of leakage, from its record."""
    if record is None:
        return {}
    facts: dict[str, str | None] = {}
    if (recipe := record.recipe) is not None:
        facts |= {"recipe": recipe.name, "encoder": recipe.encoder or record.encoder.kind}
    if (data := record.data) is not None:
        facts |= {
            "training statements": f"{data.statements:,}",
            "relations": f"{data.relations:,}",
            "without a label": f"{data.unlabelled:,}",
            "rejected relations": f"{len(data.rejected):,}",
            "fingerprint": (data.fingerprint or "")[:16] or None,
        }
    if record.dev is not None:
        facts["held out to choose the epoch"] = f"{record.dev.statements:,}"
    if (results := record.results) is not None:
        facts["steps"] = None if results.steps is None else f"{results.steps:,}"
        facts["epochs"] = None if results.epochs is None else f"{results.epochs:,}"
    facts |= _leakage_facts(record)
    facts["training time"] = None if record.seconds is None else f"{record.seconds:,.0f} s"
    facts["protorel"] = (record.versions or {}).get("protorel")
    return {name: value for name, value in facts.items() if value}


def _leakage_facts(record: RunRecord) -> dict[str, str | None]:
    leakage = record.leakage
    if leakage is None:
        return {"overlap with test sets": "not recorded"}
    if not leakage.apart_from:
        return {"overlap with test sets": "not removed: no test set was given by --decontaminate"}
    facts: dict[str, str | None] = {
        "overlap with test sets": "removed",
        "statements removed for overlap": None if leakage.removed is None else f"{leakage.removed:,}",
    }
    for one in leakage.apart_from:
        shared = one.shared or {}
        counts = ", ".join(f"{name.replace('_', ' ')} {part.train_statements:,}" for name, part in shared.items())
        facts[f"test set {one.name}"] = counts or "no overlap counted"
    if (earlier := leakage.started_from) is not None:
        facts["started from"] = f"{earlier.name}, decontaminated of {len(earlier.apart_from)} test sets"
    return facts


def data_facts(statements: Sequence[Statement], name: str) -> dict[str, str]:
    """Return the counts of a data set, for its card."""
    checked = [statement.expresses for statement in statements if statement.expresses is not None]
    pairs = {(one.head_id or one.head_text, one.tail_id or one.tail_text) for one in statements}
    facts = {
        "data": name,
        "statements": f"{len(statements):,}",
        "without a label": f"{sum(one.relation is None for one in statements):,}",
        "relations": f"{len({one.relation for one in statements} - {None}):,}",
        "distinct sentences": f"{len({one.text for one in statements}):,}",
        "distinct entity pairs": f"{len(pairs):,}",
        "labels checked": f"{len(checked):,}",
    }
    if checked:
        facts["of these wrong"] = f"{checked.count(False):,} ({100 * checked.count(False) / len(checked):.1f} %)"
    return facts


def relation_counts(statements: Sequence[Statement]) -> list[RelationCount]:
    """Return the statements of each relation, the most frequent first."""
    counts = Counter(one.relation for one in statements if one.relation is not None)
    wrong = Counter(one.relation for one in statements if one.expresses is False)
    checked = {one.relation for one in statements if one.expresses is not None}
    return [
        RelationCount(name, count, wrong[name] if name in checked else None) for name, count in counts.most_common()
    ]
