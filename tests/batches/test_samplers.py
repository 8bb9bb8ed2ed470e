from __future__ import annotations

import functools
import operator
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protorel.batches import BalancedSampler, ShuffledBatches, rows_by_relation
from protorel.statements import BadInput

quick = settings(max_examples=60)


def relations_of(sizes: list[int]) -> list[np.ndarray]:
    """Rows 0, 1, 2, … dealt out to relations of these sizes."""
    return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])


def sampler_of(sizes: list[int], p: int, k: int, seed: int = 0, **more) -> BalancedSampler:
    return BalancedSampler(relations_of(sizes), relations_per_batch=p, statements_per_relation=k, seed=seed, **more)


@st.composite
def settings_of_a_sampler(draw) -> dict:
    sizes = draw(st.lists(st.integers(2, 9), min_size=1, max_size=9))
    return {
        "sizes": sizes,
        "p": draw(st.integers(1, len(sizes))),
        "k": draw(st.integers(1, 4)),
        "seed": draw(st.integers(0, 1000)),
    }


@given(settings_of_a_sampler())
@quick
def test_every_relation_comes_up_equally_often_in_every_epoch_and_never_twice_in_a_batch(asked):
    sampler = sampler_of(**asked)
    relation_of = np.repeat(np.arange(len(asked["sizes"])), asked["sizes"])
    for epoch in range(2):
        seen: Counter[int] = Counter()
        for batch in range(sampler.batches_per_epoch):
            rows = sampler.rows(epoch * sampler.batches_per_epoch + batch)
            relations = relation_of[rows].reshape(asked["p"], asked["k"])
            assert (relations == relations[:, :1]).all()
            assert len(set(relations[:, 0])) == asked["p"]
            seen.update(relations[:, 0].tolist())
        assert set(seen) == set(range(len(asked["sizes"])))
        assert len(set(seen.values())) == 1


