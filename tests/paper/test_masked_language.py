from __future__ import annotations

import math

import pytest
import torch

from protorel.objectives import MaskedLanguageHead, masked_language


def test_the_masked_language_term_equals_plain_loops():
    logits = torch.randn(6, 9, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    original = torch.tensor([0, 8, 3, 3, 1, 7])
    expected = 0.0
    for scores, word in zip(logits.tolist(), original.tolist(), strict=True):
        expected -= math.log(math.exp(scores[word]) / sum(math.exp(score) for score in scores)) / 6
    assert masked_language(logits, original).item() == pytest.approx(expected, rel=1e-12)


def test_where_no_token_was_hidden_the_term_is_0_and_the_head_still_gets_a_gradient():
    head = MaskedLanguageHead(4, 9)
    loss = masked_language(head(torch.empty(0, 4), torch.randn(9, 4)), torch.empty(0, dtype=torch.long))
    loss.backward()
    assert loss.item() == 0
    assert all(p.grad is not None and (p.grad == 0).all() for p in head.parameters())


def test_the_head_scores_words_by_the_embeddings_it_is_given():
    head = MaskedLanguageHead(4, 9)
    states, embeddings = torch.randn(3, 4), torch.randn(9, 4)
    with torch.no_grad():
        head.bias.copy_(torch.arange(9.0))
    logits = head(states, embeddings)
    read = head.norm(torch.nn.functional.gelu(head.transform(states)))
    for token in range(3):
        for word in range(9):
            expected = (read[token] @ embeddings[word]).item() + word
            assert logits[token, word].item() == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_bf16_rounds_the_product_with_the_vocabulary_while_it_learns_and_at_no_other_time(bf16_works):
    head = MaskedLanguageHead(4, 9)
    states, embeddings = torch.randn(3, 4), torch.randn(9, 4)
    exact = head(states, embeddings)
    head.trains_in_bf16 = True
    rounded = head(states, embeddings)
    assert rounded.dtype == torch.float32
    assert not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded, exact, atol=0.05, rtol=0.05)
    assert torch.equal(head.eval()(states, embeddings), exact)


def test_the_word_embeddings_learn_from_it_too():
    head, embeddings = MaskedLanguageHead(4, 9), torch.randn(9, 4, requires_grad=True)
    masked_language(head(torch.randn(2, 4), embeddings), torch.tensor([1, 5])).backward()
    assert (embeddings.grad.abs().sum(1) > 0).all()
