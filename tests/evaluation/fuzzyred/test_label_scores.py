"""Scores of labels by prototypes and descriptions."""

import math

import numpy as np
import pytest
import torch

from protorel.evaluation.fuzzyred.judged_statements import judged
from protorel.evaluation.fuzzyred.label_scores import SCALE, Targets, label_scores
from protorel.statements import Span, Statement, load_equivalents

RELATIONS = ["P26", "P19", "unheard_of"]


@pytest.fixture
def given_():
    made = [
        Statement("Ada met Bo.", Span(0, 3), Span(8, 10), relation, f"{n}", expresses=n % 2 == 0)
        for n, relation in enumerate(RELATIONS * 4)
    ]
    return judged(made, "here")


@pytest.fixture
def vectors():
    return torch.randn(12, 5, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def target_vectors():
    return torch.randn(5, 5, generator=torch.Generator().manual_seed(1))


NAMES = ["P19", "spouse", "P6", "birthPlace", "P36"]


def angle(one, other):
    return float(torch.dot(one.double(), other.double()) / one.double().norm() / other.double().norm())


def test_targets_are_found_by_meaning(target_vectors):
    found = Targets.of(target_vectors, NAMES, RELATIONS, load_equivalents())
    assert {name: np.flatnonzero(own).tolist() for name, own in found.means.items()} == {"P26": [1], "P19": [0, 3]}


def test_every_score_is_that_of_plain_loops(given_, vectors, target_vectors):
    background = torch.randn(9, 5, generator=torch.Generator().manual_seed(2))
    targets = Targets.of(target_vectors, NAMES, RELATIONS, load_equivalents())
    found = label_scores(vectors, given_, targets, background=background)
    assert set(found) == {
        "cosine", "less_mean", "less_closest", "standardised", "log_chance",
        "tested_less_mean", "tested_less_closest", "tested_standardised", "tested_log_chance",
        "background_cosine", "background_less_mean", "background_less_closest", "background_standardised",
    }  # fmt: skip
    usual = [[angle(one, target) for one in background] for target in target_vectors]
    for relation, own, tested in (("P26", [1], [0, 3]), ("P19", [0, 3], [1])):
        others = [place for place in range(5) if place not in own]
        for place, row in enumerate(given_.rows[relation]):
            cosines = [angle(vectors[row], target) for target in target_vectors]
            against = [(c - np.mean(u)) / np.std(u) for c, u in zip(cosines, usual, strict=True)]
            for prefix, values, rest in (
                ("", cosines, others),
                ("tested_", cosines, tested),
                ("background_", against, others),
            ):
                mine, theirs = max(values[i] for i in own), [values[i] for i in rest]
                together = [mine, *theirs]
                expected = {
                    "less_mean": mine - sum(theirs) / len(theirs),
                    "less_closest": mine - max(theirs),
                    "standardised": (mine - np.mean(together)) / np.std(together),
                }
                if prefix != "tested_":
                    expected["cosine"] = mine
                if prefix != "background_":
                    chances = [math.exp(SCALE * value) for value in together]
                    expected["log_chance"] = math.log(chances[0] / sum(chances))
                for name, value in expected.items():
                    assert found[prefix + name][relation][place] == pytest.approx(value, abs=1e-5), prefix + name


def test_a_relation_without_a_target_has_no_score(given_, vectors, target_vectors):
    targets = Targets.of(target_vectors, NAMES, RELATIONS, load_equivalents())
    assert set(label_scores(vectors, given_, targets)["cosine"]) == {"P26", "P19"}
    nothing = Targets.of(target_vectors[:1], ["P6"], RELATIONS, load_equivalents())
    assert label_scores(vectors, given_, nothing) == {}
    none = Targets.of(torch.empty(0, 5), [], RELATIONS, load_equivalents())
    assert label_scores(vectors, given_, none) == {}


def test_a_single_target_has_nothing_to_be_compared_with(given_, vectors, target_vectors):
    targets = Targets.of(target_vectors[:1], ["P26"], RELATIONS, load_equivalents())
    assert set(label_scores(vectors, given_, targets)) == {"cosine"}


def test_scores_that_do_not_vary_are_no_division_by_zero(given_):
    targets = Targets.of(torch.ones(3, 5), ["P26", "P19", "P6"], RELATIONS, load_equivalents())
    found = label_scores(torch.ones(12, 5), given_, targets, background=torch.ones(4, 5))
    for one in found.values():
        assert all(np.isfinite(values).all() for values in one.values())
