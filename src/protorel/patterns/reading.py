"""The patterns of a data set in readable form, as rows for a table and for JSON."""

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
"""The number of patterns to verbalise, as a multiple of those to show."""


@dataclass(frozen=True, slots=True)
class ReadPattern:
    """One pattern in words, with its counts."""

    pattern: str
    confidence: float
    statements: int
    """The number of matched statements with the relation's label."""
    pairs: int
    """The number of matched entity pairs with the relation."""
    other_pairs: int
    """The number of matched pairs labelled only with other relations."""
    examples: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class ReadPatterns:
    """The patterns of one relation, ordered by confidence · log2(1 + statements)."""

    relation: str
    statements: int
    matched: int
    """The number of the relation's statements that match a pattern, shown or not."""
    rounds: int
    found: int
    patterns: tuple[ReadPattern, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the patterns for JSON."""
        fields = asdict(self)
        for row, pattern in zip(fields["patterns"], self.patterns, strict=True):
            row["examples"] = [{"id": example.id, "text": str(example)} for example in pattern.examples]
        return fields


DEFAULT_SETTINGS = SnowballSettings()


def read_patterns(
    source: StatementSource,
    relations: Sequence[str] | None = None,
    *,
    top: int,
    settings: SnowballSettings = DEFAULT_SETTINGS,
) -> Iterator[ReadPatterns]:
    """Yield the `top` patterns of some relations, or of all, in words, one relation at a time."""
    corpus = read_corpus(source, settings)
    for relation in corpus.relations.ids if relations is None else relations:
        yield _read(source, corpus, find_patterns(corpus, relation, settings), top, settings)


def patterns_json(
    found: Sequence[ReadPatterns], data: DataSet, *, top: int, settings: SnowballSettings = DEFAULT_SETTINGS
) -> dict[str, Any]:
    """Return patterns for JSON, with their data and settings."""
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
    # Clusters may differ in words that too few of their statements share: of patterns with equal words one is shown.
    ranked = np.argsort(-found.confidence * np.log2(1 + found.own), kind="stable")[: _LOOKED_AT * top]
    best_rows = {int(pattern): own[_best_rows(matches, int(pattern))] for pattern in ranked}
    # A pattern found in other statements of the same pairs may match none with the relation's label.
    best_rows = {pattern: rows for pattern, rows in best_rows.items() if len(rows)}
    statements = _statements(source, corpus, {int(row) for rows in best_rows.values() for row in rows[:_EXAMPLES]})
    shown: dict[str, ReadPattern] = {}
    for pattern, rows in best_rows.items():
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


def _best_rows(matches: Any, pattern: int) -> NDArray[np.int64]:
    """Return the rows that a pattern matches, best first."""
    column = slice(matches.indptr[pattern], matches.indptr[pattern + 1])
    order = np.argsort(-matches.data[column], kind="stable")
    return np.asarray(matches.indices[column][order], dtype=np.int64)


def _shared(corpus: PatternCorpus, rows: NDArray[np.int64]) -> set[tuple[str, str]]:
    """Return the terms, with their part, that at least half of the rows have."""
    counts = np.bincount(corpus.vectors[rows].indices, minlength=len(corpus.space))
    space = corpus.space
    common = np.flatnonzero(2 * counts >= max(1, len(rows)))
    return {(PARTS[space.part_of[column]], space.terms[space.term_of[column]]) for column in common}


def _statements(source: StatementSource, corpus: PatternCorpus, rows: set[int]) -> Mapping[int, Statement]:
    """Return the statements of some rows, read again: a corpus holds no text."""
    found: dict[int, Statement] = {}
    for row, statement in zip(corpus.row_of, source(), strict=True):
        if row in rows and row not in found:
            found[int(row)] = statement
    return found
