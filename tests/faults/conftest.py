"""The training room's fixtures, and a look into what a run has left."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file

from protorel.model import read_record
from protorel.training import load_recipe, pretrain, read_journal

DRIVER = Path(__file__).with_name("driver.py")
_TRAINING = runpy.run_path(str(Path(__file__).parents[1] / "training" / "conftest.py"))
cache, statements, data, tiny_bert, recipe, tuning = (
    _TRAINING[name] for name in ("cache", "statements", "data", "tiny_bert", "recipe", "tuning")
)


class Outcome:
    """All that a run's exactness is judged by."""

    def __init__(self, folder: Path) -> None:
        self.steps = [line["step"] for line in read_journal(folder)]
        self.journal = [_without_time(line) for line in read_journal(folder)]
        files = [*folder.glob("*.safetensors"), *folder.glob("state/*/*.safetensors")]
        self.tensors = {
            f"{path.parent.name if path.parent != folder else 'run'}/{path.name}/{name}": tensor
            for path in files
            for name, tensor in load_file(path).items()
        }
        learning = folder / "training_dynamics.parquet"
        self.learning = pq.read_table(learning) if learning.is_file() else pa.table({})
        self.results = read_record(folder)["results"]

    def assert_equals(self, other: Outcome) -> None:
        assert self.steps == other.steps
        assert self.journal == other.journal
        assert self.tensors.keys() == other.tensors.keys()
        assert any("/optimiser.safetensors/" in name for name in self.tensors)
        for name, tensor in self.tensors.items():
            assert tensor.dtype == other.tensors[name].dtype, name
            assert torch.equal(tensor, other.tensors[name]), name
        assert self.learning.equals(other.learning)
        assert self.results == other.results


def _without_time(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "statements_per_second"}


@pytest.fixture(scope="session")
def outcome():
    return Outcome


FULL = ["steps=12", "checkpoint_every=3", "blank_rate=0.3", "learning_rate=0.003"]
KINDS = {
    "cnn": [*FULL, "encoder=cnn"],
    "pcnn": [*FULL, "encoder=pcnn", "pcnn.channels=8", "pcnn.most_frequent_words=200"],
    "rnn": [*FULL, "encoder=rnn", "rnn.hidden=8", "rnn.most_frequent_words=200"],
    "self_attention": [
        *FULL,
        "encoder=self_attention",
        "self_attention.hidden=12",
        "self_attention.most_frequent_words=200",
    ],
    "transformer": FULL,
    "bf16": [*FULL, "precision=bf16"],
}


@pytest.fixture(params=["cnn", "rnn", "transformer"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=KINDS)
def any_kind(request: pytest.FixtureRequest) -> str:
    if request.param == "bf16":
        request.getfixturevalue("bf16_works")
    return request.param


@pytest.fixture(scope="session")
def settings_of(tiny_bert: Path) -> dict[str, list[str]]:
    """For each kind of encoder every override of a short run with all terms, blanks and dropout."""
    every = {kind: [f"encoder={tiny_bert}", *_TRAINING["SMALL"], *wanted] for kind, wanted in KINDS.items()}
    # Each setting once, as a command wants it: the last one counts.
    return {kind: list({one.partition("=")[0]: one for one in wanted}.values()) for kind, wanted in every.items()}


@pytest.fixture(scope="session")
def never_stopped(settings_of: dict[str, list[str]], data: Path, tmp_path_factory: pytest.TempPathFactory):
    """Give the outcome of a run that nothing disturbs, made once for each kind of encoder."""
    made: dict[str, Outcome] = {}

    def get(kind: str) -> Outcome:
        if kind not in made:
            folder = tmp_path_factory.mktemp("never-stopped") / "run"
            pretrain(data, folder, load_recipe("col_final", settings_of[kind]), keep_state=True)
            made[kind] = Outcome(folder)
        return made[kind]

    return get


class Process:
    """A training in a process of its own, and what it says."""

    def __init__(self, driver: subprocess.Popen[str], order: dict[str, object]) -> None:
        self.input, self.lines = driver.stdin, driver.stdout
        self.say(json.dumps(order))
        self.id = int(self.wait_for("process ").split()[1])

    def say(self, line: str = "") -> None:
        """Give an order; an empty line lets a process go on after the step at which it is held."""
        self.input.write(line + "\n")
        self.input.flush()

    def wait_for(self, wanted: str) -> str:
        for line in self.lines:
            if line.startswith(wanted):
                return line.strip()
            assert not line.startswith("ended"), f"the process has {line.strip()}, {wanted!r} was awaited"
        pytest.fail(f"the driver ended, {wanted!r} was awaited")

    def strike(self, number: signal.Signals) -> None:
        os.kill(self.id, number)

    def exit_code(self) -> int:
        return int(self.wait_for("ended").split()[1])


@pytest.fixture(scope="module")
def driver():
    # Sums depend on how many threads share them.
    environment = {**os.environ, "OMP_NUM_THREADS": str(torch.get_num_threads()), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, str(DRIVER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.stdin.close()
        process.kill()


@pytest.fixture
def start(driver, data, tmp_path):
    """Start a pretraining, or the tuning of a model, in a process of its own; it may be held after a step."""

    def start(
        overrides: list[str],
        held_step: int = 0,
        deadly_file: int = 0,
        deadly_removal: int | None = None,
        model: str | None = None,
    ) -> Process:
        given = {"data": str(data), "out": str(tmp_path / "run"), "overrides": overrides, "model": model}
        order = {"held_step": held_step, "deadly_file": deadly_file, "deadly_removal": deadly_removal}
        return Process(driver, {**given, **order})

    return start
