"""Vectors on paper."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from protorel.report import project


def test_the_projection_agrees_with_scikit_learn_up_to_the_sign_of_an_axis():
    vectors = torch.randn(50, 8, generator=torch.Generator().manual_seed(0))
    theirs = PCA(2, svd_solver="full").fit_transform(vectors.double().numpy())
    np.testing.assert_allclose(np.abs(project(vectors)), np.abs(theirs), atol=1e-9)


def test_the_order_of_the_vectors_does_not_turn_the_map():
    vectors = torch.randn(40, 6, generator=torch.Generator().manual_seed(1))
    order = torch.randperm(40, generator=torch.Generator().manual_seed(2))
    np.testing.assert_allclose(project(vectors)[order.numpy()], project(vectors[order]), atol=1e-9)


@pytest.mark.parametrize("shape", [(0, 4), (1, 4), (3, 1), (2, 5), (4, 0)])
def test_few_vectors_or_narrow_ones_have_a_place_too(shape):
    places = project(torch.ones(shape))
    assert places.shape == (shape[0], 2)
    assert np.isfinite(places).all()


def test_a_vector_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="expected finite vectors, got 1 of 2"):
        project(torch.tensor([[0.0, 1.0], [float("nan"), 1.0]]))