@given(settings_of_a_sampler())
@quick
def test_no_statement_stands_twice_in_a_batch_unless_its_relation_is_too_small(asked):
    sampler = sampler_of(**asked)
    relation_of = np.repeat(np.arange(len(asked["sizes"])), asked["sizes"])
    for step in range(2 * sampler.batches_per_epoch):
        counts = Counter(sampler.rows(step))
        for row, count in counts.items():
            size = asked["sizes"][relation_of[row]]
            # Where there are too few, all of them stand in the batch, as evenly as can be.
            assert count <= -(-asked["k"] // size)


@given(settings_of_a_sampler(), st.randoms(use_true_random=False))
@quick
def test_a_batch_depends_on_seed_and_step_alone_and_not_on_what_was_asked_before(asked, random):
    in_order = sampler_of(**asked)
    steps = list(range(3 * in_order.batches_per_epoch))
    expected = [in_order.rows(step) for step in steps]
    another = sampler_of(**asked)
    random.shuffle(steps)
    for step in steps:
        assert another.rows(step) == expected[step]
        assert another.rows(step) == expected[step]


@given(settings_of_a_sampler(), st.integers(1, 4))
@quick
def test_the_ranks_together_hold_what_one_process_would(asked, world_size):
    assume(asked["p"] % world_size == 0)
    alone = sampler_of(**asked)
    ranks = [sampler_of(**asked, rank=rank, world_size=world_size) for rank in range(world_size)]
    for step in range(2 * alone.batches_per_epoch):
        shares = [rank.rows(step) for rank in ranks]
        assert len({len(share) for share in shares}) == 1
        assert sorted(row for share in shares for row in share) == sorted(alone.rows(step))


def test_other_seeds_give_other_batches():
    assert sampler_of([9] * 5, 2, 2, seed=0).rows(0) != sampler_of([9] * 5, 2, 2, seed=1).rows(0)


def test_every_statement_of_a_relation_is_dealt_once_before_any_comes_again():
    sampler = sampler_of([6, 12], 2, 3)
    dealt = [sampler.rows(step) for step in range(8)]
    small, large = ([[row for row in rows if (row < 6) is few] for rows in dealt] for few in (True, False))
    for first in range(0, 8, 2):
        assert sorted(functools.reduce(operator.iadd, small[first : first + 2], [])) == list(range(6))
    for first in range(0, 8, 4):
        assert sorted(functools.reduce(operator.iadd, large[first : first + 4], [])) == list(range(6, 18))
    assert small[0] != small[2]


def test_leftovers_of_one_shuffle_differ_from_those_of_the_next():
    sampler = sampler_of([7, 7], 2, 3)
    seen = Counter(row for step in range(40) for row in sampler.rows(step))
    assert set(seen) == set(range(14))


@given(st.integers(0, 500), st.integers(2, 4))
@quick
def test_a_statement_with_two_labels_never_stands_twice_in_a_batch(seed, k):
    # Five relations of 20; relation r and r+1 share half of their statements.
    sizes, rng = [20] * 5, np.random.default_rng(seed)
    groups = np.arange(100, dtype=np.int32)
    for r in range(4):
        groups[20 * (r + 1) : 20 * (r + 1) + 10] = groups[20 * r + 10 : 20 * r + 20]
    groups = rng.permutation(100).astype(np.int32)[groups]
    sampler = sampler_of(sizes, 5, k, seed=seed, groups=groups)
    for step in range(6):
        rows = sampler.rows(step)
        assert len(rows) == 5 * k
        assert len(set(groups[rows])) == len(rows)


def test_a_relation_whose_statements_are_all_taken_still_fills_its_share():
    groups = np.asarray([0, 1, 0, 1], dtype=np.int32)
    sampler = sampler_of([2, 2], 2, 2, groups=groups)
    assert sorted(sampler.rows(0)) == [0, 1, 2, 3]


def test_more_relations_in_a_batch_than_there_are_is_refused():
    with pytest.raises(BadInput, match="relations_per_batch=3: expected at least 3 relations, got 2"):
        sampler_of([4, 4], 3, 2)


def test_a_batch_that_processes_cannot_share_is_refused():
    with pytest.raises(BadInput, match="relations_per_batch=3: expected a multiple of the number of processes, 2"):
        sampler_of([4] * 3, 3, 2, world_size=2)


def test_a_lone_statement_is_refused_by_the_name_of_its_relation():
    with pytest.raises(BadInput, match=r"'born_in': expected at least 2 statements, got 1 .*min_statements=2"):
        sampler_of([4, 1], 1, 2, names=["died_in", "born_in"])


@given(st.lists(st.integers(0, 5), max_size=40))
@quick
def test_rows_by_relation_finds_every_row_once(relations):
    rows = rows_by_relation(np.asarray(relations, dtype=np.int32), 6)
    assert [r.tolist() for r in rows] == [[i for i, r in enumerate(relations) if r == k] for k in range(6)]


def batches(count: int, batch_size: int = 3, seed: int = 0) -> ShuffledBatches:
    return ShuffledBatches(np.arange(100, 100 + count), batch_size, seed)


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**40), st.integers(0, 3))
def test_every_row_comes_up_once_an_epoch(count, batch_size, seed, epoch):
    made = batches(count, batch_size, seed)
    steps = range(epoch * made.steps_per_epoch, (epoch + 1) * made.steps_per_epoch)
    drawn = [made.batch(step) for step in steps]
    assert sorted(row for batch in drawn for row in batch) == list(range(100, 100 + count))
    assert [len(batch) for batch in drawn[:-1]] == [batch_size] * (len(drawn) - 1)
    assert 1 <= len(drawn[-1]) <= batch_size


def test_a_batch_is_a_function_of_its_number_in_whatever_order_batches_are_asked_for():
    one, other = batches(20), batches(20)
    forward = [one.batch(step) for step in range(20)]
    assert [other.batch(step) for step in reversed(range(20))] == forward[::-1]


def test_every_epoch_and_every_seed_has_an_order_of_its_own():
    made = batches(50, batch_size=50)
    orders = [made.batch(0), made.batch(1), batches(50, batch_size=50, seed=1).batch(0)]
    assert len({tuple(order) for order in orders}) == 3
    assert orders[0] != sorted(orders[0])
