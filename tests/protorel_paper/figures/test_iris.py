"""What wrong labels do to a boundary."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from protorel.statements import BadInput
from protorel_paper.figures.iris import CLASSIFIERS, RATES, load_flowers, study_iris, wrong_in_both, wrong_in_one
from protorel_paper.figures.linear_boundary import Boundary, instance_boundary, prototype_boundary, scikit_learn

COORDINATES = st.floats(-50, 50)


@given(arrays(float, (8, 3), elements=COORDINATES), arrays(bool, 8), arrays(float, (5, 3), elements=COORDINATES))
def test_the_nearer_of_two_prototypes_is_a_linear_classifier(points, labels, asked):
    assume(labels.any() and not labels.all())
    positive, negative = points[labels].mean(axis=0), points[~labels].mean(axis=0)
    boundary = prototype_boundary(points, labels)
    for point in asked:
        nearer = float(((point - negative) ** 2).sum() - ((point - positive) ** 2).sum())
        # The two forms differ by the factor 2, and by rounding.
        assert 2 * float(point @ boundary.weights + boundary.bias) == pytest.approx(nearer, abs=1e-8)
        if abs(nearer) > 1e-8:
            assert boundary(point[None])[0] == (nearer > 0)


def test_logistic_regression_is_at_the_bottom_of_its_own_loss():
    flowers = load_flowers()
    boundary = instance_boundary(flowers.points, flowers.labels)
    signs = np.where(flowers.labels, 1.0, -1.0)

    def loss(weights, bias):
        return np.log1p(np.exp(-signs * (flowers.points @ weights + bias))).sum() + weights @ weights / 2

    least = loss(boundary.weights, boundary.bias)
    for step in np.random.default_rng(0).normal(scale=0.05, size=(30, 3)):
        assert loss(boundary.weights + step[:2], boundary.bias + step[2]) > least


@pytest.mark.parametrize("fit", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_one_class_alone_has_no_boundary(fit):
    with pytest.raises(BadInput, match="expected two classes, got 4 points of one class"):
        fit(np.ones((4, 2)), np.ones(4, dtype=bool))


def test_rotation_and_distance_are_those_of_a_drawing():
    upright, slanted = Boundary(np.array([1.0, 0.0]), -2.0), Boundary(np.array([3.0, 3.0]), -6.0)
    assert upright.rotation(slanted) == pytest.approx(45)
    assert upright.rotation(Boundary(np.array([-2.0, 0.0]), 4.0)) == pytest.approx(180)
    assert upright.rotation(upright) == pytest.approx(0, abs=1e-6)
    assert upright.closest(np.array([5.0, 3.0])) == pytest.approx([2.0, 3.0])
    assert slanted.distance(np.array([2.0, 2.0])) == pytest.approx(math.sqrt(2))
    assert slanted.closest(np.array([2.0, 2.0])) == pytest.approx([1.0, 1.0])


def test_just_so_many_labels_are_swapped_and_in_one_class_where_asked():
    labels = np.arange(50) < 20
    for rate, count in ((0.1, 5), (0.2, 10), (0.5, 25)):
        assert (wrong_in_both(labels, rate, np.random.default_rng(0)) != labels).sum() == count
    one = wrong_in_one(labels, 0.25, np.random.default_rng(0))
    assert (one != labels).sum() == 5
    assert not one[20:].any()


@pytest.fixture(scope="module")
def study():
    return study_iris(seed=0, draws=25)


def test_the_flowers_are_a_hundred_of_two_kinds(study):
    flowers = study.flowers
    assert (len(flowers.points), flowers.labels.sum()) == (100, 50)
    assert flowers.kinds == ("versicolor", "virginica")
    assert flowers.features == ("petal length in cm", "petal width in cm")
    assert flowers.described()["classes"] == {"versicolor": 50, "virginica": 50}


def test_the_numbers_are_those_of_plain_loops(study):
    middle = study.flowers.points.mean(axis=0)
    for noisy in study.noisy[:2]:
        for name, fit in CLASSIFIERS.items():
            clean = study.clean[name]
            meeting = middle - clean.weights * (middle @ clean.weights + clean.bias) / (clean.weights @ clean.weights)
            turned, moved, right = [], [], []
            for labels in noisy.labels:
                found = fit(study.flowers.points, labels)
                length = math.hypot(*found.weights)
                angle = math.atan2(*found.weights) - math.atan2(*clean.weights)
                turned.append(abs(math.degrees((angle + math.pi) % (2 * math.pi) - math.pi)))
                moved.append(abs(found.weights @ meeting + found.bias) / length)
                right.append(np.mean((study.flowers.points @ found.weights > -found.bias) == study.flowers.labels))
            distortion = noisy.distortion[name]
            assert distortion.rotation.value == pytest.approx(np.mean(turned))
            assert distortion.shift.value == pytest.approx(np.mean(moved))
            assert distortion.accuracy.value == pytest.approx(np.mean(right))
            assert distortion.usual_rotation == pytest.approx(np.quantile(turned, 0.95))
            assert distortion.usual_shift == pytest.approx(np.quantile(moved, 0.95))
            assert distortion.rotation.count == 25


def test_prototypes_turn_less_than_instances_as_the_paper_says(study):
    for noisy in study.noisy:
        if noisy.kind == "both classes":
            instance, prototype = noisy.distortion["instance"], noisy.distortion["prototype"]
            assert prototype.rotation.value < instance.rotation.value
            assert prototype.shift.value < instance.shift.value
    assert [noisy.rate for noisy in study.noisy] == [*RATES, *RATES]


def test_the_same_seed_gives_the_same_draws_and_another_does_not(study):
    again, other = study_iris(seed=0, draws=3, rates=(0.1, 0.2)), study_iris(seed=1, draws=3, rates=(0.1, 0.2))
    assert all((one == two).all() for one, two in zip(again.shown.labels, study.shown.labels, strict=False))
    assert any((one != two).any() for one, two in zip(again.shown.labels, other.shown.labels, strict=True))


def test_scikit_learn_that_is_missing_is_asked_for(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("protorel_paper.figures.linear_boundary.import_module", missing)
    with pytest.raises(BadInput, match=r"needs scikit-learn; install it with: pip install 'protorel\[paper\]'"):
        scikit_learn("datasets")
