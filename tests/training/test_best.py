from __future__ import annotations

import pytest
import torch
from torch import nn

from protorel.training.best import BestEpoch


def parts() -> dict[str, nn.Module]:
    return {"encoder": nn.Linear(3, 2), "classifier": nn.Sequential(nn.Linear(2, 2))}


def fill(modules: dict[str, nn.Module], value: float) -> None:
    with torch.no_grad():
        for module in modules.values():
            for parameter in module.parameters():
                parameter.fill_(value)


def judged(modules: dict[str, nn.Module], *scores: float) -> BestEpoch:
    """Give weights of epoch n the value n, and each a score."""
    best = BestEpoch(modules)
    for epoch, score in enumerate(scores, start=1):
        fill(modules, epoch)
        best.add(score)
    return best


@pytest.mark.parametrize(
    ("scores", "wanted"), [([0.1, 0.5, 0.3], 2), ([0.5, 0.4], 1), ([0.1, 0.2], 2), ([0.3, 0.3], 1), ([0.0], 1)]
)
def test_the_weights_of_the_best_epoch_come_back(scores, wanted):
    modules = parts()
    best = judged(modules, *scores)
    assert best.epoch == wanted
    best.use()
    assert {value for module in modules.values() for p in module.parameters() for value in p.flatten().tolist()} == {
        wanted
    }


def test_where_no_epoch_was_judged_the_last_weights_stay():
    modules = parts()
    best = BestEpoch(modules)
    assert best.epoch is None
    fill(modules, 7)
    best.use()
    assert modules["encoder"].weight.unique().tolist() == [7]


@pytest.mark.parametrize("scores", [[], [0.4], [0.4, 0.1, 0.2]])
def test_it_goes_on_from_its_tensors_as_if_never_stopped(scores):
    modules, others = parts(), parts()
    best, again = judged(modules, *scores), BestEpoch(others)
    again.restore(best.tensors())
    for one, its in ((best, modules), (again, others)):
        fill(its, 9)
        one.add(0.3)
        one.use()
    assert (again.scores, again.epoch) == (best.scores, best.epoch)
    assert torch.equal(others["encoder"].weight, modules["encoder"].weight)
    assert best.tensors().keys() == again.tensors().keys()


def test_tensors_of_other_weights_are_a_key_error():
    best = judged(parts(), 0.5)
    with pytest.raises(KeyError):
        BestEpoch({"other": nn.Linear(3, 2)}).restore(best.tensors())
