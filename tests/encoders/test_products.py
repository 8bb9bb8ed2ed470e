"""Products by oneDNN are those of torch's default, with the same gradients, and are taken only where they are safe."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from protorel.encoders import products
from protorel.encoders.products import FastLinear, linear, onednn_is_faster, use_fast_products


@pytest.fixture
def onednn(monkeypatch):
    """Let every product that can be taken by oneDNN be taken by it, whatever is faster on this processor."""
    monkeypatch.setenv(products.OVERRIDE, "onednn")
    onednn_is_faster.cache_clear()
    yield
    onednn_is_faster.cache_clear()


@pytest.fixture
def taken(onednn, monkeypatch):
    """The products that oneDNN has taken."""
    seen, product = [], products._product
    monkeypatch.setattr(products, "_product", lambda *given: seen.append(given) or product(*given))
    return seen


@given(
    rows=st.lists(st.integers(1, 9), min_size=1, max_size=3), inner=st.integers(1, 33), outer=st.integers(1, 40),
    biased=st.booleans(), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_product_and_gradients_are_those_of_torch(rows, inner, outer, biased, seed):
    generator = torch.Generator().manual_seed(seed)
    drawn = [torch.randn(shape, generator=generator) for shape in ((*rows, inner), (outer, inner), (outer,))]
    slope = torch.randn(*rows, outer, generator=generator)

    def both(take):
        inputs, weight, bias = (one.clone().requires_grad_() for one in drawn)
        found = take(inputs, weight, bias if biased else None)
        found.backward(slope)
        return [found.detach(), inputs.grad, weight.grad, *([bias.grad] if biased else [])]

    expected = both(F.linear)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "onednn_is_faster", lambda: True)
        for one, other in zip(both(linear), expected, strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def test_slopes_and_inputs_that_lie_elsewhere_in_memory_are_taken_too(taken):
    inputs = torch.randn(5, 12, 8)[:, ::2].transpose(0, 1).requires_grad_()
    weight = torch.randn(8, 6).t().requires_grad_()
    found = linear(inputs, weight, None)
    torch.testing.assert_close(found, F.linear(inputs, weight), atol=1e-5, rtol=1e-4)
    slopes = torch.autograd.grad(found.transpose(0, 2).sum(), (inputs, weight))
    expected = torch.autograd.grad(F.linear(inputs, weight).transpose(0, 2).sum(), (inputs, weight))
    for one, other in zip(slopes, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    assert len(taken) == 3


def test_only_the_gradients_that_are_needed_are_computed(taken):
    frozen = torch.randn(6, 8)
    linear(torch.randn(5, 8, requires_grad=True), frozen, None).sum().backward()
    assert len(taken) == 2


@pytest.mark.parametrize(
    ("inputs", "weight"),
    [
        (torch.ones(3, 8, dtype=torch.float64), torch.ones(4, 8, dtype=torch.float64)),
        (torch.ones(8), torch.ones(4, 8)),
        (torch.ones(0, 8), torch.ones(4, 8)),
    ],
)
def test_other_numbers_vectors_and_nothing_at_all_are_left_to_torch(taken, inputs, weight):
    assert torch.equal(linear(inputs, weight, None), F.linear(inputs, weight))
    assert not taken


def test_rounded_products_are_left_to_torch(bf16_works, taken):
    layer = FastLinear(8, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(torch.randn(3, 8)).dtype == torch.bfloat16
    assert layer.bfloat16()(torch.randn(3, 8).bfloat16()).dtype == torch.bfloat16
    assert not taken


def test_products_of_a_graph_that_is_exported_are_left_to_torch(taken):
    inputs, layer = torch.randn(3, 8), FastLinear(8, 4)
    torch.export.export(layer, (inputs,))
    assert not taken
    layer(inputs)
    assert len(taken) == 1


def test_layers_keep_their_weights_and_special_ones_their_own_products(onednn):
    module = nn.Sequential(nn.Linear(8, 8), nn.MultiheadAttention(8, 2))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    use_fast_products(module)
    assert type(module[0]) is FastLinear
    assert type(module[1].out_proj) is not FastLinear
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


def test_an_encoder_gives_the_same_vectors_by_either_library(onednn, monkeypatch, tiny_encoder, batch_of_statements):
    found = tiny_encoder.eval()(batch_of_statements)
    monkeypatch.setattr(products, "onednn_is_faster", lambda: False)
    torch.testing.assert_close(found, tiny_encoder(batch_of_statements), atol=1e-5, rtol=1e-4)


@pytest.fixture
def batch_of_statements(tiny_tokenizer, some_statements):
    from protorel.batches import tokenise_all

    return tokenise_all(some_statements, tiny_tokenizer, max_length=64).batch([0, 1, 2])


@pytest.mark.parametrize(("ratio", "expected"), [(2.2, True), (1.5, True), (1.2, False), (0.5, False)])
def test_onednn_is_used_where_it_is_much_faster(monkeypatch, ratio, expected):
    monkeypatch.delenv(products.OVERRIDE, raising=False)
    monkeypatch.setattr(products, "_measured", lambda: ratio)
    onednn_is_faster.cache_clear()
    threads = torch.get_num_threads()
    assert onednn_is_faster() == expected
    assert torch.get_num_threads() == threads
    onednn_is_faster.cache_clear()


def test_a_library_that_fails_is_not_used(monkeypatch):
    def failing(*_):
        raise RuntimeError("could not create a primitive descriptor")

    monkeypatch.delenv(products.OVERRIDE, raising=False)
    monkeypatch.setattr(products, "_product", failing)
    onednn_is_faster.cache_clear()
    assert not onednn_is_faster()
    onednn_is_faster.cache_clear()


def test_measuring_leaves_the_number_of_threads_as_it_was(monkeypatch):
    monkeypatch.delenv(products.OVERRIDE, raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        onednn_is_faster.cache_clear()
        onednn_is_faster()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
