"""Figure 6: how far wrong labels move the boundaries of an instance-level and a prototype-level classifier.

Versicolor and virginica, the two of Fisher's three irises that overlap, by the length and width of their petals. The
paper names neither classes nor features. Some labels are swapped, in many draws. The rotation of a boundary is its
angle to the boundary from true labels; its shift is its distance from the point of that boundary closest to the mean of
the data, where the two classes meet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.evaluation import Measurement, measure
from protorel_paper.figures.linear_boundary import (
    Boundary,
    Labels,
    Points,
    instance_boundary,
    prototype_boundary,
    scikit_learn,
)

CLASSIFIERS: dict[str, Callable[[Points, Labels], Boundary]] = {
    "instance": instance_boundary,
    "prototype": prototype_boundary,
}
RATES = (0.1, 0.2, 0.3, 0.4)
SHOWN_RATE = 0.2
DRAWS = 500
_CLASSES, _FEATURES = (1, 2), (2, 3)


@dataclass(frozen=True, slots=True)
class Flowers:
    """Flowers of two kinds."""

    points: Points
    labels: Labels
    kinds: tuple[str, str]
    """Names of the classes False and True."""
    features: tuple[str, str]

    def described(self) -> dict[str, Any]:
        """Return the name, fingerprint and counts of the data."""
        digest = hashlib.sha256(self.points.tobytes() + self.labels.tobytes()).hexdigest()
        kinds = dict(zip(self.kinds, ((~self.labels).sum().item(), self.labels.sum().item()), strict=True))
        return {"name": "iris", "fingerprint": digest, "classes": kinds, "features": list(self.features)}


@dataclass(frozen=True, slots=True)
class Distortion:
    """The effect of wrong labels on one classifier, over draws; `usual` is the 95 % quantile."""

    rotation: Measurement
    usual_rotation: float
    shift: Measurement
    usual_shift: float
    accuracy: Measurement
    """On the true labels."""


@dataclass(frozen=True, slots=True)
class Noisy:
    """Wrong labels of one kind and rate, and the boundary of each draw."""

    kind: str
    rate: float
    labels: tuple[Labels, ...]
    boundaries: dict[str, list[Boundary]]
    distortion: dict[str, Distortion]


@dataclass(frozen=True, slots=True)
class IrisStudy:
    """All boundaries, with and without wrong labels."""

    flowers: Flowers
    clean: dict[str, Boundary]
    noisy: tuple[Noisy, ...]
    draws: int
    seed: int

    @property
    def shown(self) -> Noisy:
        """The noise that the figure shows."""
        return next(one for one in self.noisy if one.kind == "both classes" and one.rate == SHOWN_RATE)


def load_flowers() -> Flowers:
    """Load Fisher's irises from scikit-learn."""
    given = scikit_learn("datasets").load_iris()
    rows = np.isin(given.target, _CLASSES)
    kinds = [str(given.target_names[kind]) for kind in _CLASSES]
    features = [str(given.feature_names[feature]).replace("(cm)", "in cm") for feature in _FEATURES]
    points = np.ascontiguousarray(given.data[rows][:, _FEATURES], dtype=np.float64)
    return Flowers(points, given.target[rows] == _CLASSES[1], (kinds[0], kinds[1]), (features[0], features[1]))


def wrong_in_both(labels: Labels, rate: float, rng: np.random.Generator) -> Labels:
    """Swap a share of all labels."""
    return _swapped(labels, rng.choice(len(labels), size=round(rate * len(labels)), replace=False))


def wrong_in_one(labels: Labels, rate: float, rng: np.random.Generator) -> Labels:
    """Swap a share of the positive labels only."""
    own = np.flatnonzero(labels)
    return _swapped(labels, rng.choice(own, size=round(rate * len(own)), replace=False))


KINDS = {"both classes": wrong_in_both, "one class": wrong_in_one}


def study_iris(*, seed: int = 0, draws: int = DRAWS, rates: tuple[float, ...] = RATES) -> IrisStudy:
    """Draw wrong labels of every kind and rate many times; both classifiers see the same draws."""
    flowers = load_flowers()
    clean = {name: fit(flowers.points, flowers.labels) for name, fit in CLASSIFIERS.items()}
    noisy = []
    for number, (kind, swap) in enumerate(KINDS.items()):
        for place, rate in enumerate(rates):
            rng = np.random.default_rng([seed, number, place])
            labels = tuple(swap(flowers.labels, rate, rng) for _ in range(draws))
            found = {name: [fit(flowers.points, one) for one in labels] for name, fit in CLASSIFIERS.items()}
            distortion = {name: distorted(flowers, clean[name], boundaries) for name, boundaries in found.items()}
            noisy.append(Noisy(kind, rate, labels, found, distortion))
    return IrisStudy(flowers, clean, tuple(noisy), draws, seed)


def distorted(flowers: Flowers, clean: Boundary, boundaries: list[Boundary]) -> Distortion:
    """Compare boundaries from wrong labels with the one from true labels."""
    meeting = clean.closest(flowers.points.mean(axis=0))
    rotations = [clean.rotation(one) for one in boundaries]
    shifts = [one.distance(meeting) for one in boundaries]
    accuracies = [float((one(flowers.points) == flowers.labels).mean()) for one in boundaries]
    usual_rotation, usual_shift = (float(np.quantile(values, 0.95)) for values in (rotations, shifts))
    return Distortion(measure(rotations), usual_rotation, measure(shifts), usual_shift, measure(accuracies))


def _swapped(labels: Labels, rows: Any) -> Labels:
    swapped = labels.copy()
    swapped[rows] = ~swapped[rows]
    return swapped
