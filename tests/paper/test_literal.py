from __future__ import annotations

import math

import pytest
import torch

from protorel.geometry import cosine
from protorel.objectives import (
    ObjectiveSettings,
    WeightedSum,
    printed_classification,
    printed_contrast,
    prototype_statements_over_pairs,
    statement_prototypes_over_pairs,
)
from protorel.objectives.literal import PRINTED, as_drawn


def printed_d(left, right, plain_cosine) -> float:
    return 1 / (1 + math.exp(plain_cosine(left, right)))


def literal_sum(relations=4, width=5, **weights) -> WeightedSum:
    settings = ObjectiveSettings.model_validate(
        {"reading": "literal", **{k: {"weight": w} for k, w in weights.items()}}
    )
    generator = torch.Generator().manual_seed(0)
    return WeightedSum(settings, relations=relations, width=width, vocabulary=None, generator=generator).double()


def test_the_printed_similarity_falls_as_vectors_align(plain_cosine):
    fixed = torch.tensor([[1.0, 0.0]])
    angles = torch.tensor([0.0, 0.5, 1.5, 3.0])
    turned = torch.stack([angles.cos(), angles.sin()], dim=1)
    d = PRINTED(fixed, turned).sigmoid()[0]
    assert (d.diff() > 0).all()
    for found, vector in zip(d.tolist(), turned.tolist(), strict=True):
        assert found == pytest.approx(printed_d([1.0, 0.0], vector, plain_cosine))


def test_equation_3_as_printed_equals_plain_loops(batch, plain_cosine):
    s, r = batch.embeddings.tolist(), batch.relations.tolist()
    n, expected = len(s), 0.0
    for i in range(n):
        below = sum(math.exp((r[i] != r[j]) * printed_d(s[i], s[j], plain_cosine)) for j in range(n))
        for j in range(n):
            expected -= math.exp((r[i] == r[j]) * printed_d(s[i], s[j], plain_cosine)) / below / n**2
    assert printed_contrast(batch, similarity=PRINTED).item() == pytest.approx(expected, rel=1e-9)


def test_equations_4_and_5_as_printed_equal_plain_loops(batch, plain_cosine):
    s, r, z = batch.embeddings.tolist(), batch.relations.tolist(), batch.prototypes.tolist()
    n, fourth, fifth = len(s), 0.0, 0.0
    for i in range(n):
        own = math.log(printed_d(z[r[i]], s[i], plain_cosine))
        for j in range(n):
            if r[j] != r[i]:
                fourth -= (own + math.log(1 - printed_d(z[r[i]], s[j], plain_cosine))) / n**2
        for k in range(len(z)):
            if k != r[i]:
                fifth -= (own + math.log(1 - printed_d(z[k], s[i], plain_cosine))) / n**2
    told = as_drawn(batch)
    assert prototype_statements_over_pairs(told, similarity=PRINTED).item() == pytest.approx(fourth, rel=1e-9)
    assert statement_prototypes_over_pairs(told, similarity=PRINTED).item() == pytest.approx(fifth, rel=1e-9)


def test_equation_6_as_printed_is_the_mean_log_likelihood_itself(batch):
    generator = torch.Generator().manual_seed(1)
    count, width = batch.prototypes.shape
    weight = torch.randn(count, width, generator=generator, dtype=torch.double)
    bias = torch.randn(count, generator=generator, dtype=torch.double)
    expected = 0.0
    for k in range(count):
        unit = batch.prototypes[k] / batch.prototypes[k].norm()
        logits = [float(weight[i] @ unit + bias[i]) for i in range(count)]
        expected += (logits[k] - math.log(sum(math.exp(logit) for logit in logits))) / count
    assert printed_classification(batch.prototypes, weight, bias).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("terms", [{"s2z": 1.0}, {"s2z_prime": 1.0}, {"s2z": 0.5, "s2z_prime": 0.5}])
def test_the_literal_reading_drives_a_statement_away_from_its_own_prototype(batch_of, terms):
    batch = batch_of([0, 0, 1, 1, 2, 2], count=3, width=16)
    objective = literal_sum(relations=3, width=16, **terms)
    embeddings = batch.embeddings.clone().requires_grad_()
    own = torch.arange(6), batch.relations
    before = cosine(embeddings.detach(), objective.prototypes.detach())[own]
    for _ in range(100):
        loss = objective(embeddings, batch.relations, batch.labels).total
        (gradient,) = torch.autograd.grad(loss, embeddings)
        embeddings = (embeddings - 5.0 * gradient).detach().requires_grad_()
    after = cosine(embeddings.detach(), objective.prototypes.detach())[own]
    assert (after < before).all()
    assert after.mean() < before.mean() - 0.3


def test_a_step_on_the_literal_classification_makes_prototypes_harder_to_tell_apart(batch_of):
    batch = batch_of([0, 0, 1, 1], count=4)
    objective = literal_sum(cls=1.0)
    optimiser = torch.optim.SGD(objective.parameters(), lr=0.5)

    def likelihood() -> float:
        return objective(batch.embeddings, batch.relations, batch.labels).terms["cls"].item()

    before = likelihood()
    for _ in range(10):
        optimiser.zero_grad()
        objective(batch.embeddings, batch.relations, batch.labels).total.backward()
        optimiser.step()
    assert likelihood() < before


def test_the_literal_reading_knows_no_second_label(batch_of):
    one, two = batch_of([0, 0, 1, 1], count=3), batch_of([0, 0, 1, 1], also=[(0, 1), (2, 0)], count=3)
    objective = literal_sum(relations=3, s2s=1.0, s2z=1.0, s2z_prime=1.0)
    found = [objective(batch.embeddings, batch.relations, batch.labels).total for batch in (one, two)]
    torch.testing.assert_close(*found)
    torch.testing.assert_close(as_drawn(two).labels, one.labels)
