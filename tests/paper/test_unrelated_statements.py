"""Statements without a relation in equations 3 to 5, against plain loops: pushed from everything, pulled to nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from protorel.geometry import ScaledCosine
from protorel.objectives import (
    prototype_statements,
    prototype_statements_over_pairs,
    statement_contrast,
    statement_prototypes,
    statement_prototypes_over_pairs,
)

SIMILARITY = ScaledCosine(4.0, -1.0)
FORMS = [
    prototype_statements,
    prototype_statements_over_pairs,
    statement_prototypes,
    statement_prototypes_over_pairs,
    statement_contrast,
]


@pytest.fixture
def mixed(batch):
    """Return a batch with three more statements that hold no relation."""
    generator = torch.Generator().manual_seed(5)
    width = batch.embeddings.shape[1]
    return replace(batch, unrelated=torch.randn(3, width, generator=generator, dtype=torch.double))


@pytest.fixture
def d(plain_cosine):
    return lambda one, other: 1 / (1 + math.exp(-SIMILARITY.scale * plain_cosine(one, other) - SIMILARITY.bias))


def sides(mixed, d):
    """Yield for each relation in the batch d(z, s) of its own statements and of all others."""
    s, relations, labels = mixed.embeddings.tolist(), mixed.relations.tolist(), mixed.labels.tolist()
    for r in sorted(set(relations)):
        z = mixed.prototypes[r].tolist()
        own = [d(z, s[i]) for i in range(len(s)) if relations[i] == r]
        others = [d(z, s[j]) for j in range(len(s)) if not labels[j][r]]
        yield own, others + [d(z, s) for s in mixed.unrelated.tolist()]


def test_in_equation_4_they_are_others_of_every_prototype(mixed, d):
    each = [
        -sum(map(math.log, own)) / len(own) - sum(math.log(1 - one) for one in others) / len(others)
        for own, others in sides(mixed, d)
    ]
    found = prototype_statements(mixed, similarity=SIMILARITY).item()
    assert found == pytest.approx(sum(each) / len(each), rel=1e-9)


def test_in_equation_4_over_pairs_they_are_paired_with_every_own_statement(mixed, d):
    everyone = len(mixed.relations) + len(mixed.unrelated)
    expected = 0.0
    for own, others in sides(mixed, d):
        for one in own:
            for other in others:
                expected -= (math.log(one) + math.log(1 - other)) / everyone**2
    found = prototype_statements_over_pairs(mixed, similarity=SIMILARITY).item()
    assert found == pytest.approx(expected, rel=1e-9)


def pulled_and_pushed(mixed, d):
    """Return log d of each statement to its own prototype, and for each statement log(1 - d) to all others."""
    prototypes = mixed.prototypes.tolist()
    pull, push = [], []
    for s, relation, labels in zip(mixed.embeddings.tolist(), mixed.relations, mixed.labels, strict=True):
        pull.append(math.log(d(s, prototypes[relation])))
        push.append([math.log(1 - d(s, z)) for k, z in enumerate(prototypes) if not labels[k]])
    push += [[math.log(1 - d(s, z)) for z in prototypes] for s in mixed.unrelated.tolist()]
    return pull, push


def test_in_equation_5_all_prototypes_are_others_of_theirs(mixed, d):
    pull, push = pulled_and_pushed(mixed, d)
    every = [one for own in push for one in own]
    expected = -sum(pull) / len(pull) - sum(every) / len(every)
    assert statement_prototypes(mixed, similarity=SIMILARITY).item() == pytest.approx(expected, rel=1e-9)


def test_in_equation_5_over_pairs_they_only_push(mixed, d):
    pull, push = pulled_and_pushed(mixed, d)
    everyone = len(push)
    expected = -sum(own * len(others) for own, others in zip(pull, push[: len(pull)], strict=True))
    expected -= sum(one for own in push for one in own)
    found = statement_prototypes_over_pairs(mixed, similarity=SIMILARITY).item()
    assert found == pytest.approx(expected / everyone**2, rel=1e-9)


def test_in_equation_3_they_are_negatives_of_every_statement(mixed, plain_cosine):
    s, relations, labels = mixed.embeddings.tolist(), mixed.relations.tolist(), mixed.labels.tolist()
    if max(map(relations.count, relations)) < 2:
        pytest.skip("no pair of one relation")

    def alike(one, other):
        return math.exp(SIMILARITY.scale * plain_cosine(one, other) + SIMILARITY.bias)

    of_statements = []
    for i in range(len(s)):
        shares = [any(a and b for a, b in zip(labels[i], labels[k], strict=True)) for k in range(len(s))]
        against = sum(alike(s[i], s[k]) for k in range(len(s)) if not shares[k])
        against += sum(alike(s[i], other) for other in mixed.unrelated.tolist())
        own = [alike(s[i], s[j]) for j in range(len(s)) if j != i and relations[j] == relations[i]]
        if own:
            of_statements.append(sum(-math.log(one / (one + against)) for one in own) / len(own))
    expected = sum(of_statements) / len(of_statements)
    assert statement_contrast(mixed, similarity=SIMILARITY).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_without_any_of_them_nothing_changes(batch, form):
    none = replace(batch, unrelated=batch.embeddings[:0])
    torch.testing.assert_close(form(none, similarity=SIMILARITY), form(batch, similarity=SIMILARITY))


@pytest.mark.parametrize("form", FORMS[:4])
def test_a_small_step_turns_them_from_the_prototypes(mixed, form):
    unrelated = mixed.unrelated.requires_grad_()
    form(mixed, similarity=SIMILARITY).backward()
    moved = unrelated.detach() - 1e-3 * unrelated.grad
    seen = mixed.prototypes[mixed.relations.unique()]

    def pushed(vectors):
        return torch.nn.functional.logsigmoid(-SIMILARITY(vectors, seen)).sum()

    assert pushed(moved) > pushed(unrelated.detach())
