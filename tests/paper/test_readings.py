from __future__ import annotations

import pytest
import torch
from pydantic import ValidationError

from protorel.geometry import LearnedCosine, dispersion, uniformity
from protorel.objectives import READINGS, ObjectiveSettings, WeightedSum


def sum_of(**settings) -> WeightedSum:
    generator = torch.Generator().manual_seed(0)
    chosen = ObjectiveSettings.model_validate(settings)
    return WeightedSum(chosen, relations=4, width=5, vocabulary=None, generator=generator).double()


@pytest.mark.parametrize("reading", READINGS)
def test_every_reading_gives_finite_gradients_to_all_that_its_terms_learn(batch, reading):
    terms = {name: {"weight": 1.0} for name in ("s2s", "s2z", "cls")}
    if reading != "released":
        terms["s2z_prime"] = {"weight": 1.0}
    settings = ObjectiveSettings.model_validate({"reading": reading, **terms})
    count, width = batch.prototypes.shape
    generator = torch.Generator().manual_seed(0)
    objective = WeightedSum(settings, relations=count, width=width, vocabulary=None, generator=generator).double()
    loss = objective(batch.embeddings.requires_grad_(), batch.relations, batch.labels)
    loss.total.backward()
    assert set(loss.terms) == set(terms)
    for tensor in (batch.embeddings, objective.prototypes, objective.classifier.weight):
        assert tensor.grad.isfinite().all()
        assert tensor.grad.abs().sum() > 0


@pytest.mark.parametrize("reading", ["literal", "released"])
@pytest.mark.parametrize("setting", [{"s2s": {"scale": 5.0}}, {"s2z": {"bias": 1.0}}, {"s2s": {"learn_scale": True}}])
def test_a_setting_that_a_reading_does_not_look_at_is_refused(reading, setting):
    with pytest.raises(ValidationError, match=f"has no effect with reading={reading}"):
        ObjectiveSettings.model_validate({"reading": reading, **setting})


def test_an_unknown_reading_is_refused():
    with pytest.raises(ValidationError, match="corrected"):
        ObjectiveSettings.model_validate({"reading": "correct"})


@pytest.mark.parametrize(
    "term",
    [{"s2s": {}}, {"softmax": {}}, {"s2z": {"bias": -2.0}}, {"s2z_prime": {}}, {"s2s_prime": {"match": "relation"}}],
)
def test_a_learned_scale_starts_where_a_fixed_one_stays_and_then_moves(batch_of, term):
    batch = batch_of([0, 0, 1, 1, 2, 2], count=4)
    ((name, more),) = term.items()
    fixed, learned = (sum_of(**{name: {"weight": 1.0, "learn_scale": on, **more}}) for on in (False, True))
    told = batch.embeddings, batch.relations, batch.labels
    torch.testing.assert_close(fixed(*told).total, learned(*told).total)
    assert fixed.scales() == {}
    before = learned.scales()[name]
    optimiser = torch.optim.SGD(learned.parameters(), lr=0.1)
    learned(*told).total.backward()
    optimiser.step()
    after = learned.scales()[name]
    assert after["scale"] != before["scale"]
    assert (after["bias"] is None) == (name in ("s2s", "softmax"))
    if after["bias"] is not None:
        assert after["bias"] != before["bias"]


def test_a_learned_scale_is_kept_with_the_other_weights(batch_of):
    one, two = sum_of(s2s={"weight": 1.0, "learn_scale": True}), sum_of(s2s={"weight": 1.0, "learn_scale": True})
    with torch.no_grad():
        one.learned_scales["s2s"].log_scale.fill_(0.5)
    two.load_state_dict(one.state_dict())
    assert two.scales() == one.scales()


def test_a_learned_scale_never_passes_100():
    similarity = LearnedCosine(99.0)
    with torch.no_grad():
        similarity.log_scale.add_(3.0)
    same = torch.ones(1, 2)
    assert similarity(same, same).item() == pytest.approx(100.0)


def test_the_uniformity_term_widens_the_angles_between_prototypes(batch_of):
    batch = batch_of([0, 0, 1, 1], count=4)
    objective = sum_of(uniformity={"weight": 1.0})
    optimiser = torch.optim.SGD(objective.parameters(), lr=0.3)
    before = dispersion(objective.prototypes.detach())
    for _ in range(200):
        optimiser.zero_grad()
        loss = objective(batch.embeddings, batch.relations, batch.labels)
        torch.testing.assert_close(loss.terms["uniformity"], uniformity(objective.prototypes))
        loss.total.backward()
        optimiser.step()
    after = dispersion(objective.prototypes.detach())
    assert after.uniformity < before.uniformity
    # Four directions in five dimensions can take the corners of a regular simplex.
    assert after.smallest_angle == pytest.approx(after.ideal_angle, abs=3)


def test_uniformity_equals_plain_loops(batch_of):
    prototypes = batch_of([0, 1, 2, 3]).prototypes
    unit = [z / z.norm() for z in prototypes]
    pairs = [(i, j) for i in range(4) for j in range(i)]
    total = sum(torch.exp(-2 * ((unit[i] - unit[j]) ** 2).sum()) for i, j in pairs)
    torch.testing.assert_close(uniformity(prototypes), (total / len(pairs)).log())
