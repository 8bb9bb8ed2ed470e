from __future__ import annotations

import math

import pytest
import torch
from pytorch_metric_learning.losses import NormalizedSoftmaxLoss

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import prototype_softmax


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_the_softmax_form_equals_plain_loops(batch, plain_cosine, scale):
    expected = []
    for s, relation, labels in zip(
        batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist(), strict=True
    ):
        scores = [math.exp(scale * plain_cosine(s, z)) for z in batch.prototypes.tolist()]
        rivals = [score for k, score in enumerate(scores) if k == relation or not labels[k]]
        expected.append(-math.log(scores[relation] / sum(rivals)))
    loss = prototype_softmax(batch, similarity=ScaledCosine(scale))
    assert loss.item() == pytest.approx(sum(expected) / len(expected), rel=1e-9)


def test_with_one_label_each_it_equals_torch_cross_entropy(batch_of):
    batch = batch_of([0, 0, 1, 2], count=5)
    expected = torch.nn.functional.cross_entropy(7 * cosine(batch.embeddings, batch.prototypes), batch.relations)
    torch.testing.assert_close(prototype_softmax(batch, similarity=ScaledCosine(7.0)), expected)


def test_with_one_label_each_it_equals_normalized_softmax_of_pytorch_metric_learning(batch_of):
    batch = batch_of([0, 0, 1, 2], count=5, width=6)
    peer = NormalizedSoftmaxLoss(num_classes=5, embedding_size=6, temperature=1 / 20).double()
    with torch.no_grad():
        peer.W.copy_(batch.prototypes.T)
    expected = peer(batch.embeddings, batch.relations)
    torch.testing.assert_close(prototype_softmax(batch, similarity=ScaledCosine(20.0)), expected.detach())


def test_the_prototype_of_another_label_is_left_out_of_the_sum(batch_of):
    batch = batch_of([0], also=[(0, 1)], count=3)
    batch.prototypes.requires_grad_()
    prototype_softmax(batch, similarity=ScaledCosine(5.0)).backward()
    moved = batch.prototypes.grad.abs().sum(1) > 0
    assert moved.tolist() == [True, False, True]


def test_a_small_step_turns_a_statement_to_its_prototype_and_from_all_others(batch_of):
    batch = batch_of([0, 1], count=4, width=64)
    s, z = batch.embeddings.requires_grad_(), batch.prototypes.requires_grad_()
    prototype_softmax(batch, similarity=ScaledCosine(5.0)).backward()
    with torch.no_grad():
        before, after = cosine(s, z), cosine(s - 0.01 * s.grad, z - 0.01 * z.grad)
    own = torch.eye(2, 4, dtype=torch.bool)
    assert (after[own] > before[own]).all()
    assert (after[~own] < before[~own]).all()
