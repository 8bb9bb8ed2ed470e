from __future__ import annotations

import math

import pytest
import torch
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.losses import NTXentLoss

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import statement_contrast


def equation_3(batch, scale, plain_cosine):
    """Contrast each pair of one relation with every statement that shares no label with its first."""
    s, relations, labels = batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist()
    everyone = range(len(s))
    of_statements = []
    for i in everyone:
        unrelated = [k for k in everyone if not any(a and b for a, b in zip(labels[i], labels[k], strict=True))]
        against = sum(math.exp(scale * plain_cosine(s[i], s[k])) for k in unrelated)
        of_pairs = []
        for j in everyone:
            if j != i and relations[j] == relations[i]:
                own = math.exp(scale * plain_cosine(s[i], s[j]))
                of_pairs.append(-math.log(own / (own + against)))
        if of_pairs:
            of_statements.append(sum(of_pairs) / len(of_pairs))
    return sum(of_statements) / len(of_statements)


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_equation_3_equals_plain_loops(batch, plain_cosine, scale):
    if batch.relations.bincount().max() < 2:
        pytest.skip("no pair of one relation")
    loss = statement_contrast(batch, similarity=ScaledCosine(scale))
    assert loss.item() == pytest.approx(equation_3(batch, scale, plain_cosine), rel=1e-9)


@pytest.mark.parametrize(("relations", "each"), [(2, 2), (3, 4), (5, 2)])
def test_equation_3_equals_ntxent_of_pytorch_metric_learning(batch_of, relations, each):
    batch = batch_of([r for r in range(relations) for _ in range(each)], width=8)
    peer = NTXentLoss(temperature=1 / 20, distance=CosineSimilarity())
    expected = peer(batch.embeddings, batch.relations)
    torch.testing.assert_close(statement_contrast(batch, similarity=ScaledCosine(20.0)), expected)


def test_a_statement_that_shares_a_label_is_neither_positive_nor_negative(batch_of):
    apart = batch_of([0, 0, 1, 1], count=2)
    shared = batch_of([0, 0, 1, 1], also=[(2, 0)], count=2)
    others = [
        torch.tensor([True, True, False, True]),  # for 0 and 1, statement 2 does not exist
        torch.tensor([False, False, True, True]),  # for 2, statements 0 and 1 do not exist
    ]
    logits = 5 * cosine(apart.embeddings, apart.embeddings)

    def contrast(i, j, seen):
        negatives = [k for k in range(4) if seen[k] and apart.relations[k] != apart.relations[i]]
        return torch.logsumexp(torch.stack([logits[i, k] for k in [j, *negatives]]), 0) - logits[i, j]

    everyone = torch.ones(4, dtype=torch.bool)
    expected = (contrast(0, 1, others[0]) + contrast(1, 0, others[0]) + contrast(2, 3, others[1])
                + contrast(3, 2, everyone)) / 4  # fmt: skip
    torch.testing.assert_close(statement_contrast(shared, similarity=ScaledCosine(5.0)), expected)


def test_a_two_label_statement_gets_no_gradient_from_those_it_shares_a_label_with(batch_of):
    # 0 is alone in its relation and shares a label with 1 and 2, so nothing in the batch may pull or push it.
    batch = batch_of([0, 1, 1], also=[(0, 1)])
    batch.embeddings.requires_grad_()
    statement_contrast(batch, similarity=ScaledCosine(5.0)).backward()
    assert batch.embeddings.grad[0].abs().max() == 0


def test_a_small_step_pulls_statements_of_one_relation_together_and_others_apart(batch_of):
    batch = batch_of([0, 0, 1, 1], width=64)
    embeddings = batch.embeddings.requires_grad_()
    statement_contrast(batch, similarity=ScaledCosine(10.0)).backward()
    before, after = (cosine(e, e) for e in (embeddings.detach(), embeddings.detach() - 0.01 * embeddings.grad))
    same = torch.tensor([(0, 1), (2, 3)]).T
    unlike = torch.tensor([(0, 2), (0, 3), (1, 2), (1, 3)]).T
    assert (after[same[0], same[1]] > before[same[0], same[1]]).all()
    assert (after[unlike[0], unlike[1]].sum() < before[unlike[0], unlike[1]].sum()).all()


def test_without_a_pair_of_one_relation_equation_3_is_0_and_still_has_a_gradient(batch_of):
    batch = batch_of([0, 1, 2])
    batch.embeddings.requires_grad_()
    loss = statement_contrast(batch, similarity=ScaledCosine(5.0))
    loss.backward()
    assert loss.item() == 0
    assert batch.embeddings.grad.abs().max() == 0


def test_with_one_relation_only_there_is_nothing_to_contrast_and_no_nan(batch_of):
    batch = batch_of([0, 0, 0])
    batch.embeddings.requires_grad_()
    loss = statement_contrast(batch, similarity=ScaledCosine(5.0))
    loss.backward()
    assert loss.item() == 0
    assert batch.embeddings.grad.isfinite().all()


def test_no_prototype_moves(batch):
    batch.prototypes.requires_grad_()
    assert not statement_contrast(batch, similarity=ScaledCosine(5.0)).requires_grad
