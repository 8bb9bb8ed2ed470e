"""A tuning that is killed goes on as if nothing had happened, and its best epoch is not lost."""

from __future__ import annotations

import signal

import pytest
import torch
from safetensors.torch import load_file

from protorel.statements import BadInput, WorkFailed
from protorel.training import finetune, load_finetune_recipe
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protorel.training.steps.supervised_step import SupervisedStep

# Three epochs of four batches; checkpoints fall within epochs and between them.
WANTED = [
    "epochs=3", "batch_size=56", "hold_out=44", "checkpoint_every=3", "learning_rate=0.003", "metric=accuracy",
    "max_length=48", "chunks=2", "cnn.channels=16", "cnn.most_frequent_words=200",
]  # fmt: skip


@pytest.fixture(params=["cnn", "transformer"])
def model(request, tiny_bert) -> str:
    return "cnn" if request.param == "cnn" else str(tiny_bert)


@pytest.fixture(scope="module")
def whole(data, outcome, tmp_path_factory):
    """Give the outcome of a tuning that nothing disturbs, made once for each model."""
    made = {}

    def get(model: str):
        if model not in made:
            folder = tmp_path_factory.mktemp("whole") / "run"
            finetune(model, data, folder, load_finetune_recipe("supervised", WANTED), keep_state=True)
            made[model] = outcome(folder)
        return made[model]

    return get


def resumed(model, data, folder, outcome):
    finetune(model, data, folder, load_finetune_recipe("supervised", WANTED), resume=True, keep_state=True)
    return outcome(folder)


@pytest.mark.parametrize("step", [1, 6, 11])
def test_a_tuning_killed_at_any_step_and_resumed_ends_like_one_never_stopped(
    model, step, start, whole, outcome, data, tmp_path
):
    process = start(WANTED, held_step=step, model=model)
    process.wait_for(f"step {step}\n")
    process.strike(signal.SIGKILL)
    assert process.exit_code() == -signal.SIGKILL
    assert not (tmp_path / "run" / "protorel.json").exists()
    found = resumed(model, data, tmp_path / "run", outcome)
    assert found.steps == list(range(1, 13))
    assert any(name.startswith("run/classifier.safetensors/") for name in found.tensors)
    assert any("/best.safetensors/" in name for name in found.tensors)
    assert len(found.results["dev_scores"]) == 3
    found.assert_equals(whole(model))


def test_a_best_epoch_before_the_kill_is_still_the_best_after_it(data, outcome, tmp_path, monkeypatch):
    scores = {1: 0.9, 2: 0.4, 3: 0.5}
    judged: list[float] = []

    def score(*_, **__):
        judged.append(scores[len(judged) + 1])
        return judged[-1]

    monkeypatch.setattr("protorel.training.tuning.supervised.dev_score", score)
    recipe = load_finetune_recipe("supervised", WANTED)
    finetune("cnn", data, tmp_path / "whole", recipe, keep_state=True)
    judged.clear()

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 7:
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        finetune("cnn", data, tmp_path / "run", recipe, watch=stop)
    assert judged == [0.9]
    kept = load_checkpoint(tmp_path / "run" / "state")
    assert (kept.step, kept.tensors["best"]["scores"].tolist()) == (6, [0.9])
    found = resumed("cnn", data, tmp_path / "run", outcome)
    assert (found.results["best_epoch"], found.results["dev_scores"]) == (1, [0.9, 0.4, 0.5])
    found.assert_equals(outcome(tmp_path / "whole"))
    saved = load_file(tmp_path / "run" / "classifier.safetensors")["outer.weight"]
    assert torch.equal(saved, kept.tensors["best"]["classifier.outer.weight"])


def test_a_finished_tuning_that_lost_its_record_is_finished_again(whole, outcome, data, tmp_path):
    finetune("cnn", data, tmp_path / "run", load_finetune_recipe("supervised", WANTED), keep_state=True)
    for name in ("protorel.json", "classifier.safetensors", "prototypes.safetensors"):
        (tmp_path / "run" / name).unlink()
    resumed("cnn", data, tmp_path / "run", outcome).assert_equals(whole("cnn"))


def test_a_loss_that_is_not_finite_stops_the_tuning_and_keeps_the_last_checkpoint(
    whole, outcome, data, tmp_path, monkeypatch
):
    recipe = load_finetune_recipe("supervised", WANTED)
    call = SupervisedStep.__call__

    def spoilt(self, step):
        result = call(self, step)
        if step == 7:
            result = type(result)(result.loss * torch.nan, result.terms, result.statements, result.ids)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(SupervisedStep, "__call__", spoilt)
        with pytest.raises(WorkFailed, match=r"step 8: the loss is nan .*lower learning_rate.*Statements of the batch"):
            finetune("cnn", data, tmp_path / "run", recipe)
    assert load_checkpoint(tmp_path / "run" / "state").step == 6
    resumed("cnn", data, tmp_path / "run", outcome).assert_equals(whole("cnn"))


@pytest.mark.parametrize("part", ["best", "classifier"])
def test_a_checkpoint_of_another_shape_is_refused(data, tmp_path, part):
    recipe = load_finetune_recipe("supervised", WANTED)
    finetune("cnn", data, tmp_path / "run", recipe, keep_state=True)
    (tmp_path / "run" / "protorel.json").unlink()
    state = tmp_path / "run" / "state"
    found = load_checkpoint(state)
    tensors = {**found.tensors, part: {"scores": torch.tensor([0.5]), "outer.weight": torch.zeros(2, 2)}}
    save_checkpoint(Checkpoint(found.step, tensors, found.settings), state)
    with pytest.raises(BadInput, match="does not fit the run"):
        finetune("cnn", data, tmp_path / "run", recipe, resume=True)
