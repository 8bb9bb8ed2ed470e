from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from protorel.geometry import ScaledCosine, cosine
from protorel.objectives import ObjectiveSettings, WeightedSum, matching_blanks, same_pair, same_relation

SIMILARITY = ScaledCosine(4.0, -1.0)
PAIRS = torch.tensor([0, 1, 0, 2, 2, 2])


@pytest.fixture
def paired(batch_of):
    return replace(batch_of([0, 0, 1, 1, 2, 2], also=[(0, 1)], count=4), pairs=PAIRS)


def mean_of(values: list[float]) -> float:
    return sum(values) / len(values)


def plain(batch, alike, unlike, plain_cosine) -> float:
    s = batch.embeddings.tolist()
    near, far = [], []
    for i in range(len(s)):
        for j in range(len(s)):
            d = 1 / (1 + math.exp(-SIMILARITY.scale * plain_cosine(s[i], s[j]) - SIMILARITY.bias))
            if i != j and alike(i, j):
                near.append(math.log(d))
            if unlike(i, j):
                far.append(math.log(1 - d))
    return -(mean_of(near) + mean_of(far))


def test_by_pair_it_is_binary_cross_entropy_over_pairs_of_statements(paired, plain_cosine):
    pairs = PAIRS.tolist()
    expected = plain(paired, lambda i, j: pairs[i] == pairs[j], lambda i, j: pairs[i] != pairs[j], plain_cosine)
    found = matching_blanks(paired, *same_pair(paired), similarity=SIMILARITY)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_by_relation_statements_that_share_a_label_are_never_held_apart(paired, plain_cosine):
    r, labels = paired.relations.tolist(), paired.labels
    expected = plain(paired, lambda i, j: r[i] == r[j], lambda i, j: not (labels[i] & labels[j]).any(), plain_cosine)
    found = matching_blanks(paired, *same_relation(paired), similarity=SIMILARITY)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_labels_do_not_count_where_pairs_do(paired):
    other = replace(paired, relations=paired.relations.flip(0), labels=paired.labels.flip(0))
    one, two = (matching_blanks(batch, *same_pair(batch), similarity=SIMILARITY) for batch in (paired, other))
    torch.testing.assert_close(one, two)


def test_a_small_step_brings_statements_of_one_pair_together_and_others_apart(batch_of):
    batch = replace(batch_of([0, 1, 0, 1], width=64), pairs=torch.tensor([0, 0, 1, 1]))
    s = batch.embeddings.requires_grad_()
    matching_blanks(batch, *same_pair(batch), similarity=SIMILARITY).backward()
    with torch.no_grad():
        before, after = cosine(s, s), cosine(s - 0.1 * s.grad, s - 0.1 * s.grad)
    matches, others = same_pair(batch)
    assert (after[matches] > before[matches]).all()
    assert after[others].mean() < before[others].mean()


def test_a_batch_in_which_nothing_matches_only_pushes(batch_of):
    batch = replace(batch_of([0, 1, 2]), pairs=torch.arange(3))
    assert matching_blanks(batch, *same_pair(batch), similarity=SIMILARITY).isfinite()


def test_a_batch_that_does_not_name_its_pairs_cannot_be_matched_by_them(batch_of):
    with pytest.raises(ValueError, match="expected a batch with entity pairs"):
        same_pair(batch_of([0, 1]))


@pytest.mark.parametrize(("match", "rule"), [("pair", same_pair), ("relation", same_relation)])
def test_the_sum_takes_the_rule_and_the_scale_that_the_settings_name(paired, match, rule):
    settings = ObjectiveSettings.model_validate(
        {"s2s_prime": {"weight": 2.0, "scale": 4.0, "bias": -1.0, "match": match}}
    )
    generator = torch.Generator().manual_seed(0)
    objective = WeightedSum(settings, relations=4, width=5, vocabulary=None, generator=generator).double()
    loss = objective(paired.embeddings, paired.relations, paired.labels, pairs=paired.pairs)
    expected = matching_blanks(paired, *rule(paired), similarity=SIMILARITY)
    torch.testing.assert_close(loss.terms["s2s_prime"], expected)
    torch.testing.assert_close(loss.total, 2 * expected)
