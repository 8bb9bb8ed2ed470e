"""IND: equation 3 with statements weighted by their likeness to rules, and why the weight is on the logit."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from protorel.geometry import ScaledCosine
from protorel.objectives import ObjectiveSettings, WeightedSum, statement_contrast, weighted_contrast
from protorel.objectives.literal import PRINTED, printed_contrast

SCALE = 5.0


def weighted(batch, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return replace(batch, weights=2 * torch.rand(len(batch.relations), generator=generator, dtype=torch.double))


def ind(batch, plain_cosine):
    """Contrast each pair of one relation with every statement that shares no label with its first, logits weighted."""
    s, relations, labels = batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist()
    w = batch.weights.tolist()
    everyone = range(len(s))
    of_statements = []
    for i in everyone:
        unrelated = [k for k in everyone if not any(a and b for a, b in zip(labels[i], labels[k], strict=True))]
        against = sum(math.exp(w[i] * w[k] * SCALE * plain_cosine(s[i], s[k])) for k in unrelated)
        of_pairs = []
        for j in everyone:
            if j != i and relations[j] == relations[i]:
                own = math.exp(w[i] * w[j] * SCALE * plain_cosine(s[i], s[j]))
                of_pairs.append(-math.log(own / (own + against)))
        if of_pairs:
            of_statements.append(sum(of_pairs) / len(of_pairs))
    return sum(of_statements) / len(of_statements)


def test_ind_equals_plain_loops(batch, plain_cosine):
    if batch.relations.bincount().max() < 2:
        pytest.skip("no pair of one relation")
    given = weighted(batch)
    found = weighted_contrast(given, similarity=ScaledCosine(SCALE))
    assert found.item() == pytest.approx(ind(given, plain_cosine), rel=1e-9)


def test_as_printed_the_weight_cancels_and_ind_would_be_s2s(batch):
    given = weighted(batch)
    printed = replace(given, embeddings=given.weights[:, None] * given.embeddings)
    for equation, similarity in ((statement_contrast, ScaledCosine(SCALE)), (printed_contrast, PRINTED)):
        one, other = equation(batch, similarity=similarity), equation(printed, similarity=similarity)
        torch.testing.assert_close(one, other)
    if batch.relations.bincount().max() > 1:
        on_logits = weighted_contrast(given, similarity=ScaledCosine(SCALE))
        assert abs(on_logits - statement_contrast(batch, similarity=ScaledCosine(SCALE))) > 1e-3


def test_with_equal_weights_of_one_ind_is_equation_3(batch):
    given = replace(batch, weights=torch.ones(len(batch.relations)))
    expected = statement_contrast(batch, similarity=ScaledCosine(SCALE))
    torch.testing.assert_close(weighted_contrast(given, similarity=ScaledCosine(SCALE)), expected)


def test_a_statement_that_weighs_nothing_neither_pulls_nor_is_pulled(batch_of):
    batch = batch_of([0, 0, 0, 1, 1, 2, 2])
    given = replace(batch, weights=torch.tensor([1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.5]))
    given.embeddings.requires_grad_()
    weighted_contrast(given, similarity=ScaledCosine(SCALE)).backward()
    moved = given.embeddings.grad.abs().amax(1)
    assert moved[1] == 0
    assert (moved[[0, 2, 3, 4, 5, 6]] > 0).all()


def test_a_batch_that_does_not_say_its_weights_is_refused(batch_of):
    with pytest.raises(ValueError, match="ind: expected a batch with statement weights"):
        weighted_contrast(batch_of([0, 0, 1, 1]), similarity=ScaledCosine(SCALE))


def test_the_sum_gives_the_weights_to_its_term_with_its_own_scale(batch_of):
    given = weighted(batch_of([0, 0, 1, 1, 2, 2], count=4))
    settings = ObjectiveSettings.model_validate({"ind": {"weight": 3.0, "scale": 7.0}})
    generator = torch.Generator().manual_seed(0)
    objective = WeightedSum(settings, relations=4, width=5, vocabulary=None, generator=generator).double()
    loss = objective(given.embeddings, given.relations, given.labels, weights=given.weights)
    expected = weighted_contrast(given, similarity=ScaledCosine(7.0))
    torch.testing.assert_close(loss.terms["ind"], expected)
    torch.testing.assert_close(loss.total, 3 * expected)
    assert objective.learned_prototypes() is None
