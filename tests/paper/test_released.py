from __future__ import annotations

import math

import pytest
import torch

from protorel.geometry import ShiftedDot, cosine
from protorel.objectives import (
    ObjectiveSettings,
    WeightedSum,
    released_classification,
    released_contrast,
    released_prototype_statements,
)
from protorel.objectives.released import BETWEEN_STATEMENTS, TO_PROTOTYPES

CLOSER = ShiftedDot(3.0, offset=1.0)
"""Numbers at which vectors of a test, which are short, do not all look the same."""


def dot(left, right) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def released_sum(relations: int, width: int, **weights) -> WeightedSum:
    chosen = {"reading": "released", **{name: {"weight": weight} for name, weight in weights.items()}}
    settings = ObjectiveSettings.model_validate(chosen)
    generator = torch.Generator().manual_seed(0)
    return WeightedSum(settings, relations=relations, width=width, vocabulary=None, generator=generator).double()


def test_its_constants_are_those_of_the_released_code():
    assert (TO_PROTOTYPES.offset, TO_PROTOTYPES.divisor) == (384.0, 100.0)
    assert (BETWEEN_STATEMENTS.offset, BETWEEN_STATEMENTS.divisor) == (0.0, 100.0)


@pytest.mark.parametrize("similarity", [BETWEEN_STATEMENTS, ShiftedDot(2.0)])
def test_the_contrast_pairs_the_first_with_the_last_and_has_all_others_against_it(batch, similarity):
    s, r = batch.embeddings.tolist(), batch.relations.tolist()
    losses = []
    for i in range(len(s)):
        own = [j for j in range(len(s)) if r[j] == r[i]]
        partner = own[len(own) - 1 - own.index(i)]
        positive = math.exp(dot(s[i], s[partner]) / similarity.divisor)
        negative = sum(math.exp(dot(s[i], s[j]) / similarity.divisor) for j in range(len(s)) if r[j] != r[i])
        losses.append(-math.log(positive / (positive + negative) + 1e-5))
    expected = sum(losses) / len(losses)
    assert released_contrast(batch, similarity=similarity).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("similarity", [TO_PROTOTYPES, CLOSER])
def test_equation_4_is_two_means_of_logarithms_with_a_floor(batch, similarity):
    s, r, z = batch.embeddings.tolist(), batch.relations.tolist(), batch.prototypes.tolist()
    losses = []
    for relation in sorted(set(r)):
        d = [1 / (1 + math.exp(-(dot(z[relation], v) - similarity.offset) / similarity.divisor)) for v in s]
        own = [math.log(d[i] + 1e-5) for i in range(len(s)) if r[i] == relation]
        rest = [math.log(1 - d[i] + 1e-5) for i in range(len(s)) if r[i] != relation]
        losses.append(-(sum(own) / len(own) + sum(rest) / len(rest)))
    expected = sum(losses) / len(losses)
    assert released_prototype_statements(batch, similarity=similarity).item() == pytest.approx(expected, rel=1e-9)


def test_equation_6_looks_at_the_relations_of_the_batch_at_their_own_length(batch):
    generator = torch.Generator().manual_seed(1)
    count, width = batch.prototypes.shape
    weight = torch.randn(count, width, generator=generator, dtype=torch.double)
    bias = torch.randn(count, generator=generator, dtype=torch.double)
    losses = []
    for k in sorted(set(batch.relations.tolist())):
        logits = [dot(weight[i].tolist(), batch.prototypes[k].tolist()) + bias[i].item() for i in range(count)]
        losses.append(math.log(sum(math.exp(logit) for logit in logits)) - logits[k])
    expected = sum(losses) / len(losses)
    assert released_classification(batch, weight, bias).item() == pytest.approx(expected, rel=1e-9)


def test_a_small_step_still_turns_a_statement_to_its_own_prototype(batch_of):
    batch = batch_of([0, 0, 1, 1], width=32)
    objective = released_sum(2, 32, s2z=1.0)
    embeddings = (20 * batch.embeddings).requires_grad_()
    objective(embeddings, batch.relations, batch.labels).total.backward()
    with torch.no_grad():
        prototypes = objective.prototypes
        before, after = cosine(embeddings, prototypes), cosine(embeddings - 10 * embeddings.grad, prototypes)
    own = torch.arange(4), batch.relations
    other = torch.arange(4), 1 - batch.relations
    assert (after[own] > before[own]).all()
    assert (after[other] < before[other]).all()


def test_prototypes_start_as_long_as_the_released_code_draws_them():
    lengths = released_sum(50, 400, s2z=1.0).prototypes.norm(dim=1)
    torch.testing.assert_close(lengths, torch.full_like(lengths, 20.0), rtol=1e-5, atol=0.0)


def test_there_is_no_equation_5():
    with pytest.raises(ValueError, match="no equation 5"):
        ObjectiveSettings.model_validate({"reading": "released", "s2z_prime": {"weight": 0.5}})
