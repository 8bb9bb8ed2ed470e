"""Statements against their relations' texts, beside the same sum as plain loops."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import RelationTexts, relation_text


def with_texts(batch, relations, seed=5):
    """Give the batch random text vectors for some relations."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(relations), batch.embeddings.shape[1], generator=generator, dtype=torch.double)
    return replace(batch, texts=RelationTexts(vectors, torch.tensor(relations)))


@pytest.mark.parametrize("described", [[0, 1, 2], [2, 0], [1]])
def test_it_equals_plain_loops_over_the_described_relations(batch, plain_cosine, described):
    given = with_texts(batch, described)
    expected = []
    for s, relation, labels in zip(
        batch.embeddings.tolist(), batch.relations.tolist(), batch.labels.tolist(), strict=True
    ):
        if relation in described:
            scores = {
                k: math.exp(20 * plain_cosine(s, t))
                for k, t in zip(described, given.texts.vectors.tolist(), strict=True)
            }
            rivals = [score for k, score in scores.items() if k == relation or not labels[k]]
            expected.append(-math.log(scores[relation] / sum(rivals)))
    loss = relation_text(given, similarity=ScaledCosine(20.0))
    assert loss.item() == pytest.approx(sum(expected) / max(len(expected), 1), rel=1e-9)


def test_a_batch_of_which_no_relation_is_described_costs_nothing_and_moves_nothing(batch_of):
    given = with_texts(batch_of([0, 0, 1], count=4), [3])
    embeddings = given.embeddings.requires_grad_()
    loss = relation_text(given, similarity=ScaledCosine(20.0))
    loss.backward()
    assert loss.item() == 0.0
    assert not embeddings.grad.any()


def test_a_batch_without_any_text_costs_nothing(batch_of):
    assert relation_text(batch_of([0, 1]), similarity=ScaledCosine(20.0)).item() == 0.0


def test_a_small_step_turns_statements_and_texts_of_one_relation_to_each_other(batch_of):
    given = with_texts(batch_of([0, 1, 2], count=3, width=64), [0, 1, 2])
    s, t = given.embeddings.requires_grad_(), given.texts.vectors.requires_grad_()
    relation_text(given, similarity=ScaledCosine(5.0)).backward()
    with torch.no_grad():
        before, after = cosine(s, t), cosine(s - 0.01 * s.grad, t - 0.01 * t.grad)
    own = torch.eye(3, dtype=torch.bool)
    assert (after[own] > before[own]).all()
    assert (after[~own] < before[~own]).all()
