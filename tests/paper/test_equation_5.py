from __future__ import annotations

import math

import pytest
import torch

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import statement_prototypes


@pytest.mark.parametrize("similarity", [ScaledCosine(1.0), ScaledCosine(20.0, -10.0)])
def test_equation_5_equals_plain_loops(batch, plain_cosine, similarity):
    pull, push = [], []
    for s, relation, labels in zip(
        batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist(), strict=True
    ):
        for k, z in enumerate(batch.prototypes.tolist()):
            d = 1 / (1 + math.exp(-similarity.scale * plain_cosine(s, z) - similarity.bias))
            if k == relation:
                pull.append(math.log(d))
            elif not labels[k]:
                push.append(math.log(1 - d))
    expected = -sum(pull) / len(pull) - sum(push) / len(push)
    assert statement_prototypes(batch, similarity=similarity).item() == pytest.approx(expected, rel=1e-9)


def test_with_one_label_each_it_is_the_mean_over_the_printed_pairs(batch_of, plain_cosine):
    batch = batch_of([0, 0, 1, 2], count=4)
    pairs = []
    for s, relation in zip(batch.embeddings.tolist(), batch.relations.tolist(), strict=True):
        d = [1 / (1 + math.exp(-3 * plain_cosine(s, z))) for z in batch.prototypes.tolist()]
        pairs += [-(math.log(d[relation]) + math.log(1 - d[k])) for k in range(4) if k != relation]
    loss = statement_prototypes(batch, similarity=ScaledCosine(3.0))
    assert loss.item() == pytest.approx(sum(pairs) / len(pairs))


def test_the_prototype_of_another_label_of_the_statement_neither_pulls_nor_pushes(batch_of):
    batch = batch_of([0], also=[(0, 1)], count=3)
    batch.prototypes.requires_grad_()
    statement_prototypes(batch, similarity=ScaledCosine(5.0)).backward()
    moved = batch.prototypes.grad.abs().sum(1) > 0
    assert moved.tolist() == [True, False, True]


def test_a_small_step_turns_a_statement_to_its_prototype_and_from_all_others(batch_of):
    batch = batch_of([0, 1], count=4, width=64)
    s, z = batch.embeddings.requires_grad_(), batch.prototypes.requires_grad_()
    statement_prototypes(batch, similarity=ScaledCosine(5.0)).backward()
    with torch.no_grad():
        before, after = cosine(s, z), cosine(s - 0.01 * s.grad, z - 0.01 * z.grad)
    own = torch.eye(2, 4, dtype=torch.bool)
    assert (after[own] > before[own]).all()
    assert (after[~own] < before[~own]).all()


def test_prototypes_outside_the_batch_are_pushed_too(batch_of):
    batch = batch_of([0, 0], count=3)
    batch.prototypes.requires_grad_()
    statement_prototypes(batch, similarity=ScaledCosine(5.0)).backward()
    assert (batch.prototypes.grad.abs().sum(1) > 0).all()


def test_its_weight_does_not_grow_with_the_number_of_relations(batch_of):
    small = batch_of([0, 1], count=2)
    # The same two prototypes, each ten times: the mean over the others hardly changes, the printed sum would tenfold.
    many = type(small)(
        small.embeddings,
        small.relations,
        torch.cat([small.labels] * 10, dim=1),
        torch.cat([small.prototypes] * 10),
    )
    similarity = ScaledCosine(5.0)
    torch.testing.assert_close(
        statement_prototypes(small, similarity=similarity), statement_prototypes(many, similarity=similarity)
    )


def test_a_statement_that_carries_every_label_is_only_pulled(batch_of):
    batch = batch_of([0], also=[(0, 1)], count=2)
    loss = statement_prototypes(batch, similarity=ScaledCosine(5.0))
    expected = -torch.nn.functional.logsigmoid(5 * cosine(batch.embeddings, batch.prototypes)[0, 0])
    torch.testing.assert_close(loss, expected)
