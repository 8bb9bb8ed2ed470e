"""Two statements in one row: what stands where, and that neither loses its entities."""

import numpy as np
import pytest
import torch

from protorel.batches import join_pairs, tokenise_all

FIRSTS, SECONDS = np.array([0, 1, 5, 2]), np.array([1, 0, 4, 2])


@pytest.fixture
def rows(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=20)  # the longest are cropped


def test_a_pair_is_one_row_with_one_start_and_two_ends_each_part_known(rows, tiny_tokenizer):
    batch, layout = join_pairs(rows, FIRSTS, SECONDS), tiny_tokenizer.layout
    assert len(batch) == len(FIRSTS)
    for place, (one, other) in enumerate(zip(FIRSTS.tolist(), SECONDS.tolist(), strict=True)):
        first, second = (rows.row(row).ids.tolist() for row in (one, other))
        assert first[:1] == second[:1] == list(layout.prefix)
        length = len(first) + len(second) - 1
        assert batch.tokens[place, :length].tolist() == first + second[1:]
        assert (batch.tokens[place, length:] == layout.pad).all()
        assert batch.present[place].tolist() == [at < length for at in range(batch.tokens.shape[1])]
        assert batch.second[place].tolist() == [len(first) <= at < length for at in range(batch.tokens.shape[1])]
    assert batch.present.all(1).any()


def test_both_statements_keep_all_their_markers(rows, tiny_tokenizer):
    batch, layout = join_pairs(rows, FIRSTS, SECONDS), tiny_tokenizer.layout
    for marker in (*layout.head_markers, *layout.tail_markers):
        where = batch.tokens == marker
        assert (where & batch.second).sum(1).tolist() == [1] * len(FIRSTS)
        assert (where & ~batch.second).sum(1).tolist() == [1] * len(FIRSTS)


def test_two_statements_that_were_cropped_are_never_longer_than_both(rows):
    assert rows.lengths.max() == 20
    longest = rows.lengths.argmax(keepdims=True)
    assert join_pairs(rows, longest, longest).tokens.shape == (1, 39)


def test_a_batch_moves_to_another_device(rows):
    moved = join_pairs(rows, FIRSTS, SECONDS).to(torch.device("meta"))
    assert {moved.tokens.device.type, moved.present.device.type, moved.second.device.type} == {"meta"}
