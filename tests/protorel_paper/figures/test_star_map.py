"""Maps of statements and prototypes: deterministic, faithful by a number, and robust."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.report.projection import project
from protorel.statements import BadInput
from protorel_paper.figures.star_map import neighbour_map, neighbours_kept, perplexity, star_map


def vectors(count, width=12, seed=0):
    return torch.nn.functional.normalize(torch.randn(count, width, generator=torch.Generator().manual_seed(seed)))


def test_the_same_vectors_and_seed_give_the_same_map(make_space):
    one, two = (star_map(make_space(), seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.statements, two.statements)
    np.testing.assert_array_equal(one.stars, two.stars)


def test_clouds_that_are_apart_stay_apart_and_stars_stand_among_their_own(make_space):
    found = star_map(make_space(), seed=0)
    assert min(found.fidelity.own_in_space, found.fidelity.own_on_map) > 0.95
    assert found.fidelity.neighbours_kept > 0.6
    assert found.statements.shape == (60, 2)
    assert found.stars.shape == (4, 2)


def test_shares_are_those_of_plain_loops(make_space):
    space = make_space(seed=4)
    space = replace(space, own=space.own.roll(3))
    found = star_map(space, seed=1)
    own = space.own.tolist()
    in_space = on_map = 0
    for index, relation in enumerate(own):
        cosines = [float(space.vectors[index] @ prototype) for prototype in space.prototypes]
        distances = [float(np.hypot(*(found.statements[index] - star))) for star in found.stars]
        in_space += cosines.index(max(cosines)) == relation
        on_map += distances.index(min(distances)) == relation
    assert found.fidelity.own_in_space == pytest.approx(in_space / len(own))
    assert found.fidelity.own_on_map == pytest.approx(on_map / len(own))
    assert found.fidelity.own_in_space < 1


def test_kept_neighbours_are_counted_as_by_hand(monkeypatch):
    given = vectors(40)
    places = project(given)
    expected = []
    for i in range(40):
        near = []
        for points in (given.double().numpy(), places):
            distances = [np.linalg.norm(points[i] - points[j]) if j != i else np.inf for j in range(40)]
            near.append(set(np.argsort(distances)[:10].tolist()))
        expected.append(len(near[0] & near[1]) / 10)
    assert neighbours_kept(given, places) == pytest.approx(np.mean(expected))
    monkeypatch.setattr("protorel_paper.figures.star_map._ROWS", 7)
    assert neighbours_kept(given, places) == pytest.approx(np.mean(expected))
    assert neighbours_kept(given, given.numpy()) == 1


@pytest.mark.parametrize("count", [2, 4, 5, 6, 11])
def test_few_vectors_have_places_too(count):
    places = neighbour_map(vectors(count), seed=0)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(9), axis=0)) == count


def test_vectors_that_are_all_alike_have_finite_places():
    assert np.isfinite(neighbour_map(torch.ones(12, 4) / 2, seed=0)).all()


def test_perplexity_never_asks_for_more_neighbours_than_there_are():
    for points in range(2, 200):
        assert 1 <= perplexity(points) <= max(1, (points - 1) / 3)
    assert perplexity(1000) == 30


def test_without_open_tsne_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(BadInput, match=r"protorel\[report\]"):
        neighbour_map(vectors(8), seed=0)
