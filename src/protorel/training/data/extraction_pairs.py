"""The pairs of a training for text: all labels of each, whether others may hold too, and how many a batch draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import PooledBatches, StatementBatch, TrainingRows, collate, swap_roles
from protorel.recipes import ExtractionRecipe
from protorel.statements import Equivalents, StatementSource
from protorel.training.data.labelled_data import labels_of_none


class LabelledPairs:
    """Each pair once, with all its labels; a label that means no relation is none.

    A number below `len(rows)` is a pair, by the first of its rows. `len(rows)` more is the same pair with head and tail
    swapped, for pairs of a source that labels one relation only.
    """

    def __init__(
        self, rows: TrainingRows, source: StatementSource, recipe: ExtractionRecipe, equivalents: Equivalents
    ) -> None:
        self.rows, self.recipe = rows, recipe
        none = labels_of_none(rows.names, equivalents)
        self.columns = np.asarray([n for n, name in enumerate(rows.names) if name not in none], dtype=np.int64)
        self.names = tuple(rows.names[column] for column in self.columns.tolist())
        _, firsts, pair_of = np.unique(rows.groups, return_index=True, return_inverse=True)
        known = np.asarray([statement.source not in recipe.partial_sources for statement in source()], dtype=bool)
        complete = np.zeros(len(firsts), dtype=bool)
        np.logical_or.at(complete, pair_of, known[rows.origins])
        related = np.zeros(len(firsts), dtype=bool)
        np.logical_or.at(related, pair_of, np.isin(rows.relations, self.columns))
        self.related = firsts[complete & related].astype(np.int64)
        self.none = firsts[complete & ~related].astype(np.int64)
        self.partial = firsts[~complete].astype(np.int64)
        self.reversed = self._reversible(source, pair_of) + len(rows) if recipe.reversed else self.partial[:0]
        self.counts = Counter(rows.relations[np.isin(rows.relations, self.columns)].tolist())
        in_complete = np.isin(self.columns, rows.relations[complete[pair_of]])
        self._unseen = torch.from_numpy(~in_complete)
        self._is_complete = np.zeros(len(rows), dtype=bool)
        self._is_complete[firsts[complete]] = True
        self._symmetric = torch.tensor([name in recipe.symmetric for name in self.names])

    def _reversible(self, source: StatementSource, pair_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the partial pairs with a relation that does not hold in the other order too."""
        sources = set(self.recipe.partial_sources)
        keys = {(s.key, s.relation) for s in source() if s.source in sources}
        one_way = [
            s.source in sources
            and s.relation not in self.recipe.symmetric
            and (replace(s, head=s.tail, tail=s.head).key, s.relation) not in keys
            for s in source()
        ]
        rows = np.flatnonzero(np.asarray(one_way, dtype=bool)[self.rows.origins] & self._labelled())
        return self.partial[np.isin(pair_of[self.partial], pair_of[rows])]

    def _labelled(self) -> NDArray[np.bool_]:
        return np.isin(self.rows.relations, self.columns)

    def batches(self) -> PooledBatches:
        """Return what each step draws: all pairs in their natural share, or as many as the recipe says."""
        per_related = self.recipe.none_per_related
        none = None if per_related is None else round(per_related * len(self.related))
        pools = [
            (self.related, None),
            (self.none, none),
            (np.concatenate([self.partial, self.reversed]), self.recipe.partial_per_epoch),
        ]
        return PooledBatches(pools, self.recipe.batch_size, self.recipe.seed)

    def tokens(self, chosen: Sequence[int]) -> StatementBatch:
        """Collate some pairs, the reversed ones with head and tail swapped."""
        layout, count = self.rows.rows.layout, len(self.rows)
        rows = [self.rows.rows.row(number % count) for number in chosen]
        swapped = (
            swap_roles(row, layout) if number >= count else row for row, number in zip(rows, chosen, strict=True)
        )
        return collate(list(swapped), layout)

    def labels(self, chosen: Sequence[int]) -> Bool[Tensor, "batch relations"]:
        """Return the relations that hold for each pair; none for a reversed one."""
        count = len(self.rows)
        held = self.rows.labels([number % count for number in chosen])[:, self.columns]
        return held & torch.tensor([number < count for number in chosen])[:, None]

    def weights(self, chosen: Sequence[int]) -> Float[Tensor, "batch relations"]:
        """Return how much each relation counts for each pair: little where it may hold without a label."""
        recipe, count = self.recipe, len(self.rows)
        numbers = [number % count for number in chosen]
        held = self.rows.labels(numbers)[:, self.columns]
        turned = torch.tensor([number >= count for number in chosen])[:, None]
        complete = torch.from_numpy(self._is_complete[numbers])[:, None]
        unseen = torch.where(self._unseen, recipe.unseen_negatives, 1.0)
        weights = torch.where(complete, unseen, torch.tensor(recipe.partial_negatives)).expand(len(chosen), -1)
        known = torch.where(turned, 1.0, torch.tensor(recipe.positive_weight))
        # Turned round, a labelled relation does not hold; a symmetric one may.
        weights = torch.where(held, known, weights)
        return weights.masked_fill(turned & held & self._symmetric, 0.0)

    def ids(self, chosen: Sequence[int]) -> list[str]:
        """Return the ids of some pairs."""
        return self.rows.ids([number % len(self.rows) for number in chosen])

    def as_json(self) -> dict[str, Any]:
        """Return the section `pairs` of a run's record."""
        several = sum(
            len(set(labels) & set(self.columns.tolist())) > 1 for labels in self.rows.labels_of_group.values()
        )
        return {
            "related": len(self.related),
            "none": len(self.none),
            "with_several_labels": several,
            "partial": len(self.partial),
            "reversed": len(self.reversed),
            "labels": {self.rows.names[column]: self.counts[column] for column in self.columns.tolist()},
        }
