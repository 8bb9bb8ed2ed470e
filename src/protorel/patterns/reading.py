"""The patterns of a data set to read: what Snowball found, as rows for a table and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.patterns.contexts import PARTS, context_of
from protorel.patterns.corpus import PatternCorpus, read_corpus
from protorel.patterns.settings import SnowballSettings
from protorel.patterns.snowball import RelationPatterns, find_patterns
from protorel.patterns.wording import Excerpt, excerpt, worded
from protorel.statements import DataSet, Statement, StatementSource

_EXAMPLES = 2
_LOOKED_AT = 3
"""How many times as many patterns as are asked for are put into words."""


@dataclass(frozen=True, slots=True)
class ReadPattern:
    """One pattern, as a person reads it."""

    pattern: str
    confidence: float
    statements: int
    """How many statements with the relation's label it matches."""
    pairs: int
    """How many entity pairs that hold the relation."""
    other_pairs: int
    """How many pairs that are said to hold other relations only."""
    examples: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class ReadPatterns:
    """The patterns of one relation, the most telling first: confidence · log2(1 + statements)."""

    relation: str
    statements: int
    matched: int
    """How many of the relation's statements match a pattern, shown or not."""
    rounds: int
    found: int
    patterns: tuple[ReadPattern, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all of it for a file."""
        told = asdict(self)
        for row, pattern in zip(told["patterns"], self.patterns, strict=True):
            row["examples"] = [{"id": example.id, "text": str(example)} for example in pattern.examples]
        return told


DEFAULT_SETTINGS = SnowballSettings()


def read_patterns(
    source: StatementSource,
    relations: Sequence[str] | None = None,
    *,
    top: int,
    settings: SnowballSettings = DEFAULT_SETTINGS,
) -> Iterator[ReadPatterns]:
    """Find the patterns of some relations, or of all, and put the `top` of each into words, one relation at a time."""
    corpus = read_corpus(source, settings)
    for relation in corpus.relations.ids if relations is None else relations:
        yield _read(source, corpus, find_patterns(corpus, relation, settings), top, settings)


def patterns_json(
    found: Sequence[ReadPatterns], data: DataSet, *, top: int, settings: SnowballSettings = DEFAULT_SETTINGS
) -> dict[str, Any]:
    """Return patterns for a file, with the data and the settings that they come from."""
    return {
        "task": "patterns",
        "data": data.described(),
        "settings": settings.as_json() | {"top": top},
        "relations": [each.as_json() for each in found],
    }


def _read(
    source: StatementSource, corpus: PatternCorpus, found: RelationPatterns, top: int, settings: SnowballSettings
) -> ReadPatterns:
    own = np.flatnonzero(corpus.rows_with(corpus.relations.index(found.relation)))
    matches = found.matches[own].tocsc()
    # Clusters may differ in words that too few of their statements share: of patterns that read alike one is shown.
    telling = np.argsort(-found.confidence * np.log2(1 + found.own), kind="stable")[: _LOOKED_AT * top]
    likest = {int(pattern): own[_likest(matches, int(pattern))] for pattern in telling}
    # One that was found in other statements of the same pairs may match none of the relation's own.
    likest = {pattern: rows for pattern, rows in likest.items() if len(rows)}
    statements = _statements(source, corpus, {int(row) for rows in likest.values() for row in rows[:_EXAMPLES]})
    shown: dict[str, ReadPattern] = {}
    for pattern, rows in likest.items():
        examples = [statements[int(row)] for row in rows[:_EXAMPLES]]
        context = context_of(examples[0], window=settings.window, longest_middle=settings.longest_middle)
        words = worded(context, _shared(corpus, rows))
        if words not in shown and len(shown) < top:
            shown[words] = ReadPattern(
                words,
                confidence=float(found.confidence[pattern]),
                statements=int(found.own[pattern]),
                pairs=int(found.positive[pattern]),
                other_pairs=int(found.negative[pattern]),
                examples=tuple(map(excerpt, examples)),
            )
    matched = int((np.diff(found.matches[own].indptr) > 0).sum())
    return ReadPatterns(found.relation, len(own), matched, found.rounds, len(found), tuple(shown.values()))


def _likest(matches: Any, pattern: int) -> NDArray[np.int64]:
    """Return the rows that a pattern matches, best first."""
    column = slice(matches.indptr[pattern], matches.indptr[pattern + 1])
    order = np.argsort(-matches.data[column], kind="stable")
    return np.asarray(matches.indices[column][order], dtype=np.int64)


def _shared(corpus: PatternCorpus, rows: NDArray[np.int64]) -> set[tuple[str, str]]:
    """Return the terms, with their part, that at least half of some rows have."""
    counts = np.bincount(corpus.vectors[rows].indices, minlength=len(corpus.space))
    space = corpus.space
    common = np.flatnonzero(2 * counts >= max(1, len(rows)))
    return {(PARTS[space.part_of[column]], space.terms[space.term_of[column]]) for column in common}


def _statements(source: StatementSource, corpus: PatternCorpus, rows: set[int]) -> Mapping[int, Statement]:
    """Read some rows' statements again: a corpus keeps no text."""
    found: dict[int, Statement] = {}
    for row, statement in zip(corpus.row_of, source(), strict=True):
        if row in rows and row not in found:
            found[int(row)] = statement
    return found
