"""Snowball as a whole: what it finds, whom it trusts, when it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.patterns import SnowballSettings, find_patterns, read_corpus
from protorel.patterns.snowball import noisy_or
from protorel.statements import UnknownRelation

SETTINGS = SnowballSettings()


def patterns_of(statements, relation, settings=SETTINGS):
    corpus = read_corpus(lambda: statements, settings)
    return corpus, find_patterns(corpus, relation, settings)


def test_each_relation_has_its_wording_and_a_wrong_label_lowers_its_confidence(towns):
    corpus, found = patterns_of(towns, "born_in")
    assert (len(found), found.own.tolist(), found.positive.tolist()) == (1, [10], [10])
    # The pair of Ada and Mere is born there, but labelled otherwise.
    assert (found.negative.tolist(), found.confidence.tolist()) == ([1], [10 / 11])
    assert (found.rounds, found.trusted) == (1, 10)
    matched = np.flatnonzero(found.matches.toarray()[corpus.row_of, 0] > 0).tolist()
    assert [towns[row].id for row in matched] == [*(f"b{number}" for number in range(10)), "wrong"]
    _, died = patterns_of(towns, "died_in")
    assert died.own.tolist() == [10]
    assert died.confidence.tolist() == [1.0]


def test_a_pair_without_a_label_comes_in_and_brings_its_other_wordings(said, towns):
    # Nobody labelled Kim; that she was born in Tarn is told as others' births are, and once more in other words.
    # So is Lee's. Only when both are trusted do two pairs support those words.
    new = [
        said(f"{name} was born in {place} long ago.", name, place) for name, place in (("Kim", "Tarn"), ("Lee", "Mere"))
    ] + [said(f"{place} is where {name} came from.", name, place) for name, place in (("Kim", "Tarn"), ("Lee", "Mere"))]
    _, before = patterns_of([*towns, *new], "born_in", replace(SETTINGS, rounds=1))
    assert (len(before), before.rounds, before.trusted) == (1, 1, 10)
    corpus, found = patterns_of([*towns, *new], "born_in")
    assert (len(found), found.rounds, found.trusted) == (2, 2, 12)
    assert found.positive.tolist() == [12, 2]
    assert found.own.tolist() == [10, 0]
    assert found.matches.toarray()[corpus.row_of[-1], 1] > 0.6


def test_a_pair_that_is_labelled_otherwise_stays_a_counterexample(said, towns):
    other = said("Kim was born in Tarn long ago.", "Kim", "Tarn", "died_in")
    _, found = patterns_of([*towns, other], "born_in")
    assert (found.negative.tolist(), found.trusted, found.rounds) == ([2], 10, 1)


def test_rounds_end_at_their_most(said, towns):
    new = [said("Kim was born in Tarn long ago.", "Kim", "Tarn")]
    assert patterns_of([*towns, *new], "born_in", replace(SETTINGS, rounds=1))[1].trusted == 10
    assert patterns_of([*towns, *new], "born_in", replace(SETTINGS, rounds=2))[1].trusted == 11
    # Whoever asks for more than a pattern can promise gets no new pair.
    assert patterns_of([*towns, *new], "born_in", replace(SETTINGS, sure=0.95))[1].trusted == 10


def test_a_wording_that_one_pair_alone_supports_is_dropped(said):
    data = [
        said("Ada was born in Lunsk.", "Ada", "Lunsk", "born_in", id="1"),
        said("Ada was born in Lunsk!", "Ada", "Lunsk", "born_in", id="2"),
        said("Bo came from Mere.", "Bo", "Mere", "born_in"),
    ]
    _, found = patterns_of(data, "born_in")
    assert len(found) == 0
    assert found.matches.shape == (3, 0)
    assert len(patterns_of(data, "born_in", replace(SETTINGS, min_pairs=1))[1]) == 2


def test_patterns_that_match_most_come_first():
    world = build_small_world(SmallWorldSettings(statements_per_relation=40, held_out_per_relation=1)).train
    corpus, found = patterns_of(world, "born_in")
    assert len(found) > 3
    assert (np.diff(found.own) <= 0).all()
    own = corpus.rows_with(corpus.relations.index("born_in"))
    assert found.own.tolist() == [int((column > 0).sum()) for column in found.matches.toarray()[own].T]
    again = patterns_of(world, "born_in")[1]
    assert abs(found.vectors - again.vectors).max() == 0
    assert found.confidence.tolist() == again.confidence.tolist()


def test_an_unknown_relation_is_refused_with_the_nearest(towns):
    with pytest.raises(UnknownRelation, match="did you mean 'born_in'"):
        patterns_of(towns, "bornin")


def auroc(scores, true) -> float:
    ranks = rankdata(scores)
    wins = ranks[true].sum() - true.sum() * (true.sum() + 1) / 2
    return float(wins / true.sum() / (~true).sum())


def test_patterns_rank_statements_that_express_their_label_above_those_that_do_not():
    world = build_small_world(SmallWorldSettings(statements_per_relation=60, held_out_per_relation=1)).train
    corpus = read_corpus(lambda: world, SETTINGS)
    believed = np.zeros(len(world))
    for number, relation in enumerate(corpus.relations.ids):
        found = find_patterns(corpus, relation, SETTINGS)
        own = corpus.label_of == number
        believed[own] = noisy_or(found.matches, found.confidence)[corpus.row_of[own]]
    true = np.array([statement.expresses for statement in world])
    assert 0.3 < true.mean() < 0.7
    assert auroc(believed, true) > 0.75
