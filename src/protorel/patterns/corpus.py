"""A data set for Snowball: contexts, their entity pairs, and the labels of the pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protorel.patterns.context_vectors import ContextSpace, ContextVectors
from protorel.patterns.contexts import context_of
from protorel.patterns.settings import SnowballSettings
from protorel.statements import BadInput, EntityPair, RelationVocabulary, StatementSource, entity_pair


@dataclass(frozen=True, slots=True)
class PatternCorpus:
    """The distinct statements of a data set; a statement with several labels is one row."""

    vectors: csr_array
    space: ContextSpace
    pair_of: NDArray[np.int64]
    """The entity pair of each row."""
    labelled: csr_array
    """Rows × relations: the labels of each row."""
    pair_labels: csr_array
    """Pairs × relations: the labels of each pair, over all its rows."""
    relations: RelationVocabulary
    row_of: NDArray[np.int64]
    """The row of each statement of the data."""
    label_of: NDArray[np.int64]
    """The relation of each statement of the data; -1 for none."""

    def __len__(self) -> int:
        return len(self.pair_of)

    def rows_with(self, relation: int) -> NDArray[np.bool_]:
        """Return which rows have a relation's label."""
        return _column(self.labelled, relation)

    def pairs_with(self, relation: int) -> NDArray[np.bool_]:
        """Return which pairs have a relation's label: Snowball's seeds."""
        return _column(self.pair_labels, relation)

    def pairs_labelled(self) -> NDArray[np.bool_]:
        """Return which pairs have a label."""
        return np.asarray(np.diff(self.pair_labels.indptr) > 0)


def read_corpus(source: StatementSource, settings: SnowballSettings) -> PatternCorpus:
    """Return the corpus of a data set, which is read once; it holds numbers, no text, also of unlabelled statements."""
    builder = ContextVectors()
    rows: dict[bytes, int] = {}
    pairs: dict[EntityPair, int] = {}
    names: dict[str, int] = {}
    row_of: list[int] = []
    label_of: list[int] = []
    pair_of: list[int] = []
    for statement in source():
        row = rows.setdefault(statement.key, len(rows))
        if row == len(pair_of):
            builder.add(context_of(statement, window=settings.window, longest_middle=settings.longest_middle))
            pair_of.append(pairs.setdefault(entity_pair(statement), len(pairs)))
        row_of.append(row)
        label_of.append(-1 if statement.relation is None else names.setdefault(statement.relation, len(names)))
    if not names:
        raise BadInput("expected labelled statements to find patterns, got none")
    vectors, space = builder.finish(shares=settings.shares)
    order = np.argsort(np.argsort(list(names)))
    labels = np.append(order, -1)[label_of]
    number, pair = np.asarray(row_of, dtype=np.int64), np.asarray(pair_of, dtype=np.int64)
    said = labels >= 0
    return PatternCorpus(
        vectors,
        space,
        pair,
        labelled=_marks(number[said], labels[said], (len(rows), len(names))),
        pair_labels=_marks(pair[number[said]], labels[said], (len(pairs), len(names))),
        relations=RelationVocabulary(sorted(names)),
        row_of=number,
        label_of=np.asarray(labels, dtype=np.int64),
    )


def _marks(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    cells = np.unique(rows * shape[1] + columns)
    return csr_array((np.ones(len(cells), dtype=np.int8), np.divmod(cells, shape[1])), shape=shape)


def _column(marks: csr_array, column: int) -> NDArray[np.bool_]:
    return np.asarray(marks[:, [column]].toarray()[:, 0] > 0)
