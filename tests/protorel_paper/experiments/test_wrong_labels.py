"""Wrong labels by seed: as many as were asked for, never the right one, and more of them at a higher rate."""

import dataclasses

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import BadInput, Span, Statement
from protorel_paper.experiments.label_noise import wrong_labels
from protorel_paper.experiments.label_noise.wrong_labels import confusable_choices, uniform_choices, with_wrong_labels


def statements(counts):
    return [
        Statement("Ada met Bo.", Span(0, 3), Span(8, 10), relation, id=f"{relation}/{number}")
        for relation, count in counts.items()
        for number in range(count)
    ]


COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=2)


@given(COUNTS, st.floats(0, 1), st.integers(0, 9))
def test_the_share_of_wrong_labels_is_exact_to_the_nearest_statement(counts, rate, seed):
    clean = statements(counts)
    noisy = with_wrong_labels(clean, rate, uniform_choices(sorted(counts)), seed=seed)
    changed = [new.relation != old.relation for new, old in zip(noisy.statements, clean, strict=True)]
    assert sum(changed) == noisy.wrong
    assert abs(noisy.wrong - rate * len(clean)) <= 0.5
    assert [one.expresses for one in noisy.statements] == [not wrong for wrong in changed]
    for new, old in zip(noisy.statements, clean, strict=True):
        assert dataclasses.replace(new, relation=old.relation, expresses=None) == old


@given(COUNTS, st.floats(0, 1), st.floats(0, 1))
def test_what_a_low_rate_makes_wrong_a_higher_makes_wrong_in_the_same_way(counts, one, other):
    clean, choices = statements(counts), uniform_choices(sorted(counts))
    low, high = (with_wrong_labels(clean, rate, choices, seed=0).statements for rate in sorted((one, other)))
    for less, more in zip(low, high, strict=True):
        assert less.expresses or (less.relation == more.relation and not more.expresses)


def test_other_seeds_make_other_labels_wrong():
    clean, choices = statements({"a": 20, "b": 20, "c": 20}), uniform_choices("abc")
    drawn = [with_wrong_labels(clean, 0.5, choices, seed=seed).statements for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_uniform_wrong_labels_reach_every_other_relation_about_equally_often():
    noisy = with_wrong_labels(statements({"a": 3000, "b": 1, "c": 1, "d": 1}), 1.0, uniform_choices("abcd"), seed=0)
    given_to_a = [one.relation for one in noisy.statements if one.id.startswith("a/")]
    assert "a" not in given_to_a
    assert all(900 < given_to_a.count(name) < 1100 for name in "bcd")


@pytest.mark.parametrize("rate", [-0.1, 1.5, float("nan")])
def test_a_rate_that_is_no_share_is_refused(rate):
    with pytest.raises(BadInput, match="expected a share from 0 to 1"):
        with_wrong_labels(statements({"a": 2, "b": 2}), rate, uniform_choices("ab"), seed=0)


@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 99))
def test_confusable_relations_are_the_nearest_by_class_mean_and_never_the_label_itself(relations, count, seed):
    names = [f"r{number}" for number in range(relations)]
    vectors = torch.randn(relations * 3, 8, generator=torch.Generator().manual_seed(seed)) + 2.0
    given_ = {name: statements({name: 3}) for name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wrong_labels, "encode_once", lambda *_: vectors)
        found = confusable_choices(None, given_, count=count)
    unit = [row / row.norm() for row in vectors]
    centre = sum(unit) / len(unit)
    means = []
    for number in range(relations):
        summed = sum((one - centre) / (one - centre).norm() for one in unit[3 * number : 3 * number + 3])
        means.append(summed / summed.norm())
    for number, name in enumerate(names):
        others = [other for other in range(relations) if other != number]
        nearest = sorted(others, key=lambda other: -float(means[number] @ means[other]))[:count]
        assert found[name] == [names[other] for other in nearest]
        assert name not in found[name]


def test_confusable_wrong_labels_come_from_the_neighbours_alone():
    choices = {"a": ["b"], "b": ["a"], "c": ["a", "b"]}
    noisy = with_wrong_labels(statements({"a": 9, "b": 9, "c": 9}), 1.0, choices, seed=0)
    assert all(one.relation in choices[one.id[0]] for one in noisy.statements)
