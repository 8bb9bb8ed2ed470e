"""The blocks of SNAIL against their equations, element by element in plain loops; none sees what comes after it."""

import math

import pytest
import torch

from protorel.fewshot.snail import CausalAttention, DenseLayer, Row, TemporalConvolution

WIDTH, LENGTH = 4, 7


@pytest.fixture(autouse=True)
def same_weights():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        yield


def elements(length=LENGTH, width=WIDTH, episodes=2):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(episodes, length, width, generator=generator, dtype=torch.float64)


def plain(length=LENGTH):
    """A row in which every element has a place of its own."""
    return Row.of(length - 1, 1)


def linear(layer, values):
    rows = layer.weight.tolist()
    bias = layer.bias.tolist() if layer.bias is not None else [0.0] * len(rows)
    return [sum(w * v for w, v in zip(row, values, strict=True)) + b for row, b in zip(rows, bias, strict=True)]


def blocks():
    return {
        "dense": DenseLayer(WIDTH, 3, 2),
        "convolution": TemporalConvolution(WIDTH, 3, LENGTH),
        "attention": CausalAttention(WIDTH, 5, 3),
    }


@pytest.mark.parametrize("back", [1, 2, 4, 100])
def test_a_dense_layer_adds_what_it_makes_of_an_element_and_one_before_it(back):
    layer, given = DenseLayer(WIDTH, 3, back).double(), elements()
    found = layer(given, plain())
    for episode in range(2):
        row = given[episode].tolist()
        for place in range(LENGTH):
            both = row[place] + (row[place - back] if place >= back else [0.0] * WIDTH)
            heard = [
                math.tanh(a) / (1 + math.exp(-b))
                for a, b in zip(linear(layer.found, both), linear(layer.gate, both), strict=True)
            ]
            assert found[episode, place].tolist() == pytest.approx(row[place] + heard)


def test_a_dense_layer_is_a_causal_dilated_convolution_of_window_2():
    layer, given = DenseLayer(WIDTH, 3, 2).double(), elements()
    parts = []
    for linear_layer in (layer.found, layer.gate):
        now, before = linear_layer.weight.split(WIDTH, dim=1)
        padded = torch.nn.functional.pad(given.mT, (2, 0))
        kernel = torch.stack([before, now], dim=-1)
        parts.append(torch.nn.functional.conv1d(padded, kernel, linear_layer.bias, dilation=2).mT)
    torch.testing.assert_close(layer(given, plain())[..., WIDTH:], parts[0].tanh() * parts[1].sigmoid())


@pytest.mark.parametrize(("length", "backs"), [(2, [1]), (3, [1, 2]), (8, [1, 2, 4]), (9, [1, 2, 4, 8])])
def test_a_convolution_has_as_many_layers_as_reach_over_a_row(length, backs):
    block = TemporalConvolution(WIDTH, 3, length).double()
    assert [layer.back for layer in block.layers] == backs
    assert block(elements(length), plain(length)).shape == (2, length, block.width)
    given = elements(length).requires_grad_()
    block(given, plain(length))[:, -1].sum().backward()
    assert (given.grad.abs().sum(-1) > 0).all()


def test_attention_adds_what_the_elements_before_say_weighted_by_how_their_keys_fit():
    block, given = CausalAttention(WIDTH, 5, 3).double(), elements()
    torch.nn.init.normal_(block.query.weight)
    found = block(given, plain())
    for episode in range(2):
        row = given[episode].tolist()
        assert found[episode, 0].tolist() == pytest.approx([*row[0], 0.0, 0.0, 0.0])
        for place in range(1, LENGTH):
            asked = linear(block.query, row[place])
            fits = [
                math.exp(sum(a * b for a, b in zip(asked, linear(block.key, other), strict=True)) / math.sqrt(5))
                for other in row[:place]
            ]
            values = [linear(block.value, other) for other in row[:place]]
            heard = [sum(fit * value[k] for fit, value in zip(fits, values, strict=True)) / sum(fits) for k in range(3)]
            assert found[episode, place].tolist() == pytest.approx(row[place] + heard)


def test_at_the_start_attention_finds_those_like_itself():
    block = CausalAttention(WIDTH, 64, 3).double()
    assert torch.equal(block.query.weight, block.key.weight)
    assert block.query.weight is not block.key.weight
    scores = block.query(elements()) @ block.key(elements()).mT
    assert torch.linalg.eigvalsh(scores).min() > -1e-9  # a scalar product


@pytest.mark.parametrize("name", blocks())
def test_no_element_depends_on_what_comes_after_it(name):
    block, given = blocks()[name].double(), elements()
    before = block(given, plain())
    for place in range(LENGTH - 1):
        changed = given.clone()
        changed[:, place + 1 :] = 100 * torch.randn(2, LENGTH - place - 1, WIDTH, dtype=torch.float64)
        after = block(changed, plain())
        assert torch.equal(after[:, : place + 1], before[:, : place + 1])
        assert not torch.equal(after[:, place + 1 :], before[:, place + 1 :])


@pytest.mark.parametrize("name", blocks())
def test_elements_that_share_the_last_place_are_each_as_if_alone_there(name):
    block, given, examples = blocks()[name].double(), elements(), 4
    together = block(given, Row.of(examples, LENGTH - examples))
    for place in range(examples, LENGTH):
        alone = torch.cat([given[:, :examples], given[:, place, None]], dim=1)
        found = block(alone, plain(examples + 1))
        torch.testing.assert_close(together[:, :examples], found[:, :-1])
        torch.testing.assert_close(together[:, place], found[:, -1])


@pytest.mark.parametrize("name", blocks())
def test_a_block_keeps_what_an_element_knew(name):
    block, given = blocks()[name].double(), elements()
    assert torch.equal(block(given, plain())[..., :WIDTH], given)
