from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from protorel.batches import blank_entities, collate, mask_tokens, tokenise_all
from protorel.encoders import word_tokenizer
from protorel.statements import BadInput, Span, Statement


@pytest.fixture
def layout(tiny_tokenizer):
    return tiny_tokenizer.layout


@pytest.fixture
def batch(tiny_tokenizer, some_statements):
    """Many rows: unlike lengths, names blanked in some of them, one word unknown."""
    odd = Statement("Ada Kroll 中 saw Lunsk", Span(0, 9), Span(16, 21))
    rows = tokenise_all([*some_statements, odd], tiny_tokenizer, max_length=64)
    rng = np.random.default_rng(0)
    made = [blank_entities(rows.row(i % 7), tiny_tokenizer.layout, rate=0.5, rng=rng) for i in range(350)]
    return collate(made, tiny_tokenizer.layout)


def masked(batch, layout, *, rate=0.15, seed=0):
    return mask_tokens(batch, layout, rate=rate, generator=torch.Generator().manual_seed(seed))


def test_masking_makes_new_tensors_and_leaves_the_batch_untouched(batch, layout):
    before = {f.name: getattr(batch, f.name).clone() for f in dataclasses.fields(batch)}
    found = masked(batch, layout, rate=0.9)
    for name, value in before.items():
        assert torch.equal(getattr(batch, name), value)
    assert found.batch.tokens.data_ptr() != batch.tokens.data_ptr()
    assert torch.equal(found.original, batch.tokens)


def test_padding_markers_ends_blanks_and_unknown_words_are_never_hidden(batch, layout):
    found = masked(batch, layout, rate=0.99)
    never = torch.tensor([*layout.structural, layout.blank, layout.unknown])
    assert (batch.tokens == layout.unknown).any()
    assert (batch.tokens == layout.blank).any()
    assert not (found.hidden & torch.isin(batch.tokens, never)).any()
    assert torch.equal(found.batch.tokens[~found.hidden], batch.tokens[~found.hidden])


def test_a_random_word_never_forges_padding_a_marker_an_end_or_a_blank(batch, layout):
    found = masked(batch, layout, rate=0.99)
    ours = torch.tensor([*layout.structural, layout.blank])
    assert torch.equal(torch.isin(found.batch.tokens, ours), torch.isin(batch.tokens, ours))


def test_the_same_generator_hides_the_same_tokens(batch, layout):
    first, second, other = masked(batch, layout), masked(batch, layout), masked(batch, layout, seed=1)
    assert torch.equal(first.batch.tokens, second.batch.tokens)
    assert torch.equal(first.hidden, second.hidden)
    assert not torch.equal(first.hidden, other.hidden)


def test_masking_leaves_the_global_random_state_alone(batch, layout):
    before = torch.random.get_rng_state()
    masked(batch, layout)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("rate", [0.15, 0.5])
def test_the_share_of_hidden_tokens_is_the_rate_and_of_them_8_in_10_are_masks(batch, layout, rate):
    found = masked(batch, layout, rate=rate)
    maskable = batch.content & (batch.tokens != layout.blank) & (batch.tokens != layout.unknown)
    count = int(maskable.sum())
    assert count > 2000
    assert found.hidden.sum().item() / count == pytest.approx(rate, abs=4 * (rate * (1 - rate) / count) ** 0.5)
    now, was = found.batch.tokens[found.hidden], found.original[found.hidden]
    as_mask = (now == layout.mask).float().mean().item()
    as_before = (now == was).float().mean().item()
    assert as_mask == pytest.approx(0.8, abs=0.06)
    assert as_before == pytest.approx(0.1, abs=0.05)
    assert 1 - as_mask - as_before == pytest.approx(0.1, abs=0.05)


def test_at_rate_0_nothing_is_hidden(batch, layout):
    found = masked(batch, layout, rate=0.0)
    assert not found.hidden.any()
    assert torch.equal(found.batch.tokens, batch.tokens)


def test_a_tokenizer_without_a_mask_token_is_refused(some_statements):
    tokenizer = word_tokenizer(["ada", "born"])
    rows = tokenise_all(some_statements, tokenizer, max_length=64)
    with pytest.raises(BadInput, match="no mask token"):
        masked(rows.batch([0, 1]), tokenizer.layout)
