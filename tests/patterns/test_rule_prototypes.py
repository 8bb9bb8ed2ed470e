from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.patterns import SnowballSettings, find_patterns, read_corpus, rule_prototype, rule_weights
from protorel.patterns.rule_prototypes import HEAVIEST, relative, similarity_to

SETTINGS = SnowballSettings()


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=40, held_out_per_relation=1)).train


@pytest.fixture(scope="module")
def corpus(world):
    return read_corpus(lambda: world, SETTINGS)


def test_a_rule_prototype_is_the_mean_of_the_patterns_that_match_most(corpus):
    found = find_patterns(corpus, "born_in", SETTINGS)
    dense = found.vectors.toarray()
    most = sorted(range(len(found)), key=lambda p: (-found.own[p], -found.confidence[p]))
    for top in (1, 3, len(found) + 5):
        expected = dense[most[:top]].mean(0)
        assert rule_prototype(found, top=top) == pytest.approx(expected, abs=1e-6)


def test_similarity_is_the_cosine_of_context_and_prototype(corpus):
    prototype = rule_prototype(find_patterns(corpus, "born_in", SETTINGS), top=3)
    contexts = corpus.vectors[:20]
    length = np.sqrt((prototype**2).sum())
    expected = [float(row @ prototype) / length for row in contexts.toarray()]
    assert similarity_to(prototype, contexts) == pytest.approx(expected, abs=1e-6)
    assert similarity_to(10 * prototype, contexts) == pytest.approx(expected, abs=1e-6)
    assert similarity_to(np.zeros_like(prototype), contexts).tolist() == [0.0] * 20


def test_weights_are_relative_to_the_relation_and_bounded():
    assert relative(np.array([0.1, 0.2, 0.3])) == pytest.approx([0.5, 1.0, 1.5])
    assert relative(np.array([0.0, 0.0, 0.0, 0.8])).tolist() == [0, 0, 0, HEAVIEST]
    assert relative(np.zeros(3)).tolist() == [1, 1, 1]
    assert relative(np.zeros(0)).tolist() == []


def test_each_statement_weighs_by_the_rules_of_its_own_label(world, corpus):
    weights = rule_weights(corpus, SETTINGS, top=5)
    assert weights.dtype == np.float32
    for relation in ("born_in", "wrote"):
        own = [number for number, statement in enumerate(world) if statement.relation == relation]
        prototype = rule_prototype(find_patterns(corpus, relation, SETTINGS), top=5)
        likeness = similarity_to(prototype, corpus.vectors)[corpus.row_of[own]]
        assert weights[own] == pytest.approx(np.minimum(likeness / likeness.mean(), HEAVIEST), rel=1e-5)


def test_statements_that_express_their_label_weigh_more(world, corpus):
    weights = rule_weights(corpus, SETTINGS, top=10)
    true = np.array([statement.expresses for statement in world])
    assert weights[true].mean() > 1.2 * weights[~true].mean()


def test_unlabelled_statements_and_relations_without_rules_weigh_1(towns, said):
    alone = said("Kim sang for Tarn.", "Kim", "Tarn", "sang_for")
    data = [*towns, alone, replace(towns[0], relation=None)]
    weights = rule_weights(read_corpus(lambda: data, SETTINGS), SETTINGS, top=10)
    assert weights[-2:].tolist() == [1.0, 1.0]
    assert weights[-3] < 0.1
