from __future__ import annotations

import math

import pytest
import torch

from protorel.objectives import cross_entropy


@pytest.fixture
def classifier(batch):
    generator = torch.Generator().manual_seed(9)
    weight = torch.randn(batch.labels.shape[1], 5, generator=generator, dtype=torch.double)
    return weight, torch.randn(batch.labels.shape[1], generator=generator, dtype=torch.double)


def test_cross_entropy_equals_plain_loops(batch, classifier):
    weight, bias = classifier
    expected = []
    for s, relation, labels in zip(
        batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist(), strict=True
    ):
        scores = [
            math.exp(sum(w * x for w, x in zip(row, s, strict=True)) + b)
            for row, b in zip(weight.tolist(), bias.tolist(), strict=True)
        ]
        rivals = [score for k, score in enumerate(scores) if k == relation or not labels[k]]
        expected.append(-math.log(scores[relation] / sum(rivals)))
    assert cross_entropy(batch, weight, bias).item() == pytest.approx(sum(expected) / len(expected), rel=1e-9)


def test_no_prototype_is_used(batch, classifier):
    batch.prototypes.fill_(torch.nan)
    assert cross_entropy(batch, *classifier).isfinite()


def test_a_small_step_makes_every_statement_more_likely_to_have_its_label(batch_of):
    batch = batch_of([0, 1, 2], width=32)
    batch.embeddings.requires_grad_()
    weight, bias = batch.prototypes, torch.zeros(3, dtype=torch.double)
    cross_entropy(batch, weight, bias).backward()

    def likelihood(embeddings):
        return torch.nn.functional.linear(embeddings, weight, bias).log_softmax(1).diag()

    with torch.no_grad():
        assert (likelihood(batch.embeddings - 0.01 * batch.embeddings.grad) > likelihood(batch.embeddings)).all()
