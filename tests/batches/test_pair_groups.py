"""Episodes whose queries are about other entity pairs than their examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protorel.batches import draw_episodes, pair_groups
from protorel.statements import BadInput, Span, Statement

ROWS = np.split(np.arange(60), [10, 20, 30, 40, 50])


def _statement(head, tail, head_id=None, tail_id=None):
    text = f"{head} met {tail}."
    start = text.index(tail, len(head))
    return Statement(text, Span(0, len(head)), Span(start, start + len(tail)), "met", head_id=head_id, tail_id=tail_id)


def test_a_pair_is_known_by_its_ids_or_else_by_its_names_in_either_order():
    found = pair_groups(
        [
            _statement("Ada Kroll", "Lunsk"),
            _statement("LUNSK", "ada  kroll"),
            _statement("Ada Kroll", "Oster"),
            _statement("Ada Kroll", "Lunsk", "Q1", "Q2"),
            _statement("A. Kroll", "the town", "Q2", "Q1"),
            _statement("Ada Kroll", "Lunsk", "Q1", None),
        ]
    )
    assert found.tolist() == [0, 0, 1, 2, 2, 0]


@given(
    groups=st.lists(st.integers(0, 25), min_size=60, max_size=60),
    way=st.integers(1, 6),
    shot=st.integers(0, 4),
    seed=st.integers(0, 50),
)
@settings(max_examples=30)
def test_no_query_shares_its_pair_with_an_example_of_its_episode(groups, way, shot, seed):
    numbers = np.asarray(groups)
    try:
        drawn = draw_episodes(ROWS, way=way, shot=shot, count=4, seed=seed, groups=numbers)
    except BadInput:
        assume(False)
    for relations, support, query in zip(drawn.relations, drawn.support, drawn.query, strict=True):
        assert not set(numbers[support].ravel().tolist()) & set(numbers[query].tolist())
        assert len(set(relations.tolist())) == way
        for place, relation in enumerate(relations):
            rows = [*support[place].tolist(), int(query[place])]
            assert set(rows) <= set(ROWS[relation].tolist())
            assert len(set(rows)) == shot + 1


def test_the_same_seed_replays_the_same_episodes():
    groups = np.arange(60) // 2
    first, again = (draw_episodes(ROWS, way=5, shot=2, count=20, seed=3, groups=groups) for _ in range(2))
    for name in ("relations", "support", "query"):
        assert np.array_equal(getattr(first, name), getattr(again, name))


def test_every_row_can_be_asked_about_equally_often():
    episodes = draw_episodes(ROWS[:2], way=2, shot=1, count=600, seed=0, groups=np.arange(60) // 2)
    queries = np.bincount(episodes.query.ravel(), minlength=20) / 1200
    assert queries == pytest.approx([1 / 20] * 20, abs=0.03)


def test_a_relation_with_one_large_pair_is_asked_about_where_enough_is_left():
    # Nine rows of one pair and one of another: three examples can only be of the large pair.
    groups = np.where(np.arange(60) % 10 == 9, 100, 0) + np.arange(60) // 10
    drawn = draw_episodes(ROWS, way=6, shot=3, count=10, seed=0, groups=groups)
    assert set((drawn.query % 10).ravel().tolist()) == {9}


def test_a_relation_with_too_few_pairs_is_named():
    groups = np.arange(60)
    groups[20:30] = 7
    with pytest.raises(BadInput, match=r"relation 'c': expected .* for 2 shots .* got 10 statements of 1 entity pairs"):
        draw_episodes(ROWS, way=2, shot=2, count=1, seed=0, groups=groups, names=list("abcdef"))


def test_relations_that_share_all_their_pairs_are_refused_and_not_drawn_for_ever():
    # Nine rows of pair 0 and one of pair 1, and the other way round: what one must ask, the other must show.
    rows, groups = ROWS[:2], np.asarray([0] * 9 + [1] + [1] * 9 + [0])
    with pytest.raises(BadInput, match="a, b: expected 3 shots and queries with other entity pairs"):
        draw_episodes(rows, way=2, shot=3, count=1, seed=0, groups=groups, names=["a", "b"])
