"""Whitening by the spread within relations."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.geometry import fit_whitening


def _data(relations=5, each=30, width=6, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centres = torch.randn(relations, 1, width, generator=generator, dtype=torch.float64)
    noise = torch.randn(relations, each, width, generator=generator, dtype=torch.float64)
    # Statements of a relation differ mostly along the first axis, which says nothing about the relation.
    noise[..., 0] *= 4
    return (centres + 0.3 * noise).flatten(0, 1), torch.arange(relations).repeat_interleave(each)


def test_the_map_is_the_inverse_root_of_the_spread_within_relations():
    vectors, relations = _data()
    unit = [vector / vector.norm() for vector in vectors]
    within = torch.zeros(6, 6, dtype=torch.float64)
    for relation in range(5):
        own = [u for u, r in zip(unit, relations.tolist(), strict=True) if r == relation]
        mean = sum(own) / len(own)
        for u in own:
            within += torch.outer(u - mean, u - mean) / len(unit)
    within += 2.0 * within.trace() / 6 * torch.eye(6)
    found = fit_whitening(vectors, relations, shrinkage=2.0, centring=0.5)
    torch.testing.assert_close(found.matrix.T @ within @ found.matrix, torch.eye(6, dtype=torch.float64))
    torch.testing.assert_close(found.centre, 0.5 * sum(unit) / len(unit))


def test_directions_that_say_nothing_count_for_less():
    vectors, relations = _data()
    whiten = fit_whitening(vectors, relations, shrinkage=0.1, centring=0.0)
    moved = F.normalize(whiten(vectors), dim=-1)
    plain = F.normalize(vectors, dim=-1)

    def separation(unit):
        cosines = unit @ unit.T
        same = relations[:, None] == relations
        return (cosines[same].mean() - cosines[~same].mean()).item()

    assert separation(moved) > separation(plain) + 0.03


def test_with_much_shrinkage_and_no_centring_nothing_changes_but_the_length():
    vectors, relations = _data()
    whiten = fit_whitening(vectors, relations, shrinkage=1e9, centring=0.0)
    moved = F.normalize(whiten(vectors), dim=-1)
    plain = F.normalize(vectors, dim=-1)
    torch.testing.assert_close(moved @ moved.T, plain @ plain.T, atol=1e-6, rtol=0)


def test_the_order_and_the_names_of_the_background_do_not_matter():
    vectors, relations = _data()
    order = torch.randperm(len(vectors), generator=torch.Generator().manual_seed(1))
    one, two = fit_whitening(vectors, relations), fit_whitening(vectors[order], 7 - relations[order])
    torch.testing.assert_close(one(vectors) @ one(vectors).T, two(vectors) @ two(vectors).T)


def test_a_background_of_single_statements_is_refused():
    with pytest.raises(ValueError, match="expected a relation with at least 2 statements, got none"):
        fit_whitening(torch.randn(3, 4), torch.arange(3))


def test_turned_vectors_keep_their_angles_and_stand_along_the_axes_of_whitened_ones():
    vectors, relations = _data()
    found = fit_whitening(vectors, relations, centring=0.0)
    turned = found.turned(vectors)
    unit = F.normalize(vectors, dim=-1)
    torch.testing.assert_close(turned @ turned.T, unit @ unit.T)
    # Whitening stretches along these axes and does nothing else.
    torch.testing.assert_close(found(vectors), turned * found.matrix.norm(dim=0))
