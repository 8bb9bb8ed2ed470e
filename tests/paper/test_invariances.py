"""What must not change a loss, and where it must stay finite, for every objective over similarities."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.geometry import ScaledCosine
from protorel.objectives import (
    ObjectiveInput,
    prototype_softmax,
    prototype_statements,
    prototype_statements_over_pairs,
    statement_contrast,
    statement_prototypes,
)

OBJECTIVES = [
    statement_contrast,
    prototype_statements,
    prototype_statements_over_pairs,
    statement_prototypes,
    prototype_softmax,
]
every_objective = pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda o: o.__name__)
SIMILARITY = ScaledCosine(8.0, -2.0)


def random_rotation(width: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    return torch.linalg.qr(torch.randn(width, width, generator=generator, dtype=torch.double))[0]


@every_objective
def test_the_order_of_the_batch_does_not_count(batch, objective):
    order = torch.randperm(len(batch.relations), generator=torch.Generator().manual_seed(1))
    shuffled = ObjectiveInput(batch.embeddings[order], batch.relations[order], batch.labels[order], batch.prototypes)
    torch.testing.assert_close(objective(shuffled, similarity=SIMILARITY), objective(batch, similarity=SIMILARITY))


@every_objective
def test_the_numbering_of_relations_does_not_count(batch, objective):
    order = torch.randperm(len(batch.prototypes), generator=torch.Generator().manual_seed(2))
    renamed = ObjectiveInput(
        batch.embeddings, order.argsort()[batch.relations], batch.labels[:, order], batch.prototypes[order]
    )
    torch.testing.assert_close(objective(renamed, similarity=SIMILARITY), objective(batch, similarity=SIMILARITY))


@every_objective
def test_turning_the_whole_space_does_not_count(batch, objective):
    turn = random_rotation(batch.embeddings.shape[1])
    turned = ObjectiveInput(batch.embeddings @ turn, batch.relations, batch.labels, batch.prototypes @ turn)
    torch.testing.assert_close(objective(turned, similarity=SIMILARITY), objective(batch, similarity=SIMILARITY))


@every_objective
def test_the_length_of_vectors_does_not_count(batch, objective):
    generator = torch.Generator().manual_seed(4)
    lengths = [10 ** torch.empty(n, 1, dtype=torch.double).uniform_(-3, 3, generator=generator)
               for n in (len(batch.embeddings), len(batch.prototypes))]  # fmt: skip
    scaled = ObjectiveInput(lengths[0] * batch.embeddings, batch.relations, batch.labels, lengths[1] * batch.prototypes)
    torch.testing.assert_close(objective(scaled, similarity=SIMILARITY), objective(batch, similarity=SIMILARITY))


@every_objective
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", ["identical", "opposite", "zero"])
def test_loss_and_gradient_stay_finite_at_extremes(objective, kind, dtype):
    vector = torch.ones(1, 6, dtype=dtype)
    sign = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]], dtype=dtype)
    embeddings = {"identical": vector.repeat(4, 1), "opposite": sign * vector, "zero": 0 * vector.repeat(4, 1)}[kind]
    embeddings.requires_grad_()
    prototypes = (-vector).repeat(3, 1).requires_grad_()
    relations = torch.tensor([0, 0, 1, 1])
    labels = torch.nn.functional.one_hot(relations, 3).bool()
    loss = objective(ObjectiveInput(embeddings, relations, labels, prototypes), similarity=ScaledCosine(1000.0))
    loss.backward()
    assert loss.isfinite()
    for tensor in (embeddings, prototypes):
        assert tensor.grad is None or tensor.grad.isfinite().all()


@every_objective
def test_gradients_are_right(batch, objective):
    def loss(embeddings, prototypes):
        changed = ObjectiveInput(embeddings, batch.relations, batch.labels, prototypes)
        return objective(changed, similarity=ScaledCosine(2.0, 0.5))

    inputs = [batch.embeddings.requires_grad_(), batch.prototypes.requires_grad_()]
    assert torch.autograd.gradcheck(partial(loss), inputs)


@every_objective
@given(data=st.data())
@settings(max_examples=25)
def test_no_loss_is_negative_whatever_labels_a_batch_carries(objective, data):
    count, size = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 8))
    relations = torch.tensor(data.draw(st.lists(st.integers(0, count - 1), min_size=size, max_size=size)))
    extra = data.draw(st.lists(st.booleans(), min_size=size * count, max_size=size * count))
    labels = torch.tensor(extra).reshape(size, count) | torch.nn.functional.one_hot(relations, count).bool()
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    embeddings, prototypes = torch.randn(size, 4, generator=generator), torch.randn(count, 4, generator=generator)
    embeddings.requires_grad_()
    loss = objective(ObjectiveInput(embeddings, relations, labels, prototypes), similarity=SIMILARITY)
    loss.backward()
    # A sum of logarithms of shares; rounding may leave a hair below 0.
    assert loss.isfinite()
    assert loss.item() >= -1e-5
    assert embeddings.grad.isfinite().all()
