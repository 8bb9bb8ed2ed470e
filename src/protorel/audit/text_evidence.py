"""Evidence that needs no vectors: relations of the pair, repeated sentences, entity types, word patterns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.audit.labelled_rows import LabelledRows
from protorel.audit.relation_anchors import Vectors
from protorel.patterns import PatternCorpus, SnowballSettings, find_patterns, read_corpus
from protorel.statements import NearDuplicates, Statement, entity_pair

Counts = NDArray[np.int32]
_COMPARED = 16
"""Most statements about one pair of which each is compared with each; more are looked up in an index."""


def pair_relations(statements: Sequence[Statement]) -> Counts:
    """Return how many relations the data gives the pair of each statement, in this order of head and tail."""
    held: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for one in statements:
        held[entity_pair(one)].add(str(one.relation))
    return np.asarray([len(held[entity_pair(one)]) for one in statements], dtype=np.int32)


def duplicate_conflicts(statements: Sequence[Statement]) -> Counts:
    """Return how many other statements nearly repeat the sentence and have other labels, never the same one.

    A repeated sentence that marks other entities, or whose other copy has the same label too, does not contradict.
    """
    rows_of: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row, one in enumerate(statements):
        rows_of[entity_pair(one)].append(row)
    counts = np.zeros(len(statements), dtype=np.int32)
    index = NearDuplicates()
    # Only statements about one pair are compared: an index of all sentences takes 9 kB for each.
    for rows in rows_of.values():
        if len({statements[row].relation for row in rows}) > 1:
            for row, repeated in _repeats(statements, rows, index):
                if all(statements[other].relation != statements[row].relation for other in repeated):
                    counts[row] = len(repeated)
    return counts


def _repeats(
    statements: Sequence[Statement], rows: Sequence[int], index: NearDuplicates
) -> Iterator[tuple[int, list[int]]]:
    """Yield each row with the others that nearly repeat its sentence."""
    if len(rows) <= _COMPARED:
        least = index.settings.threshold
        for row in rows:
            others = [other for other in rows if other != row]
            alike = [other for other in others if index.likeness(statements[row], statements[other]) >= least]
            yield row, alike
        return
    index = NearDuplicates()
    for row in rows:
        index.add(row, statements[row])
    for row in rows:
        found = index.find(statements[row])
        yield row, [other for other in (found[1] if found else ()) if other != row]


def type_shares(statements: Sequence[Statement]) -> Vectors:
    """Return the share of the label's statements with these entity types, itself left out; NaN without types."""
    kinds = Counter((one.relation, one.head_type, one.tail_type) for one in statements)
    typed = Counter(one.relation for one in statements if one.head_type and one.tail_type)
    shares = np.full(len(statements), np.nan, dtype=np.float32)
    for row, one in enumerate(statements):
        if one.head_type and one.tail_type and typed[one.relation] > 1:
            shares[row] = (kinds[one.relation, one.head_type, one.tail_type] - 1) / (typed[one.relation] - 1)
    return shares


def wording_confidence(labelled: LabelledRows) -> Vectors:
    """Return the confidence of the label's best word pattern that matches the text; 0 where none does.

    The statement's own pair does not count for a pattern: a label must not support itself.
    """
    settings = SnowballSettings()
    corpus = read_corpus(lambda: iter(labelled.statements), settings)
    confidence = np.zeros(len(labelled), dtype=np.float32)
    for number, relation in enumerate(labelled.relations):
        own = np.flatnonzero(labelled.labels == number)
        confidence[own] = _best_patterns(corpus, relation, own, settings)
    return confidence


def _best_patterns(corpus: PatternCorpus, relation: str, own: NDArray[np.int64], settings: SnowballSettings) -> Vectors:
    found = find_patterns(corpus, relation, settings)
    without_own = np.maximum(found.positive - 1, 0)
    trusted = np.where(without_own > 0, without_own / np.maximum(1, without_own + found.negative), 0.0)
    matches = found.matches[corpus.row_of[own]]
    best = np.zeros(len(own), dtype=np.float32)
    rows = np.repeat(np.arange(len(own)), np.diff(matches.indptr))
    np.maximum.at(best, rows, trusted[matches.indices].astype(np.float32))
    return best
