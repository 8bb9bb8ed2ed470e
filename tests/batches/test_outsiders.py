"""Queries from outside the ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.batches import draw_episodes, mix_outsiders
from protorel.statements import BadInput

ROWS = np.split(np.arange(80), [10, 20, 30, 40, 50, 60, 70])


def _mixed(share, way=5, shot=1, count=40, seed=0, **more):
    drawn = draw_episodes(ROWS, way=way, shot=shot, count=count, seed=seed, **more)
    return drawn, mix_outsiders(drawn, ROWS, share=share, seed=seed, **more)


@given(share=st.sampled_from([0.0, 0.15, 0.3, 0.5, 0.9]), way=st.integers(1, 7), seed=st.integers(0, 20))
@settings(max_examples=25)
def test_outsiders_are_of_no_way_and_everything_else_stays(share, way, seed):
    drawn, mixed = _mixed(share, way=way, seed=seed, count=8)
    assert np.array_equal(mixed.episodes.relations, drawn.relations)
    assert np.array_equal(mixed.episodes.support, drawn.support)
    assert np.array_equal(mixed.episodes.query[mixed.known], drawn.query[mixed.known])
    for episode, place in np.argwhere(~mixed.known):
        assert mixed.episodes.query[episode, place] // 10 not in drawn.relations[episode]


@pytest.mark.parametrize(("share", "outsiders"), [(0.0, 0), (0.15, 30), (0.3, 60), (0.5, 100)])
def test_the_share_is_kept_to_the_query(share, outsiders):
    _, mixed = _mixed(share)
    assert (~mixed.known).sum() == outsiders
    # Not a few episodes full of them: every episode has its part.
    each = (~mixed.known).sum(axis=1)
    assert each.max() - each.min() <= 1


def test_fewer_episodes_are_the_beginning_of_more():
    few, many = (_mixed(0.3, count=count)[1] for count in (7, 40))
    assert np.array_equal(few.known, many.known[:7])
    assert np.array_equal(few.episodes.query, many.episodes.query[:7])


def test_every_relation_outside_is_drawn_equally_often_whatever_its_size():
    rows = [np.arange(0, 10), np.arange(10, 20), np.arange(20, 100), np.arange(100, 105)]
    drawn = draw_episodes(rows, way=1, shot=1, count=800, seed=0)
    mixed = mix_outsiders(drawn, rows, share=0.5, seed=0)
    of = np.searchsorted([10, 20, 100], mixed.episodes.query[~mixed.known], side="right")
    assert np.bincount(of, minlength=4) / 400 == pytest.approx([0.25] * 4, abs=0.1)


def test_an_outsider_s_pair_is_that_of_no_example_where_pairs_are_kept_apart():
    groups = np.arange(80) % 12
    _, mixed = _mixed(0.5, way=3, shot=2, groups=groups)
    for support, query in zip(mixed.episodes.support, mixed.episodes.query, strict=True):
        assert not set(groups[support].ravel().tolist()) & set(groups[query].tolist())


def test_outsiders_that_share_every_pair_with_the_examples_are_refused():
    drawn = draw_episodes(ROWS, way=5, shot=1, count=10, seed=0)
    with pytest.raises(BadInput, match="other entity pairs than the examples, got too many entity pairs in common"):
        mix_outsiders(drawn, ROWS, share=0.5, seed=0, groups=np.zeros(80, dtype=np.int64))


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_cannot_be_drawn_is_refused(share):
    with pytest.raises(BadInput, match="expected a share of queries from outside"):
        _mixed(share)


def test_ways_that_are_all_relations_leave_none_outside():
    with pytest.raises(BadInput, match="at least 9 relations for 8-way episodes with queries from outside, got 8"):
        _mixed(0.3, way=8)
    assert _mixed(0.0, way=8)[1].known.all()
