from __future__ import annotations

import math

import pytest
import torch

from protorel.objectives import prototype_classification


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


def test_equation_6_with_its_sign_corrected_equals_plain_loops():
    prototypes, weight, bias = drawn(4, 3, seed=0), drawn(4, 3, seed=1), drawn(4, seed=2)
    expected = 0.0
    for k, z in enumerate(prototypes.tolist()):
        length = math.sqrt(sum(x * x for x in z))
        scores = [
            math.exp(sum(w * x / length for w, x in zip(row, z, strict=True)) + b)
            for row, b in zip(weight.tolist(), bias.tolist(), strict=True)
        ]
        expected -= math.log(scores[k] / sum(scores)) / 4
    assert prototype_classification(prototypes, weight, bias).item() == pytest.approx(expected, rel=1e-12)


def test_a_small_step_makes_every_prototype_more_likely_to_stand_for_its_own_relation():
    prototypes, weight, bias = drawn(3, 32, seed=0).requires_grad_(), drawn(3, 32, seed=1), drawn(3, seed=2)

    def likelihood(prototypes):
        return torch.nn.functional.linear(torch.nn.functional.normalize(prototypes), weight, bias).softmax(1).diag()

    prototype_classification(prototypes, weight, bias).backward()
    with torch.no_grad():
        assert (likelihood(prototypes - 0.01 * prototypes.grad) > likelihood(prototypes)).all()


def test_it_depends_on_directions_only_and_not_on_how_long_a_prototype_is():
    prototypes, weight, bias = drawn(4, 3, seed=0), drawn(4, 3, seed=1), drawn(4, seed=2)
    lengths = torch.tensor([[0.1], [1.0], [7.0], [100.0]], dtype=torch.double)
    torch.testing.assert_close(
        prototype_classification(lengths * prototypes, weight, bias), prototype_classification(prototypes, weight, bias)
    )


def test_renaming_the_relations_changes_nothing():
    prototypes, weight, bias = drawn(4, 3, seed=0), drawn(4, 3, seed=1), drawn(4, seed=2)
    order = torch.tensor([2, 0, 3, 1])
    torch.testing.assert_close(
        prototype_classification(prototypes[order], weight[order], bias[order]),
        prototype_classification(prototypes, weight, bias),
    )


def test_equation_6_gradient_is_right():
    tensors = [drawn(3, 4, seed=0), drawn(3, 4, seed=1), drawn(3, seed=2)]
    assert torch.autograd.gradcheck(prototype_classification, [t.requires_grad_() for t in tensors])
