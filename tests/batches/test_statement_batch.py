from __future__ import annotations

import numpy as np
import pytest
import torch

from protorel.batches import StatementBatch, TokenRow, collate, join_batches, tokenise_all


@pytest.fixture
def token_rows(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=64)


def test_rows_are_padded_to_the_longest_and_nothing_else_changes(token_rows, tiny_tokenizer):
    rows = [token_rows.row(i) for i in range(len(token_rows))]
    batch = collate(rows, tiny_tokenizer.layout)
    longest = max(len(row.ids) for row in rows)
    assert batch.tokens.shape == (len(rows), longest)
    for i, row in enumerate(rows):
        padding = [tiny_tokenizer.layout.pad] * (longest - len(row.ids))
        assert batch.tokens[i].tolist() == [*row.ids.tolist(), *padding]
        assert batch.present[i].tolist() == [True] * len(row.ids) + [False] * len(padding)
        assert (tuple(batch.head[i].tolist()), tuple(batch.tail[i].tolist())) == (row.head, row.tail)
    assert batch.lengths.tolist() == [len(row.ids) for row in rows] == token_rows.lengths.tolist()


def test_content_is_text_only(token_rows, tiny_tokenizer):
    batch = token_rows.batch(range(len(token_rows)))
    ours = set(tiny_tokenizer.layout.structural)
    for tokens, present, content in zip(
        batch.tokens.tolist(), batch.present.tolist(), batch.content.tolist(), strict=True
    ):
        assert content == [here and token not in ours for token, here in zip(tokens, present, strict=True)]


def test_selecting_gives_the_rows_in_order_and_no_more_padding_than_needed(token_rows):
    batch = token_rows.batch(range(6))
    chosen = torch.tensor([3, 1])
    expected = token_rows.batch([3, 1])
    selected = batch.select(chosen)
    for name in ("tokens", "present", "content", "head", "tail"):
        assert torch.equal(getattr(selected, name), getattr(expected, name))


@pytest.mark.parametrize("first", [[0, 2], [1, 3]])
def test_two_batches_joined_are_the_batch_of_all_their_rows(token_rows, tiny_tokenizer, first):
    second = [4, 5]
    joined = join_batches(token_rows.batch(first), token_rows.batch(second), tiny_tokenizer.layout)
    expected = token_rows.batch([*first, *second])
    for name in ("tokens", "present", "content", "head", "tail"):
        assert torch.equal(getattr(joined, name), getattr(expected, name))


def test_with_tokens_changes_the_tokens_only(token_rows):
    batch = token_rows.batch([0, 1])
    other = batch.with_tokens(batch.tokens + 1)
    assert torch.equal(other.tokens, batch.tokens + 1)
    assert other.content is batch.content
    assert isinstance(other, StatementBatch)


def test_a_batch_can_go_to_another_device(token_rows):
    batch = token_rows.batch([0, 1])
    moved = batch.to(torch.device("meta"))
    assert {getattr(moved, name).device.type for name in ("tokens", "present", "content", "head", "tail")} == {"meta"}


def test_a_single_row_makes_a_batch(tiny_tokenizer):
    batch = collate([TokenRow(np.asarray([5, 6], dtype=np.int32), (0, 1), (1, 2))], tiny_tokenizer.layout)
    assert batch.tokens.tolist() == [[5, 6]]
    assert batch.present.all()
