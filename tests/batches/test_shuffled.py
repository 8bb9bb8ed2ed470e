from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from protorel.batches import ShuffledBatches


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
