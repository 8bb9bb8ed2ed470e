from __future__ import annotations

import jaxtyping
import pytest
import torch

from protorel.geometry import ScaledCosine, cosine, dot, euclidean


def test_a_cosine_is_between_minus_1_and_1_and_1_with_itself():
    vectors = torch.randn(20, 6, generator=torch.Generator().manual_seed(0))
    found = cosine(vectors, vectors)
    assert found.abs().max() <= 1 + 1e-6
    torch.testing.assert_close(found.diag(), torch.ones(20))
    torch.testing.assert_close(found, found.T)


def test_cosine_equals_torch_s_own():
    left, right = (torch.randn(n, 6, generator=torch.Generator().manual_seed(n)) for n in (4, 7))
    expected = torch.nn.functional.cosine_similarity(left[:, None], right[None], dim=-1)
    torch.testing.assert_close(cosine(left, right), expected)


def test_a_zero_vector_is_like_nothing_and_gives_no_nan():
    zero = torch.zeros(1, 3, requires_grad=True)
    found = cosine(zero, torch.eye(3))
    found.sum().backward()
    assert found.tolist() == [[0, 0, 0]]
    assert zero.grad.isfinite().all()


def test_a_scaled_cosine_is_a_logit():
    east, north = torch.tensor([[2.0, 0.0]]), torch.tensor([[0.0, 3.0]])
    assert ScaledCosine(20.0, -10.0)(east, torch.cat([east, north, -east])).tolist() == [[10, -10, -30]]


def test_vectors_of_unlike_width_are_refused_by_their_types():
    # This also holds that the tests run with shapes checked (see addopts in pyproject.toml).
    with pytest.raises(jaxtyping.TypeCheckError):
        cosine(torch.zeros(2, 3), torch.zeros(2, 4))


def test_dot_and_euclidean_are_what_plain_loops_say():
    left, right = (torch.randn(n, 6, generator=torch.Generator().manual_seed(n), dtype=torch.float64) for n in (4, 7))
    by_dot, by_distance = dot(left, right), euclidean(left, right)
    for i, j in [(i, j) for i in range(4) for j in range(7)]:
        pairs = list(zip(left[i].tolist(), right[j].tolist(), strict=True))
        assert by_dot[i, j].item() == pytest.approx(sum(a * b for a, b in pairs))
        assert by_distance[i, j].item() == pytest.approx(-sum((a - b) ** 2 for a, b in pairs))


@pytest.mark.parametrize("similarity", [cosine, dot, euclidean])
def test_leading_axes_are_compared_each_for_itself(similarity):
    left, right = (torch.randn(2, 3, n, 6, generator=torch.Generator().manual_seed(n)) for n in (4, 7))
    found = similarity(left, right)
    for i, j in [(i, j) for i in range(2) for j in range(3)]:
        torch.testing.assert_close(found[i, j], similarity(left[i, j], right[i, j]))
