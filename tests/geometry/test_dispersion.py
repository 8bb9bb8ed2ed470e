from __future__ import annotations

import math
import statistics
from itertools import combinations

import pytest
import torch

from protorel.geometry import dispersion


def simplex(count: int) -> torch.Tensor:
    return torch.eye(count, dtype=torch.double) - 1 / count


@pytest.mark.parametrize("count", [2, 3, 4, 10])
def test_the_corners_of_a_regular_simplex_stand_at_the_ideal_angle(count):
    found = dispersion(simplex(count))
    assert found.mean_angle == pytest.approx(found.ideal_angle, abs=1e-4)
    assert found.smallest_angle == pytest.approx(found.ideal_angle, abs=1e-4)
    assert found.spread == pytest.approx(0, abs=1e-4)


def test_the_ideal_angles_of_two_three_and_four_are_the_known_ones():
    ideal = [dispersion(torch.eye(4)[:count]).ideal_angle for count in (2, 3, 4)]
    assert ideal == pytest.approx([180, 120, 109.4712], abs=1e-3)


def test_dispersion_equals_plain_loops():
    vectors = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    angles, kernels = [], []
    for a, b in combinations(vectors.tolist(), 2):
        length_a, length_b = (math.sqrt(sum(x * x for x in v)) for v in (a, b))
        angles.append(math.degrees(math.acos(sum(x * y for x, y in zip(a, b, strict=True)) / length_a / length_b)))
        distance = sum((x / length_a - y / length_b) ** 2 for x, y in zip(a, b, strict=True))
        kernels.append(math.exp(-2 * distance))
    found = dispersion(vectors)
    assert found.mean_angle == pytest.approx(statistics.mean(angles))
    assert found.smallest_angle == pytest.approx(min(angles))
    assert found.spread == pytest.approx(statistics.pstdev(angles))
    assert found.uniformity == pytest.approx(math.log(statistics.mean(kernels)))


def test_crowded_prototypes_are_less_uniform_than_spread_ones():
    spread = dispersion(torch.eye(4))
    crowded = dispersion(torch.eye(4) + 5)
    assert crowded.uniformity > spread.uniformity
    assert crowded.mean_angle < spread.mean_angle


def test_identical_and_opposite_prototypes_give_whole_numbers():
    found = dispersion(torch.tensor([[3.0, 0.1, 7.0], [3.0, 0.1, 7.0], [-3.0, -0.1, -7.0]]))
    assert found.smallest_angle == pytest.approx(0, abs=0.1)
    assert found.mean_angle == pytest.approx(120, abs=0.1)


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_prototypes_have_no_angle(count):
    with pytest.raises(ValueError, match="at least 2"):
        dispersion(torch.ones(count, 3))
