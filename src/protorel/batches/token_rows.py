"""Tokenised statements and texts as flat arrays: in memory for a few, memory-mapped for a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from protorel.batches.layout import Layout, StatementTokenizer
from protorel.batches.markers import TokenRow, mark_statement
from protorel.batches.statement_batch import PairBatch, StatementBatch, collate
from protorel.statements import BadInput, Statement, StatementError, Wording


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Many token rows, concatenated, with the start of each and the places of its entities."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    """For each row: start and stop of the head, start and stop of the tail."""
    layout: Layout

    def __len__(self) -> int:
        return len(self.places)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens in each row."""
        return np.diff(self.starts)

    def row(self, index: int) -> TokenRow:
        """Return one row; its ids are a copy, which may be written to."""
        head_start, head_stop, tail_start, tail_stop = (int(place) for place in self.places[index])
        ids = np.array(self.tokens[self.starts[index] : self.starts[index + 1]])
        return TokenRow(ids, (head_start, head_stop), (tail_start, tail_stop))

    def batch(self, indices: Iterable[int]) -> StatementBatch:
        """Collate some of the rows."""
        return collate([self.row(index) for index in indices], self.layout)


def join_pairs(rows: TokenRows, firsts: NDArray[np.int64], seconds: NDArray[np.int64]) -> PairBatch:
    """Return pairs of rows, so that an encoder attends from each statement to the other.

    Each of the first rows is joined with one of the second, without the latter's [CLS].

    Rows are not cropped here: each was cropped when it was tokenised.
    """
    lengths, before = rows.lengths, len(rows.layout.prefix)
    border = lengths[firsts][:, None]
    end = border + lengths[seconds][:, None] - before
    position = np.arange(end.max())
    present, second = position < end, (position >= border) & (position < end)
    # The offset from a position in the joined row to its token among all tokens.
    origin = np.where(second, rows.starts[seconds][:, None] + before - border, rows.starts[firsts][:, None])
    tokens = np.where(present, rows.tokens[np.where(present, origin + position, 0)], rows.layout.pad).astype(np.int64)
    return PairBatch(torch.from_numpy(tokens), torch.from_numpy(present), torch.from_numpy(second))


@dataclass(slots=True)
class TokenRowsBuilder:
    """Collects token rows one by one and returns them as flat arrays."""

    layout: Layout
    _ids: list[NDArray[np.int32]]
    _places: list[tuple[int, int, int, int]]

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._ids = []
        self._places = []

    def add(self, row: TokenRow) -> None:
        """Add one row."""
        self._ids.append(row.ids)
        self._places.append((*row.head, *row.tail))

    def finish(self) -> TokenRows:
        """Return all added rows as flat arrays."""
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
    """Yield each statement with its token row, or with the error that explains why it has none."""
    remaining = iter(statements)
    while chunk := list(islice(remaining, at_a_time)):
        for statement, encoding in zip(chunk, tokenizer.split([s.text for s in chunk]), strict=True):
            try:
                yield statement, mark_statement(statement, encoding, tokenizer.layout, max_length)
            except StatementError as problem:
                yield statement, problem


def tokenise_all(statements: Sequence[Statement], tokenizer: StatementTokenizer, *, max_length: int) -> TokenRows:
    """Tokenise a list of statements; raise `BadInput` for one that does not fit."""
    builder = TokenRowsBuilder(tokenizer.layout)
    for number, (statement, row) in enumerate(tokenise(statements, tokenizer, max_length=max_length)):
        if isinstance(row, StatementError):
            raise BadInput(f"statement {statement.id or number!r}: {row}")
        builder.add(row)
    return builder.finish()


@dataclass(frozen=True, slots=True)
class WordingRows:
    """The wordings of some relations: texts and generated statements, which are encoded differently."""

    texts: TokenRows
    made_up: TokenRows
    owners_of_texts: NDArray[np.int64]
    """For each text the number of its relation."""
    owners_of_made_up: NDArray[np.int64]


def wording_rows(
    wordings: Sequence[Sequence[Wording]], tokenizer: StatementTokenizer, *, max_length: int
) -> WordingRows:
    """Tokenise the wordings of relations; `wordings[n]` are those of relation n."""
    owned = [(owner, one) for owner, wording in enumerate(wordings) for one in wording]
    texts = [(owner, one) for owner, one in owned if isinstance(one, str)]
    made_up = [(owner, one) for owner, one in owned if not isinstance(one, str)]
    return WordingRows(
        text_rows([text for _, text in texts], tokenizer, max_length=max_length),
        tokenise_all([statement for _, statement in made_up], tokenizer, max_length=max_length),
        np.asarray([owner for owner, _ in texts], dtype=np.int64),
        np.asarray([owner for owner, _ in made_up], dtype=np.int64),
    )


def text_rows(texts: Sequence[str], tokenizer: StatementTokenizer, *, max_length: int) -> TokenRows:
    """Tokenise texts, without markers, truncated to `max_length` tokens.

    A text has no entities. For encoders that measure distances to them, these are its first and its last token.
    """
    layout = tokenizer.layout
    room = max_length - len(layout.prefix) - len(layout.suffix)
    builder = TokenRowsBuilder(layout)
    for text, encoding in zip(texts, tokenizer.split(texts), strict=True):
        kept = encoding.ids[:room]
        if not kept:
            raise BadInput(f"text {text[:80]!r}: expected at least one token, got none from the tokenizer")
        first = len(layout.prefix)
        last = first + len(kept) - 1
        ids = np.asarray([*layout.prefix, *kept, *layout.suffix], dtype=np.int32)
        builder.add(TokenRow(ids, (first, first + 1), (last, last + 1)))
    return builder.finish()
