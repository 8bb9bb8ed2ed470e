"""Batches that are encoded several at a time give what they give one after the other."""

from __future__ import annotations

import threading

import pytest
import torch

from protorel.encoders.parallel_batches import side_by_side
from protorel.model import RelationModel


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_results_come_in_the_order_of_the_items_and_are_counted_in_it(threads):
    counted = []
    assert side_by_side(lambda item: item * item, range(20), done=counted.append) == [n * n for n in range(20)]
    assert counted == list(range(1, 21))


def test_there_are_as_many_workers_as_torch_may_use_each_with_one_thread(threads):
    met = threading.Barrier(threads, timeout=20)

    def work(_):
        met.wait()  # passes only if that many run at the same time
        return threading.current_thread(), torch.get_num_threads()

    found = side_by_side(work, range(threads))
    assert len({thread for thread, _ in found}) == threads
    assert {own for _, own in found} == {1}


def test_the_number_of_threads_is_what_it_was_in_this_thread_and_in_new_ones(threads):
    side_by_side(lambda item: item, range(9))
    seen = []
    new = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    new.start()
    new.join()
    assert (torch.get_num_threads(), seen) == (threads, [threads])


def test_nothing_records_gradients(threads):
    weight = torch.ones(3, requires_grad=True)
    with torch.enable_grad():
        assert not any(one.requires_grad for one in side_by_side(lambda item: weight * item, range(5)))


def test_an_error_in_one_item_is_raised_and_the_number_of_threads_is_restored(threads):
    def work(item):
        if item == 3:
            raise ValueError("item 3")

    with pytest.raises(ValueError, match="item 3"):
        side_by_side(work, range(500))
    assert torch.get_num_threads() == threads


def test_no_item_is_begun_after_one_has_failed_but_those_under_way():
    begun = []

    def work(item):
        begun.append(item)
        if item == 0:
            raise ValueError("item 0")
        threading.Event().wait(0.01)

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ValueError, match="item 0"):
            side_by_side(work, range(1000))
    finally:
        torch.set_num_threads(before)
    assert len(begun) < 500


def test_vectors_are_those_of_one_thread(threads, tiny_encoder, tiny_tokenizer, some_statements):
    from protorel.geometry import Prototypes

    tiny_encoder.train()
    model = RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.none(tiny_encoder.width), 64)
    found = model.encode(some_statements, batch_size=2)
    torch.set_num_threads(1)
    torch.testing.assert_close(found, model.encode(some_statements, batch_size=2))
    assert tiny_encoder.training
