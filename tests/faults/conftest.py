"""The training room's fixtures, and a look into what a run has left."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file

from protorel.training import load_recipe, pretrain, read_journal

_TRAINING = runpy.run_path(str(Path(__file__).parents[1] / "training" / "conftest.py"))
cache, statements, data, tiny_bert, recipe = (
    _TRAINING[name] for name in ("cache", "statements", "data", "tiny_bert", "recipe")
)


class Outcome:
    """All that a run's exactness is judged by."""

    def __init__(self, folder: Path) -> None:
        self.steps = [line["step"] for line in read_journal(folder)]
        self.journal = [_without_time(line) for line in read_journal(folder)]
        files = [folder / "model.safetensors", folder / "prototypes.safetensors", *folder.glob("state/*/*.safetensors")]
        self.tensors = {
            f"{path.parent.name if path.parent != folder else 'run'}/{path.name}/{name}": tensor
            for path in files
            for name, tensor in load_file(path).items()
        }
        self.learning = pq.read_table(folder / "learning.parquet")

    def assert_equals(self, other: Outcome) -> None:
        assert self.steps == other.steps
        assert self.journal == other.journal
        assert self.tensors.keys() == other.tensors.keys()
        assert any("/optimiser.safetensors/" in name for name in self.tensors)
        for name, tensor in self.tensors.items():
            assert tensor.dtype == other.tensors[name].dtype, name
            assert torch.equal(tensor, other.tensors[name]), name
        assert self.learning.equals(other.learning)


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
}


@pytest.fixture(params=["cnn", "rnn", "transformer"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=KINDS)
def any_kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def settings_of(tiny_bert: Path) -> dict[str, list[str]]:
    """For each kind of encoder every override of a short run with all terms, blanks and dropout."""
    return {kind: [f"encoder={tiny_bert}", *_TRAINING["SMALL"], *wanted] for kind, wanted in KINDS.items()}


@pytest.fixture(scope="session")
def never_stopped(settings_of: dict[str, list[str]], data: Path, tmp_path_factory: pytest.TempPathFactory):
    """Give the outcome of a run that nothing disturbs, made once for each kind of encoder."""
    made: dict[str, Outcome] = {}

    def get(kind: str) -> Outcome:
        if kind not in made:
            folder = tmp_path_factory.mktemp("never-stopped") / "run"
            pretrain(data, folder, load_recipe("col_final", settings_of[kind]))
            made[kind] = Outcome(folder)
        return made[kind]

    return get
