"""Context vectors against the same thing written as loops over dictionaries."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from protorel.patterns.context_vectors import ContextVectors
from protorel.patterns.contexts import PARTS, Context, Slot

HEAD_FIRST, TAIL_FIRST = Slot(True, None, None), Slot(False, None, None)
SHARES = (0.2, 0.5, 0.3)
CONTEXTS = [
    Context(HEAD_FIRST, ("",), ("was", "born", "in"), (",", "a")),
    Context(HEAD_FIRST, ("poet",), ("was", "born", "was"), (",", "")),
    Context(TAIL_FIRST, ("",), ("was", "born"), ("",)),
    Context(TAIL_FIRST, ("in",), ("bore",), ("a", "")),
    Context(HEAD_FIRST, ("in",), ("was", "only", "once"), ("a", "")),
    Context(Slot(True, "person", "town"), ("in",), ("was", "born", "in"), ("a", "")),
]


def plain_vectors(contexts) -> list[dict[tuple, float]]:
    parts = [(c.slot, part, getattr(c, part)) for c in contexts for part in PARTS]
    seen_in = Counter((part, term) for _, part, terms in parts for term in set(terms))
    vectors = []
    for context in contexts:
        vector = {}
        for part, share in zip(PARTS, SHARES, strict=True):
            weights = {
                term: (1 + math.log(count)) * math.log(1 + len(contexts) / seen_in[part, term])
                for term, count in Counter(getattr(context, part)).items()
            }
            length = math.sqrt(sum(weight**2 for weight in weights.values()))
            for term, weight in weights.items():
                vector[context.slot, part, term] = math.sqrt(share) * weight / length
        vectors.append(vector)
    rows_with = Counter(feature for vector in vectors for feature in vector)
    return [{key: value for key, value in vector.items() if rows_with[key] > 1} for vector in vectors]


def built(contexts=CONTEXTS):
    builder = ContextVectors()
    for context in contexts:
        builder.add(context)
    return builder.finish(shares=SHARES)


def named(matrix, space) -> list[dict[tuple, float]]:
    names = [
        (space.slots[slot], PARTS[part], space.terms[term])
        for slot, part, term in zip(space.slot_of, space.part_of, space.term_of, strict=True)
    ]
    rows = matrix.toarray()
    return [{names[column]: row[column] for column in np.flatnonzero(row)} for row in rows]


def test_vectors_equal_plain_loops():
    vectors, space = built()
    for found, expected in zip(named(vectors, space), plain_vectors(CONTEXTS), strict=True):
        assert found == pytest.approx(expected, rel=1e-5)


def test_a_context_matches_itself_to_1_where_all_its_terms_are_known():
    vectors, _ = built([*CONTEXTS, *CONTEXTS])
    assert (vectors @ vectors.T).diagonal() == pytest.approx(np.ones(12), rel=1e-5)


def test_a_term_that_no_other_context_has_makes_a_match_worse():
    vectors, _ = built()
    lengths = (vectors @ vectors.T).diagonal()
    assert lengths[4] < 1 - 0.25
    assert lengths[5] < 1


def test_order_and_types_never_match_across():
    vectors, _ = built([*CONTEXTS, *CONTEXTS])
    matches = (vectors @ vectors.T).toarray()
    slots = [context.slot for context in CONTEXTS] * 2
    for i, one in enumerate(slots):
        for j, other in enumerate(slots):
            assert (matches[i, j] > 0) <= (one == other)


def test_unit_scales_each_part_to_its_share_and_leaves_an_empty_one():
    vectors, space = built([*CONTEXTS, *CONTEXTS])
    doubled = vectors.copy()
    doubled.data = doubled.data * np.random.default_rng(0).uniform(1, 9)
    assert abs(space.unit(doubled) - vectors).max() < 1e-6
    left = vectors.copy()
    left.data = np.where(space.part_of[left.indices] == 0, left.data, 0)
    assert np.square(space.unit(left).toarray()).sum(1) == pytest.approx(np.full(12, SHARES[0]), rel=1e-5)


def test_no_context_makes_no_vector():
    vectors, space = built([])
    assert vectors.shape == (0, 0)
    assert len(space) == 0
