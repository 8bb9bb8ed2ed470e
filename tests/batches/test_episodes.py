from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.batches import draw_episodes
from protorel.statements import BadInput

ROWS = np.split(np.arange(60)[::-1].copy(), [10, 20, 30, 40, 50])
RELATION_OF = {int(row): relation for relation, rows in enumerate(ROWS) for row in rows}


@given(way=st.integers(1, 6), shot=st.integers(1, 9), seed=st.integers(0, 100))
@settings(max_examples=40)
def test_support_and_query_are_different_rows_of_the_episode_s_relations(way, shot, seed):
    episodes = draw_episodes(ROWS, way=way, shot=shot, count=5, seed=seed)
    assert len(episodes) == 5
    assert episodes.support.shape == (5, way, shot)
    assert episodes.query.shape == episodes.relations.shape == (5, way)
    for relations, support, query in zip(episodes.relations, episodes.support, episodes.query, strict=True):
        assert len(set(relations.tolist())) == way
        drawn = [*support.ravel().tolist(), *query.tolist()]
        assert len(set(drawn)) == len(drawn)
        for place, relation in enumerate(relations):
            assert {RELATION_OF[int(row)] for row in (*support[place], query[place])} == {int(relation)}


def test_the_same_seed_replays_the_same_episodes():
    first, again = (draw_episodes(ROWS, way=5, shot=2, count=30, seed=3) for _ in range(2))
    for name in ("relations", "support", "query"):
        assert np.array_equal(getattr(first, name), getattr(again, name))


def test_other_seeds_give_other_episodes():
    first, other = (draw_episodes(ROWS, way=5, shot=2, count=30, seed=seed) for seed in (3, 4))
    assert not np.array_equal(first.query, other.query)


def test_fewer_episodes_are_the_beginning_of_more():
    few, many = (draw_episodes(ROWS, way=3, shot=1, count=count, seed=0) for count in (4, 40))
    assert np.array_equal(few.support, many.support[:4])


def test_every_relation_and_row_has_an_equal_chance():
    episodes = draw_episodes(ROWS, way=3, shot=1, count=2000, seed=0)
    shares = np.bincount(episodes.relations.ravel(), minlength=6) / 6000
    assert shares == pytest.approx([1 / 6] * 6, abs=0.02)
    queries = np.bincount(episodes.query.ravel(), minlength=60) / 6000
    assert queries == pytest.approx([1 / 60] * 60, abs=0.01)


def test_too_few_relations_are_refused():
    with pytest.raises(BadInput, match="at least 7 relations for 7-way episodes, got 6"):
        draw_episodes(ROWS, way=7, shot=1, count=1, seed=0)


def test_a_relation_with_too_few_statements_is_refused():
    with pytest.raises(BadInput, match="at least 11 statements for 10 shots and a query, got 10"):
        draw_episodes(ROWS, way=5, shot=10, count=1, seed=0)


def test_a_seed_gives_the_episodes_that_published_results_were_made_with():
    episodes = draw_episodes(ROWS, way=3, shot=2, count=2, seed=7)
    assert episodes.relations.tolist() == [[4, 0, 2], [2, 1, 0]]
    assert episodes.support.tolist() == [[[14, 18], [50, 51], [38, 32]], [[38, 30], [46, 43], [56, 52]]]
    assert episodes.query.tolist() == [[13, 54, 33], [32, 41, 50]]


def test_without_shots_only_queries_are_drawn():
    episodes = draw_episodes(ROWS, way=4, shot=0, count=5, seed=0)
    assert episodes.support.shape == (5, 4, 0)
    for relations, query in zip(episodes.relations, episodes.query, strict=True):
        assert [RELATION_OF[int(row)] for row in query] == relations.tolist()


def test_the_smallest_relation_is_named_and_others_like_it_are_counted():
    rows = [np.arange(9), np.arange(9, 12), np.arange(12, 16)]
    with pytest.raises(
        BadInput,
        match=r"relation 'b': expected at least 6 statements for 5 shots and a query, got 3 \(2 such relations",
    ):
        draw_episodes(rows, way=2, shot=5, count=1, seed=0, names=["a", "b", "c"])
