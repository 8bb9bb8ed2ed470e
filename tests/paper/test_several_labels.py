"""Equations 4 and 5 with several labels or none, against plain loops."""

from __future__ import annotations

import math

import pytest
import torch

from protorel.objectives import several_labels


def drawn(seed: int = 0, statements: int = 6, relations: int = 4):
    generator = torch.Generator().manual_seed(seed)
    logits = 3 * torch.randn(statements, relations, generator=generator, dtype=torch.double)
    labels = torch.rand(statements, relations, generator=generator) < 0.4
    labels[0] = False  # a pair without a relation
    labels[1, :2] = True  # a pair with two
    weights = torch.rand(statements, relations, generator=generator, dtype=torch.double)
    return logits, labels, weights


def plain(logits, labels, weights, focus: float, smoothing: float) -> float:
    total = 0.0
    for row in range(len(logits)):
        for relation in range(logits.shape[1]):
            d = 1 / (1 + math.exp(-logits[row, relation].item()))
            target = 1 - smoothing if labels[row, relation] else 0.0
            believed = target * math.log(d) + (1 - target) * d**focus * math.log(1 - d)
            total -= weights[row, relation].item() * believed
    return total / len(logits)


@pytest.mark.parametrize("focus", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_that_of_plain_loops(focus, smoothing, seed):
    given = drawn(seed)
    found = several_labels(*given, focus=focus, smoothing=smoothing).item()
    assert found == pytest.approx(plain(*given, focus, smoothing), rel=1e-10)


def test_a_statement_without_labels_is_pushed_from_every_prototype():
    logits = torch.zeros(1, 5, dtype=torch.double, requires_grad=True)
    several_labels(logits, torch.zeros(1, 5, dtype=torch.bool), torch.ones(1, 5)).backward()
    assert (logits.grad > 0).all()  # a step against the gradient lowers every logit


def test_a_relation_of_weight_0_neither_pulls_nor_pushes():
    logits, labels, weights = drawn()
    weights[:, 2] = 0
    logits.requires_grad_()
    several_labels(logits, labels, weights).backward()
    assert (logits.grad[:, 2] == 0).all()
    assert (logits.grad[:, 0] != 0).all()


def test_focus_counts_an_unlikely_relation_less_than_a_likely_one():
    logits = torch.tensor([[-4.0, 1.0]], requires_grad=True)
    nothing, ones = torch.zeros(1, 2, dtype=torch.bool), torch.ones(1, 2)
    several_labels(logits, nothing, ones, focus=2.0).backward()
    focused = logits.grad.clone()
    logits.grad = None
    several_labels(logits, nothing, ones).backward()
    share = focused / logits.grad
    assert share[0, 0] < 0.01 < share[0, 1]


def test_extreme_logits_stay_finite():
    logits = torch.tensor([[1e4, -1e4]], requires_grad=True)
    loss = several_labels(logits, torch.tensor([[False, True]]), torch.ones(1, 2), focus=1.0)
    loss.backward()
    assert loss.isfinite()
    assert logits.grad.isfinite().all()
