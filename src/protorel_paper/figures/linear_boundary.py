"""Two linear classifiers: one learns from every instance, one from the mean of each class (the paper's section 4.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput

Points = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Boundary:
    """The line where wᵀx + b = 0; the positive class lies where it is greater."""

    weights: NDArray[np.float64]
    bias: float

    def __call__(self, points: Points) -> Labels:
        """Return which points are classified as positive."""
        positive: Labels = points @ self.weights + self.bias > 0
        return positive

    def distance(self, point: Points) -> float:
        """Return the distance of a point from the line."""
        return float(abs(point @ self.weights + self.bias) / np.linalg.norm(self.weights))

    def closest(self, point: Points) -> Points:
        """Return the point of the line that is closest to a point."""
        closest: Points = point - self.weights * (point @ self.weights + self.bias) / (self.weights @ self.weights)
        return closest

    def rotation(self, other: Boundary) -> float:
        """Return the angle to another boundary in degrees: 0 is parallel, 180 has the classes swapped."""
        lengths = np.linalg.norm(self.weights) * np.linalg.norm(other.weights)
        return math.degrees(math.acos(float(np.clip(self.weights @ other.weights / lengths, -1.0, 1.0))))


def prototype_boundary(points: Points, labels: Labels) -> Boundary:
    """Return the boundary of the nearer of two prototypes, each the mean of its class.

    g(x) = sign(‖x - z₋‖² - ‖x - z₊‖²) is sign(wᵀx + b) with w = z₊ - z₋ and b = (‖z₋‖² - ‖z₊‖²) / 2.
    """
    _check(labels)
    positive, negative = points[labels].mean(axis=0), points[~labels].mean(axis=0)
    return Boundary(positive - negative, float(negative @ negative - positive @ positive) / 2)


def instance_boundary(points: Points, labels: Labels) -> Boundary:
    """Return the boundary that cross-entropy over instances gives: logistic regression, as scikit-learn sets it up.

    The paper does not say which linear classifier it used.
    """
    _check(labels)
    model = scikit_learn("linear_model").LogisticRegression(max_iter=1000).fit(points, labels)
    return Boundary(np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0]))


def scikit_learn(part: str) -> Any:
    """Import a part of scikit-learn, or say how to install it."""
    try:
        return import_module(f"sklearn.{part}")
    except ImportError as problem:
        raise BadInput("this needs scikit-learn; install it with: pip install 'protorel[paper]'") from problem


def _check(labels: Labels) -> None:
    if labels.all() or not labels.any():
        raise BadInput(f"labels: expected two classes, got {len(labels)} points of one class")
