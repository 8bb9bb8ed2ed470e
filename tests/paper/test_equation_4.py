from __future__ import annotations

import math

import pytest
import torch

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import prototype_statements, prototype_statements_over_pairs

SIMILARITIES = [ScaledCosine(1.0), ScaledCosine(20.0, -10.0)]


def sides(batch, similarity, plain_cosine):
    """Yield for each relation in the batch d(z, s_i) of its own statements and d(z, s_j) of all the others."""
    s, relations, labels = batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist()
    for r in sorted(set(relations)):
        z = batch.prototypes[r].tolist()
        d = [1 / (1 + math.exp(-similarity.scale * plain_cosine(z, v) - similarity.bias)) for v in s]
        yield [d[i] for i in range(len(s)) if relations[i] == r], [d[j] for j in range(len(s)) if not labels[j][r]]


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_equation_4_equals_plain_loops(batch, plain_cosine, similarity):
    of_relations = []
    for own, others in sides(batch, similarity, plain_cosine):
        pull = sum(math.log(d) for d in own) / len(own)
        push = sum(math.log(1 - d) for d in others) / len(others)
        of_relations.append(-(pull + push))
    expected = sum(of_relations) / len(of_relations)
    assert prototype_statements(batch, similarity=similarity).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_equation_4_over_pairs_equals_the_printed_double_sum(batch, plain_cosine, similarity):
    expected = 0.0
    for own, others in sides(batch, similarity, plain_cosine):
        for d_i in own:
            for d_j in others:
                expected -= (math.log(d_i) + math.log(1 - d_j)) / len(batch.relations) ** 2
    assert prototype_statements_over_pairs(batch, similarity=similarity).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("relations", "each"), [(2, 1), (2, 3), (4, 2)])
def test_both_forms_agree_up_to_a_known_weight_on_balanced_batches(batch_of, relations, each):
    batch = batch_of([r for r in range(relations) for _ in range(each)])
    n = relations * each
    weight = each * (n - each) / n**2 * relations
    similarity = ScaledCosine(5.0, -1.0)
    torch.testing.assert_close(
        prototype_statements_over_pairs(batch, similarity=similarity),
        weight * prototype_statements(batch, similarity=similarity),
    )


@pytest.mark.parametrize("form", [prototype_statements, prototype_statements_over_pairs])
def test_a_statement_is_never_pushed_from_the_prototype_of_another_label_of_its_own(batch_of, form):
    # Statement 0 was drawn under relation 0 and also carries 1; prototype 1 must not feel it.
    batch = batch_of([0, 0, 1, 1], also=[(0, 1)])
    similarity = ScaledCosine(5.0)
    moved = batch.embeddings.clone()
    moved[0] = 3 * batch.prototypes[1] - moved[0]
    gradients = []
    for embeddings in (batch.embeddings, moved):
        prototypes = batch.prototypes.clone().requires_grad_()
        form(type(batch)(embeddings, batch.relations, batch.labels, prototypes), similarity=similarity).backward()
        gradients.append(prototypes.grad)
    torch.testing.assert_close(gradients[0][1], gradients[1][1])
    assert not torch.allclose(gradients[0][0], gradients[1][0])


@pytest.mark.parametrize("form", [prototype_statements, prototype_statements_over_pairs])
def test_a_small_step_turns_a_prototype_to_its_statements_and_from_all_others(batch_of, form):
    batch = batch_of([0, 1], width=64)
    s, z = batch.embeddings.requires_grad_(), batch.prototypes.requires_grad_()
    form(batch, similarity=ScaledCosine(5.0)).backward()
    with torch.no_grad():
        before, after = cosine(s, z), cosine(s - 0.01 * s.grad, z - 0.01 * z.grad)
    own = torch.eye(2, dtype=torch.bool)
    assert (after[own] > before[own]).all()
    assert (after[~own] < before[~own]).all()


def test_prototypes_of_relations_outside_the_batch_stay_where_they_are(batch_of):
    batch = batch_of([1, 1, 3, 3], count=5)
    batch.prototypes.requires_grad_()
    prototype_statements(batch, similarity=ScaledCosine(5.0)).backward()
    moved = batch.prototypes.grad.abs().sum(1) > 0
    assert moved.tolist() == [False, True, False, True, False]


def test_a_relation_without_others_only_pulls(batch_of, plain_cosine):
    batch = batch_of([0, 0])
    loss = prototype_statements(batch, similarity=ScaledCosine(2.0))
    z = batch.prototypes[0].tolist()
    pull = [math.log(1 / (1 + math.exp(-2 * plain_cosine(z, s)))) for s in batch.embeddings.tolist()]
    assert loss.item() == pytest.approx(-sum(pull) / 2)
