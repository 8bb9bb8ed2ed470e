from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.batches import TokenRow, mark_statement, rename, swap_names
from protorel.batches.token_rows import TokenRowsBuilder
from protorel.encoders import word_tokenizer
from protorel.statements import Span, Statement

WORDS = word_tokenizer([f"w{i}" for i in range(20)], markers=True)
LAYOUT = WORDS.layout


def row_of(words: int, head: tuple[int, int], tail: tuple[int, int], *, first: int = 0) -> TokenRow:
    """Return a row of the words w<first>, w<first+1>, … with entities at given words."""
    names = [f"w{(first + i) % 20}" for i in range(words)]
    starts = [sum(len(name) + 1 for name in names[:i]) for i in range(words)]
    spans = [Span(starts[a], starts[b - 1] + len(names[b - 1])) for a, b in (head, tail)]
    text = " ".join(names)
    return mark_statement(Statement(text, *spans), WORDS.split([text])[0], LAYOUT, 64)


def name_of(row: TokenRow, place: tuple[int, int]) -> list[int]:
    return [i for i in row.ids[slice(*place)].tolist() if i not in LAYOUT.structural]


def around(row: TokenRow) -> list[int]:
    """Return what stands outside both entities."""
    outside = np.ones(len(row.ids), dtype=bool)
    for start, stop in (row.head, row.tail):
        outside[start:stop] = False
    return row.ids[outside].tolist()


@st.composite
def shapes(draw) -> tuple[int, tuple[int, int], tuple[int, int], int]:
    """Draw a length, two entities that do not overlap, and a first word."""
    cuts = sorted(draw(st.sets(st.integers(0, 12), min_size=4, max_size=4)))
    head, tail = draw(st.permutations([(cuts[0], cuts[1]), (cuts[2], cuts[3])]))
    return draw(st.integers(cuts[3], 14)), head, tail, draw(st.integers(0, 19))


@given(shape=shapes(), other=shapes(), which=st.tuples(st.booleans(), st.booleans()))
def test_a_renamed_row_has_the_new_names_and_else_the_words_and_markers_it_had(shape, other, which):
    row, donor = (row_of(*made[:3], first=made[3]) for made in (shape, other))
    new = [np.asarray(name_of(donor, place), dtype=np.int32) for place in (donor.head, donor.tail)]
    before = row.ids.copy()
    renamed = rename(row, LAYOUT, new[0] if which[0] else None, new[1] if which[1] else None, max_length=64)
    assert (row.ids == before).all()
    assert around(renamed) == around(row)
    places = zip(which, (renamed.head, renamed.tail), (row.head, row.tail), new, strict=True)
    for wanted, place, old_place, name in places:
        assert name_of(renamed, place) == (name.tolist() if wanted else name_of(row, old_place))
        structure = [i for i in renamed.ids[slice(*place)].tolist() if i in LAYOUT.structural]
        assert structure == [i for i in row.ids[slice(*old_place)].tolist() if i in LAYOUT.structural]
    assert (renamed.head < renamed.tail) == (row.head < row.tail)


def test_a_row_that_would_grow_too_long_stays_as_it_is():
    row = row_of(6, (0, 1), (3, 4))
    long_name = np.arange(5, 15, dtype=np.int32)
    assert rename(row, LAYOUT, long_name, None, max_length=len(row.ids) + 8) is row
    assert len(rename(row, LAYOUT, long_name, None, max_length=len(row.ids) + 9).ids) == len(row.ids) + 9


def test_entities_that_overlap_keep_their_names():
    row = row_of(6, (0, 3), (1, 2))
    name = np.asarray([9], dtype=np.int32)
    assert rename(row, LAYOUT, name, name, max_length=64) is row


@pytest.fixture
def data():
    builder = TokenRowsBuilder(LAYOUT)
    for first in range(6):
        builder.add(row_of(8, (0, 2), (4, 5), first=first))
    return builder.finish()


@pytest.fixture
def of_relation():
    return [np.arange(3), np.arange(3, 6)]


def swapped(data, of_relation, *, rate, seed=0):
    rows, relations = [data.row(i) for i in range(6)], [0, 0, 0, 1, 1, 1]
    rng = np.random.default_rng(seed)
    return swap_names(rows, relations, data, of_relation, rate=rate, max_length=64, rng=rng)


def test_a_new_name_comes_from_the_same_place_in_a_statement_of_the_same_relation(data, of_relation):
    heads = [{tuple(name_of(data.row(int(i)), data.row(int(i)).head)) for i in own} for own in of_relation]
    tails = [{tuple(name_of(data.row(int(i)), data.row(int(i)).tail)) for i in own} for own in of_relation]
    seen = set()
    for seed in range(60):
        for index, row in enumerate(swapped(data, of_relation, rate=1.0, seed=seed)):
            assert tuple(name_of(row, row.head)) in heads[index // 3]
            assert tuple(name_of(row, row.tail)) in tails[index // 3]
            seen.add((index, tuple(name_of(row, row.head)), tuple(name_of(row, row.tail))))
    # Head and tail are drawn apart from each other: three by three for each of six rows.
    assert len(seen) == 6 * 9


def test_names_are_swapped_as_often_as_the_rate_says(data, of_relation):
    originals = [data.row(i) for i in range(6)]
    for row, original in zip(swapped(data, of_relation, rate=0.0), originals, strict=True):
        assert row.ids.tolist() == original.ids.tolist()
    changed = sum(
        name_of(row, row.head) != name_of(original, original.head)
        for seed in range(300)
        for row, original in zip(swapped(data, of_relation, rate=0.5, seed=seed), originals, strict=True)
    )
    # Half are swapped, and one donor in three is the row itself.
    assert 0.28 < changed / 1800 < 0.39


def test_the_same_generator_swaps_the_same_names(data, of_relation):
    one, two, other = (swapped(data, of_relation, rate=0.7, seed=seed) for seed in (1, 1, 2))
    assert [row.ids.tolist() for row in one] == [row.ids.tolist() for row in two]
    assert [row.ids.tolist() for row in one] != [row.ids.tolist() for row in other]
