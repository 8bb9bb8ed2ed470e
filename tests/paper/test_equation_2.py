from __future__ import annotations

import math

import pytest
import torch

from protorel.geometry import ScaledCosine, cosine


def test_cosines_equal_plain_loops(batch, plain_cosine):
    expected = [[plain_cosine(s, z) for z in batch.prototypes.tolist()] for s in batch.embeddings.tolist()]
    torch.testing.assert_close(cosine(batch.embeddings, batch.prototypes), torch.tensor(expected, dtype=torch.double))


@pytest.mark.parametrize(("scale", "bias"), [(1.0, 0.0), (20.0, -10.0), (7.0, 2.5)])
def test_equation_2_is_the_sigmoid_of_scaled_cosine_and_bias(batch, plain_cosine, scale, bias):
    d = ScaledCosine(scale, bias)(batch.embeddings, batch.prototypes).sigmoid()
    for i, s in enumerate(batch.embeddings.tolist()):
        for k, z in enumerate(batch.prototypes.tolist()):
            expected = 1 / (1 + math.exp(-(scale * plain_cosine(s, z) + bias)))
            assert d[i, k].item() == pytest.approx(expected, rel=1e-12)


def test_equation_2_corrected_rises_as_two_vectors_align():
    angles = torch.linspace(0, torch.pi, 30, dtype=torch.double)
    turning = torch.stack([angles.cos(), angles.sin()], dim=1)
    d = ScaledCosine(3.0)(turning[:1], turning)[0].sigmoid()
    assert (d.diff() < 0).all()


def test_without_a_scale_equation_2_spans_only_a_quarter_to_three_quarters():
    opposite = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    d = ScaledCosine(1.0)(opposite[:1], opposite).sigmoid()
    torch.testing.assert_close(d, torch.tensor([[0.7311, 0.2689]]), atol=1e-4, rtol=0)
