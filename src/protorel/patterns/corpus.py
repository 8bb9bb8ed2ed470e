"""A data set as Snowball sees it: contexts, which pair each is about, and what the labels say of the pairs."""

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
    """The distinct statements of a data set: one that stands under several labels is one row."""

    vectors: csr_array
    space: ContextSpace
    pair_of: NDArray[np.int64]
    """For each row the entity pair that it is about."""
    labelled: csr_array
    """Rows × relations: which labels each row carries."""
    pair_labels: csr_array
    """Pairs × relations: which labels each pair carries, in whatever row."""
    relations: RelationVocabulary
    row_of: NDArray[np.int64]
    """For each statement of the data the row that it is."""
    label_of: NDArray[np.int64]
    """For each statement of the data its relation, -1 where it has none."""

    def __len__(self) -> int:
        return len(self.pair_of)

    def rows_with(self, relation: int) -> NDArray[np.bool_]:
        """Tell which rows carry a relation."""
        return _column(self.labelled, relation)

    def pairs_with(self, relation: int) -> NDArray[np.bool_]:
        """Tell which pairs are said to hold a relation: Snowball's seeds."""
        return _column(self.pair_labels, relation)

    def pairs_labelled(self) -> NDArray[np.bool_]:
        """Tell which pairs the data say anything of."""
        return np.asarray(np.diff(self.pair_labels.indptr) > 0)


def read_corpus(source: StatementSource, settings: SnowballSettings) -> PatternCorpus:
    """Read a data set once, keeping numbers and no text; unlabelled statements are read too."""
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
        raise BadInput("the data holds no labelled statement, patterns are found by labels")
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
