from __future__ import annotations

import re
import signal

import pytest
import torch
from torch import nn

from protorel.statements import Interrupted, WorkFailed
from protorel.training import Recipe, read_journal
from protorel.training.journal import Journal
from protorel.training.loop import StepResult, fit, step_seed
from protorel.training.optimiser import Optimiser


class Toy:
    """The smallest thing that can be trained: a line, pulled towards noise that grows from the global generator."""

    def __init__(self, folder, steps: int = 7) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.line = nn.Linear(3, 2)
        self.steps, self.folder = steps, folder
        self.optimiser = Optimiser(self.line, nn.Module(), Recipe(learning_rate=0.1), steps=steps)
        self.saved: list[int] = []
        self.drawn: list[torch.Tensor] = []
        self.watched: list[tuple[int, int, float, int]] = []

    def step(self, step: int) -> StepResult:
        noise = torch.rand(3)
        self.drawn.append(noise)
        near, far = self.line(noise).square().sum(), self.line(-noise).square().sum()
        return StepResult(near + 0.5 * far, {"near": near, "far": far}, 4, lambda: [f"s{step}", "other"])

    def watch(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        self.watched.append((step, steps, loss, statements))

    def fit(self, *, take_step=None, start=0, checkpoint_every=3, watch=None, seed=5, after_step=None) -> None:
        fit(
            take_step or self.step, self.optimiser, start=start, steps=self.steps, seed=seed,
            checkpoint_every=checkpoint_every, save=self.saved.append,
            journal=Journal(self.folder, steps_done=start), watch=watch or self.watch, after_step=after_step,
        )  # fmt: skip


def test_it_saves_as_often_as_asked_and_at_the_end(tmp_path):
    toy = Toy(tmp_path)
    toy.fit(checkpoint_every=3)
    assert toy.saved == [3, 6, 7]


def test_the_last_step_is_saved_once(tmp_path):
    toy = Toy(tmp_path, steps=6)
    toy.fit(checkpoint_every=3)
    assert toy.saved == [3, 6]


def test_a_later_start_takes_the_remaining_steps_only(tmp_path):
    toy = Toy(tmp_path)
    toy.fit(start=5)
    assert [step for step, *_ in toy.watched] == [6, 7]
    assert toy.saved == [6, 7]


def test_the_journal_has_a_line_with_every_term_for_each_step(tmp_path):
    toy = Toy(tmp_path)
    toy.fit()
    lines = list(read_journal(tmp_path))
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    for line in lines:
        assert line.keys() == {"step", "loss", "terms", "learning_rate", "gradient_norm", "statements_per_second"}
        assert line["terms"].keys() == {"near", "far"}
        assert line["loss"] == pytest.approx(line["terms"]["near"] + 0.5 * line["terms"]["far"], rel=1e-5)
        assert line["gradient_norm"] > 0
        assert line["statements_per_second"] > 0
    # Seven steps are too few for one of warm-up.
    assert [line["learning_rate"] for line in lines] == pytest.approx([0.1 * (7 - step) / 7 for step in range(7)])


def test_a_watcher_is_told_of_each_step(tmp_path):
    toy = Toy(tmp_path)
    toy.fit()
    losses = [line["loss"] for line in read_journal(tmp_path)]
    assert toy.watched == [(step, 7, loss, 4) for step, loss in zip(range(1, 8), losses, strict=True)]


def test_randomness_of_the_caller_is_left_as_it_was(tmp_path):
    torch.manual_seed(11)
    before = torch.random.get_rng_state()
    Toy(tmp_path).fit()
    assert torch.equal(torch.random.get_rng_state(), before)


def test_randomness_of_the_caller_does_not_change_a_run(tmp_path):
    toys = []
    for state in (1, 2):
        torch.manual_seed(state)
        (tmp_path / str(state)).mkdir()
        toys.append(Toy(tmp_path / str(state)))
        toys[-1].fit()
    assert torch.equal(toys[0].line.weight, toys[1].line.weight)


def test_each_step_draws_its_own_numbers_and_a_resumed_one_the_same(tmp_path):
    whole, rest = Toy(tmp_path), Toy(tmp_path)
    whole.fit()
    rest.fit(start=4)
    assert all(torch.equal(a, b) for a, b in zip(whole.drawn[4:], rest.drawn, strict=True))
    assert len({tuple(numbers.tolist()) for numbers in whole.drawn}) == 7
    other = Toy(tmp_path)
    other.fit(seed=6)
    assert not torch.equal(whole.drawn[0], other.drawn[0])


def test_seeds_of_steps_differ_and_fit_into_what_torch_takes():
    seeds = {step_seed(seed, step) for seed in (0, 1, 2**63 - 1) for step in range(50)}
    assert len(seeds) == 150
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_loss_that_is_not_finite_names_the_step_the_terms_and_the_batch(tmp_path):
    toy = Toy(tmp_path)
    before = None

    def spoilt(step: int) -> StepResult:
        nonlocal before
        result = toy.step(step)
        if step != 4:
            return result
        before = toy.line.weight.detach().clone()
        return StepResult(result.loss / 0.0, {**result.terms, "far": result.loss / 0.0}, 4, result.ids)

    told = r"step 5: the loss is inf \(near [\d.e-]+, far inf\);.*Statements of the batch: s4, other$"
    with pytest.raises(WorkFailed, match=told):
        toy.fit(take_step=spoilt)
    assert toy.saved == [3]
    assert torch.equal(toy.line.weight, before)
    assert [line["step"] for line in read_journal(tmp_path)] == [1, 2, 3, 4]


def test_a_gradient_that_is_not_finite_under_a_finite_loss_stops_the_run_too(tmp_path):
    toy = Toy(tmp_path)

    def spoilt(step: int) -> StepResult:
        result = toy.step(step)
        return StepResult(result.loss + (toy.line.weight.sum() * 0).sqrt(), result.terms, 4, result.ids)

    with pytest.raises(WorkFailed, match=r"step 1: the gradient's norm is nan .*batch: s0, other$"):
        toy.fit(take_step=spoilt)
    assert toy.saved == []
    assert toy.line.weight.isfinite().all()


@pytest.mark.parametrize("done", [2, 7])
def test_ctrl_c_saves_at_the_end_of_the_step_and_gives_the_handler_back(tmp_path, done):
    toy = Toy(tmp_path)
    before = signal.getsignal(signal.SIGINT)

    def pressed(step: int) -> StepResult:
        if step == done - 1:
            signal.raise_signal(signal.SIGINT)
        return toy.step(step)

    with pytest.raises(Interrupted, match=re.escape(f"stopped after step {done} of 7; everything up to there is sav")):
        toy.fit(take_step=pressed)
    assert toy.saved[-1] == done
    assert signal.getsignal(signal.SIGINT) is before
    assert issubclass(Interrupted, WorkFailed)


def test_a_failing_step_gives_the_handler_back_too(tmp_path):
    before = signal.getsignal(signal.SIGINT)

    def fail(step: int) -> StepResult:
        raise KeyError(step)

    with pytest.raises(KeyError):
        Toy(tmp_path).fit(take_step=fail)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_journal_goes_on_where_the_checkpoint_was_with_no_step_twice(tmp_path):
    journal = Journal(tmp_path, steps_done=0)
    for step in (1, 2, 3):
        journal.write({"step": step, "try": 1})
    with journal.path.open("a") as stream:
        stream.write('{"step": 4, "tr')
    again = Journal(tmp_path, steps_done=2)
    again.write({"step": 3, "try": 2})
    assert [(line["step"], line["try"]) for line in read_journal(tmp_path)] == [(1, 1), (2, 1), (3, 2)]
    assert journal.path.read_text().count("\n") == 3


def test_a_folder_without_a_journal_has_no_lines(tmp_path):
    assert list(read_journal(tmp_path)) == []


def test_a_new_run_starts_its_journal_anew(tmp_path):
    Journal(tmp_path, steps_done=0).write({"step": 1})
    Journal(tmp_path, steps_done=0)
    assert list(read_journal(tmp_path)) == []


def test_what_is_done_after_a_step_comes_before_it_is_saved_and_stands_in_the_journal(tmp_path):
    toy = Toy(tmp_path)
    order: list[str] = []
    toy.saved = type("Saved", (list,), {"append": lambda _, step: order.append(f"saved {step}")})()

    def after(done: int) -> dict[str, float]:
        order.append(f"judged {done}")
        return {"dev": done / 10} if done % 3 == 0 else {}

    toy.fit(checkpoint_every=3, after_step=after)
    assert order == [
        "judged 1", "judged 2", "judged 3", "saved 3", "judged 4", "judged 5", "judged 6", "saved 6", "judged 7",
        "saved 7",
    ]  # fmt: skip
    assert [line.get("dev") for line in read_journal(tmp_path)] == [None, None, 0.3, None, None, 0.6, None]
