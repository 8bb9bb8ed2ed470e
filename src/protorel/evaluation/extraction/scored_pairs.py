"""Natural pairs with all their labels, and the probability that a model gives each relation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.embedding_space import encode_once
from protorel.model import RelationModel, document_numbers
from protorel.statements import BadInput, LabelSets, Statement, gather_labels, load_equivalents

Probability: TypeAlias = NDArray[np.float64]
_AT_ONCE = 8192
"""Pairs whose scores are computed at a time."""


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """Pairs of entities in a sentence: what a model says, and what is true."""

    names: tuple[str, ...]
    """The candidate relations, in the order of the columns."""
    relations: NDArray[np.float32]
    """The probability of each relation, one row per pair."""
    none: Probability
    """The probability that no relation holds."""
    labels: NDArray[np.bool_]
    """Which relations hold."""
    unknown: NDArray[np.int64]
    """How many other relations hold, which are not candidates."""
    documents: NDArray[np.int64]
    """The number of the document of each pair."""
    statements: tuple[Statement, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def related(self) -> NDArray[np.bool_]:
        """Which pairs hold a relation, a candidate or another."""
        found: NDArray[np.bool_] = self.labels.any(axis=1) | (self.unknown > 0)
        return found

    def among(self, names: Sequence[str]) -> ScoredPairs:
        """Return the same pairs with fewer candidates; labels of the others are not counted."""
        columns = [self.names.index(name) for name in names]
        return replace(
            self,
            names=tuple(names),
            relations=self.relations[:, columns],
            labels=self.labels[:, columns],
            unknown=np.zeros_like(self.unknown),
        )


def natural_pairs(statements: Iterable[Statement], *, name: str, most_documents: int | None = None) -> LabelSets:
    """Gather the labels of each pair of entities in each sentence, document by document.

    Args:
        statements: Labelled statements with documents; pairs without a relation are labelled `no_relation`.
        name: The name of the data, for errors.
        most_documents: Read only this many documents, the first ones.

    Raises:
        BadInput: a statement has no label, or there are no pairs with, or none without, a relation.
    """
    table = load_equivalents()
    pairs: dict[tuple[str | None, str | None, str | None], list[Statement]] = {}
    documents: set[str | None] = set()
    for statement in statements:
        if statement.document not in documents:
            if most_documents is not None and len(documents) >= most_documents:
                continue
            documents.add(statement.document)
        pairs.setdefault((statement.document, statement.head_id, statement.tail_id), []).append(statement)
    gathered = [gather_labels(own, equivalents=table) for own in pairs.values()]
    found = LabelSets(
        tuple(statement for one in gathered for statement in one.statements),
        tuple(labels for one in gathered for labels in one.labels),
    )
    related = sum(bool(labels) for labels in found.labels)
    if not related or related == len(found):
        got = "only pairs that hold one" if related else "no pair that holds one"
        raise BadInput(
            f"{name}: expected pairs with and without a relation, got {got}. "
            "`protorel convert --format docred_pairs` writes such pairs"
        )
    return found


def score_natural_pairs(model: RelationModel, pairs: LabelSets, *, among: Sequence[str] | None = None) -> ScoredPairs:
    """Return the probabilities that `RelationModel.predict` gives, for all relations at once.

    Vectors come from the cache if this model has encoded the same pairs before.

    Args:
        model: A model with prototypes.
        pairs: The pairs.
        among: The candidate relations, which alone are labels too; all of the model by default.
    """
    names = model.relations.ids if among is None else tuple(among)
    if not names:
        raise BadInput(f"{model.name or 'the model'}: expected a model with prototypes, got one without relations")
    columns = np.asarray([model.relations.index(name) for name in names], dtype=np.int64)
    vectors = encode_once(model, pairs.statements)
    relations, none = np.empty((len(pairs), len(names)), dtype=np.float32), np.empty(len(pairs))
    for start in range(0, len(pairs), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        cosines = model.prototypes.similarity(vectors[rows]).numpy()
        relations[rows], none[rows] = model.maps.probabilities(cosines, among=columns)
    labels, unknown = label_table(pairs, names)
    if among is not None:
        unknown = np.zeros_like(unknown)
    return scored(names, relations, pairs, none=none, labels=labels, unknown=unknown)


def scored(
    names: Sequence[str],
    relations: NDArray[np.float32],
    pairs: LabelSets,
    *,
    none: Probability | None = None,
    labels: NDArray[np.bool_] | None = None,
    unknown: NDArray[np.int64] | None = None,
) -> ScoredPairs:
    """Return scores with the pairs that they are for; without `none`, it is what the best relation leaves."""
    if labels is None or unknown is None:
        labels, unknown = label_table(pairs, names)
    return ScoredPairs(
        tuple(names),
        relations,
        1 - relations.max(axis=1).astype(np.float64) if none is None else none,
        labels,
        unknown,
        document_numbers([statement.document for statement in pairs.statements]),
        pairs.statements,
    )


def label_table(pairs: LabelSets, names: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which of the relations hold for each pair, and how many others do."""
    column = {name: place for place, name in enumerate(names)}
    labels, unknown = np.zeros((len(pairs), len(names)), dtype=bool), np.zeros(len(pairs), dtype=np.int64)
    for row, own in enumerate(pairs.labels):
        for relation in own:
            if relation in column:
                labels[row, column[relation]] = True
            else:
                unknown[row] += 1
    return labels, unknown
