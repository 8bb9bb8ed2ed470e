from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from protorel.objectives import WeightedSum
from protorel.training import Recipe
from protorel.training.optimiser import Optimiser


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.prototypes = nn.Parameter(torch.arange(1.0, 13.0).reshape(3, 4).cos())


def parts(seed: int = 0) -> tuple[nn.Module, nn.Module]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(5, 4), nn.LayerNorm(4)), Head()


def loss_of(encoder: nn.Module, head: nn.Module, step: int) -> Tensor:
    given = torch.randn(6, 5, generator=torch.Generator().manual_seed(step))
    return (encoder(given) @ head.prototypes.T).square().mean()


def made(**settings: object) -> tuple[nn.Module, nn.Module, Optimiser]:
    encoder, head = parts()
    recipe = Recipe(**settings)
    return encoder, head, Optimiser(encoder, head, recipe, steps=recipe.steps)


def test_the_rate_rises_for_the_share_of_warm_up_and_falls_in_a_straight_line_to_zero():
    encoder, head, optimiser = made(steps=20, learning_rate=0.01, warmup=0.25)
    rates = []
    for step in range(20):
        rates.append(optimiser.learning_rate)
        optimiser.step(loss_of(encoder, head, step))
    rising = [0.01 * step / 5 for step in range(5)]
    falling = [0.01 * (20 - step) / 15 for step in range(5, 20)]
    assert rates == pytest.approx(rising + falling)
    assert optimiser.learning_rate == 0


def test_without_warm_up_the_first_step_has_the_full_rate():
    assert made(steps=10, learning_rate=0.01, warmup=0)[2].learning_rate == 0.01


def test_prototypes_learn_faster_by_the_head_factor():
    _, _, optimiser = made(learning_rate=0.01, head_factor=7, warmup=0)
    assert [group["lr"] for group in optimiser.adamw.param_groups] == pytest.approx([0.01, 0.01, 0.07])


def test_biases_norms_and_prototypes_are_not_decayed():
    encoder, head, optimiser = made(steps=4, learning_rate=0.1, weight_decay=0.5, warmup=0, head_factor=1)
    before = {name: value.clone() for name, value in [*encoder.state_dict().items(), *head.state_dict().items()]}
    every = [*encoder.named_parameters(), *head.named_parameters()]
    # With no gradient at all, decay is the only thing that moves a weight.
    optimiser.step(sum((value * 0).sum() for _, value in every))
    after = {**encoder.state_dict(), **head.state_dict()}
    torch.testing.assert_close(after["0.weight"], before["0.weight"] * (1 - 0.1 * 0.5))
    for name in ("0.bias", "1.weight", "1.bias", "prototypes"):
        assert torch.equal(after[name], before[name]), name


def test_every_weight_of_encoder_and_objective_is_learned_once():
    encoder, head, optimiser = made()
    learned = [id(value) for group in optimiser.adamw.param_groups for value in group["params"]]
    assert sorted(learned) == sorted(id(value) for value in [*encoder.parameters(), *head.parameters()])


def test_a_gradient_is_cut_to_the_greatest_norm_and_its_own_norm_is_told():
    encoder, head, optimiser = made(clip=0.5, warmup=0)
    norm = optimiser.step(1000 * loss_of(encoder, head, 0))
    gradients = [value.grad for value in [*encoder.parameters(), *head.parameters()]]
    assert norm > 0.5
    assert torch.stack([g.norm() for g in gradients]).norm().item() == pytest.approx(0.5, rel=1e-4)


def test_a_gradient_within_the_norm_is_left_alone():
    encoder, head, optimiser = made(clip=1e6, warmup=0)
    norm = optimiser.step(loss_of(encoder, head, 0))
    gradients = [value.grad for value in [*encoder.parameters(), *head.parameters()]]
    assert torch.stack([g.norm() for g in gradients]).norm().item() == pytest.approx(norm)


def test_a_gradient_that_is_not_finite_moves_nothing():
    encoder, head, optimiser = made(warmup=0)
    before = [value.clone() for value in [*encoder.parameters(), *head.parameters()]]
    with torch.no_grad():
        head.prototypes[0, 0] = 0
        before[-1][0, 0] = 0
    assert optimiser.step(loss_of(encoder, head, 0) + head.prototypes[0, 0].sqrt()) == float("inf")
    assert all(torch.equal(value, old) for value, old in zip(optimiser.parameters, before, strict=True))
    assert optimiser.tensors() == {}
    assert optimiser.learning_rate == Recipe().learning_rate


@pytest.mark.parametrize("stop", [0, 1, 3, 7])
def test_restored_in_the_middle_it_goes_on_bit_for_bit(stop):
    settings = {"steps": 10, "learning_rate": 0.05, "warmup": 0.3, "weight_decay": 0.1}
    encoder, head, optimiser = made(**settings)
    rates = []
    for step in range(10):
        if step == stop:
            kept = {name: value.clone() for name, value in optimiser.tensors().items()}
            weights = [{n: v.clone() for n, v in part.state_dict().items()} for part in (encoder, head)]
        rates.append(optimiser.learning_rate)
        optimiser.step(loss_of(encoder, head, step))

    other_encoder, other_head, other = made(**settings)
    other_encoder.load_state_dict(weights[0])
    other_head.load_state_dict(weights[1])
    # Files give tensors back in another order.
    other.restore(dict(reversed(kept.items())), stop)
    for step in range(stop, 10):
        assert other.learning_rate == rates[step]
        other.step(loss_of(other_encoder, other_head, step))
    assert all(torch.equal(a, b) for a, b in zip(optimiser.parameters, other.parameters, strict=True))
    assert optimiser.tensors().keys() == other.tensors().keys()
    assert all(torch.equal(value, other.tensors()[name]) for name, value in optimiser.tensors().items())


def test_prototypes_that_no_term_trains_have_no_memory_and_restore_all_the_same():
    objective = WeightedSum(
        Recipe(objective={"s2s": {"weight": 1}}).objective, relations=2, width=4, vocabulary=None,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    encoder, _ = parts()
    optimiser = Optimiser(encoder, objective, Recipe(warmup=0), steps=300)
    before = objective.prototypes.detach().clone()
    optimiser.step(encoder(torch.ones(2, 5)).square().sum())
    assert torch.equal(objective.prototypes, before)
    assert {int(name.partition(".")[0]) for name in optimiser.tensors()} == {0, 1, 2, 3}
    optimiser.restore(optimiser.tensors(), 1)
