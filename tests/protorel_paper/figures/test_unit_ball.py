"""Vectors on a ball that can be drawn."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel_paper.figures.unit_ball import unit, unit_ball


def angle(one, other):
    return np.degrees(np.arccos(np.clip(one @ other, -1, 1)))


def test_three_prototypes_keep_their_angles(make_space):
    space = make_space(("a", "b", "c"))
    ball = unit_ball(space)
    given = space.prototypes.double().numpy()
    for one in range(3):
        for other in range(one):
            drawn = angle(ball.prototypes[one], ball.prototypes[other])
            assert drawn == pytest.approx(angle(given[one], given[other]), abs=1e-4)
    assert ball.survival.prototype_angle_error == pytest.approx(0, abs=1e-4)


def test_a_vector_in_the_span_of_the_prototypes_is_drawn_where_it_is(make_space):
    space = make_space(("a", "b", "c"), each=1)
    mixed = torch.nn.functional.normalize(space.prototypes.sum(0, keepdim=True).repeat(3, 1), dim=-1)
    ball = unit_ball(replace(space, vectors=mixed))
    assert ball.survival.squared_length == pytest.approx(1)
    assert ball.survival.own_angle == pytest.approx(ball.survival.own_angle_drawn, abs=1e-3)


def test_everything_lies_on_the_ball_and_prototypes_look_at_the_reader(make_space):
    ball = unit_ball(make_space(("a", "b", "c")))
    for points in (ball.prototypes, ball.statements):
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-9)
    middle = ball.prototypes.sum(axis=0)
    np.testing.assert_allclose(middle[:2], 0, atol=1e-9)
    assert middle[2] > 0
    assert ball.prototypes[0, 0] == pytest.approx(0, abs=1e-9)
    assert ball.prototypes[0, 1] > 0
    assert ball.prototypes[1, 0] > 0


def test_angles_in_the_space_are_those_of_plain_loops(make_space):
    space = make_space(("a", "b", "c"), each=4)
    ball = unit_ball(space)
    vectors, prototypes = space.vectors.double().numpy(), space.prototypes.double().numpy()
    own, others, kept = [], [], []
    basis = np.linalg.qr(prototypes.T)[0]
    for vector, relation in zip(vectors, space.own.tolist(), strict=True):
        for place, prototype in enumerate(prototypes):
            (own if place == relation else others).append(angle(vector, prototype))
        kept.append(((vector @ basis) ** 2).sum())
    np.testing.assert_allclose(ball.own_angles, own)
    np.testing.assert_allclose(ball.other_angles, others)
    assert ball.survival.own_angle == pytest.approx(np.mean(own))
    assert ball.survival.squared_length == pytest.approx(np.mean(kept))
    assert ball.survival.own_angle_drawn < ball.survival.own_angle


def test_prototypes_that_coincide_or_cancel_are_drawn_too(make_space):
    same = make_space(("a", "b", "c"))
    alike = same.prototypes[:1].repeat(3, 1)
    opposite = torch.stack([same.prototypes[0], -same.prototypes[0], same.prototypes[1] * 0 + same.prototypes[0]])
    for prototypes in (alike, opposite):
        ball = unit_ball(replace(same, prototypes=prototypes))
        assert np.isfinite(ball.statements).all()


def test_a_vector_of_no_length_stays_at_the_middle():
    np.testing.assert_array_equal(unit(np.zeros((1, 3))), np.zeros((1, 3)))
