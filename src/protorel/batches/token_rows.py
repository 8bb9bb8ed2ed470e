"""Tokenised statements, held flat: in memory for a handful, memory-mapped for a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from protorel.batches.layout import Layout, StatementTokenizer
from protorel.batches.markers import TokenRow, mark_statement
from protorel.batches.statement_batch import StatementBatch, collate
from protorel.statements import BadInput, Statement, StatementError


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Many token rows end to end, with where each starts and where its entities lie."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    """For each row: start and stop of the head, start and stop of the tail."""
    layout: Layout

    def __len__(self) -> int:
        return len(self.places)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each row has."""
        return np.diff(self.starts)

    def row(self, index: int) -> TokenRow:
        """Return one row; its ids are a view, never to be written to."""
        head_start, head_stop, tail_start, tail_stop = (int(place) for place in self.places[index])
        ids = np.array(self.tokens[self.starts[index] : self.starts[index + 1]])
        return TokenRow(ids, (head_start, head_stop), (tail_start, tail_stop))

    def batch(self, indices: Iterable[int]) -> StatementBatch:
        """Collate some of the rows."""
        return collate([self.row(index) for index in indices], self.layout)


@dataclass(slots=True)
class TokenRowsBuilder:
    """Collects token rows one by one and makes flat arrays of them."""

    layout: Layout
    _ids: list[NDArray[np.int32]]
    _places: list[tuple[int, int, int, int]]

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._ids = []
        self._places = []

    def add(self, row: TokenRow) -> None:
        """Take one row."""
        self._ids.append(row.ids)
        self._places.append((*row.head, *row.tail))

    def finish(self) -> TokenRows:
        """Return all rows that were added, flat."""
        lengths = np.fromiter((len(ids) for ids in self._ids), dtype=np.int64, count=len(self._ids))
        return TokenRows(
            tokens=np.concatenate(self._ids) if self._ids else np.empty(0, dtype=np.int32),
            starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            places=np.asarray(self._places, dtype=np.int32).reshape(-1, 4),
            layout=self.layout,
        )


def tokenise(
    statements: Iterable[Statement], tokenizer: StatementTokenizer, *, max_length: int, at_a_time: int = 1024
) -> Iterable[tuple[Statement, TokenRow | StatementError]]:
    """Yield each statement with its token row, or with the reason why it has none."""
    remaining = iter(statements)
    while chunk := list(islice(remaining, at_a_time)):
        for statement, encoding in zip(chunk, tokenizer.split([s.text for s in chunk]), strict=True):
            try:
                yield statement, mark_statement(statement, encoding, tokenizer.layout, max_length)
            except StatementError as problem:
                yield statement, problem


def tokenise_all(statements: Sequence[Statement], tokenizer: StatementTokenizer, *, max_length: int) -> TokenRows:
    """Tokenise a list of statements; one that does not fit is an error, since a caller wants all of them."""
    builder = TokenRowsBuilder(tokenizer.layout)
    for number, (statement, row) in enumerate(tokenise(statements, tokenizer, max_length=max_length)):
        if isinstance(row, StatementError):
            raise BadInput(f"statement {statement.id or number!r}: {row}")
        builder.add(row)
    return builder.finish()
