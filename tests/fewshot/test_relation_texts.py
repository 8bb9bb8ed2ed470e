"""Ways given by texts, alone and beside examples."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.fewshot import default_text_weight, described_ways
from protorel.fewshot.vector_methods import prototype


def _given(way=3, shot=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(way, shot, 5, generator=generator, dtype=torch.float64),
        torch.randn(way, 5, generator=generator, dtype=torch.float64),
    )


@pytest.mark.parametrize("weight", [None, 0.25, 3.0])
def test_the_directions_of_examples_and_text_are_added_as_they_are_weighted(weight):
    support, texts = _given(shot=3)
    found = described_ways(support, texts, text_weight=weight)
    for way in range(3):
        centre = sum(example / example.norm() for example in support[way])
        counted = (2 / 3 if weight is None else weight) * texts[way] / texts[way].norm()
        torch.testing.assert_close(found[way, 0], centre / centre.norm() + counted)


def test_without_an_example_the_text_stands_alone_whatever_its_weight():
    support, texts = _given(shot=0)
    expected = torch.nn.functional.normalize(texts, dim=-1)[:, None]
    torch.testing.assert_close(described_ways(support, texts), expected)
    torch.testing.assert_close(described_ways(support, texts, text_weight=0.0), expected)


@given(seed=st.integers(0, 200), shot=st.integers(1, 4))
def test_a_text_without_weight_leaves_the_examples_prototype(seed, shot):
    support, texts = _given(shot=shot, seed=seed)
    query = torch.randn(4, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = prototype(described_ways(support, texts, text_weight=0.0), query)
    torch.testing.assert_close(found, prototype(support, query))


def test_many_episodes_at_once_are_like_each_alone():
    support, texts = zip(*[_given(seed=seed) for seed in range(3)], strict=True)
    together = described_ways(torch.stack(support), torch.stack(texts))
    for i in range(3):
        torch.testing.assert_close(together[i], described_ways(support[i], texts[i]))


def test_a_text_counts_as_two_examples_and_less_the_more_there_are():
    weights = [default_text_weight(shot) for shot in (1, 2, 5, 100)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == default_text_weight(0) == 2.0
    assert weights[-1] == pytest.approx(0.02)


def test_gradients_reach_examples_and_texts():
    support, texts = (vectors.requires_grad_() for vectors in _given())
    assert torch.autograd.gradcheck(described_ways, (support, texts))
