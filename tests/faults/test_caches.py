"""What lies in a cache, or happens to it, changes no result: trainings and evaluations end with the same bytes."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.training import load_recipe, pretrain

EPISODES = ["--way", "3", "--shot", "2", "--episodes", "30"]
TOKENS = [
    "tokens.npy", "starts.npy", "places.npy", "relations.npy", "groups.npy", "pairs.npy", "origins.npy",
    "id_bytes.npy", "id_ends.npy", "manifest.json",
]  # fmt: skip
VECTORS = ["vectors.npy", "manifest.json"]


@pytest.fixture
def own_cache(tmp_path, monkeypatch) -> Path:
    """An empty cache of this test."""
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def train(settings_of, data, outcome, tmp_path):
    """Train a small CNN into a new folder, and return what it has left."""
    numbers = iter(range(100))

    def train():
        folder = tmp_path / f"run-{next(numbers)}"
        pretrain(data, folder, load_recipe("col_final", settings_of["cnn"]), keep_state=True)
        return outcome(folder)

    return train


@pytest.fixture(scope="module")
def trained(settings_of, data, tmp_path_factory) -> Path:
    """A finished run to evaluate."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    pretrain(data, folder, load_recipe("col_final", settings_of["cnn"]))
    return folder


@pytest.fixture
def evaluate(trained, data, tmp_path, capsys):
    """Evaluate the run by the command line, and return the figures and the number of lines on standard error."""

    def evaluate():
        capsys.readouterr()
        told = tmp_path / "told.json"
        assert run(["evaluate", "fewshot", str(trained), str(data), *EPISODES, "--json", str(told)]) == 0
        said = capsys.readouterr()
        figures = {name: value for name, value in json.loads(told.read_text()).items() if name != "machine"}
        return figures, said.out, [line for line in said.err.splitlines() if "cache" in line]

    return evaluate


def entries(cache: Path, kind: str) -> list[Path]:
    """Return the folders of a cache, in which nothing else may lie."""
    found = sorted((cache / kind).iterdir())
    assert all(path.is_dir() and len(path.name) == 32 for path in found), found
    return found


def flip(path: Path, seed: str) -> None:
    content = bytearray(path.read_bytes())
    place = random.Random(seed).randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)


@pytest.mark.parametrize("file", TOKENS)
def test_a_flipped_bit_in_the_token_cache_changes_no_weight(file, own_cache, train, never_stopped):
    train()
    (folder,) = entries(own_cache, "tokens")
    flip(folder / file, seed=file)
    train().assert_equals(never_stopped("cnn"))
    assert entries(own_cache, "tokens") == [folder]


@pytest.mark.parametrize("file", VECTORS)
def test_a_flipped_bit_in_the_vector_cache_changes_no_figure(file, own_cache, evaluate):
    right = evaluate()
    (folder,) = entries(own_cache, "vectors")
    content = (folder / file).read_bytes()
    flip(folder / file, seed=file)
    figures, out, said = evaluate()
    assert (figures, out) == right[:2]
    assert (folder / file).read_bytes() == content
    assert len(said) == 1
    assert said[0].startswith(f"protorel: {folder}: this cache cannot be used (")
    assert evaluate() == right


@pytest.mark.parametrize("kind", ["tokens", "vectors"])
def test_a_cache_in_the_layout_of_an_older_version_is_built_again(kind, own_cache, train, evaluate, never_stopped):
    right = evaluate()
    train()
    (folder,) = entries(own_cache, kind)
    (folder / "manifest.json").unlink()
    (folder / "meta.json").write_text('{"names": [], "rejected": [], "unlabelled": 0, "sizes": {}}')
    train().assert_equals(never_stopped("cnn"))
    assert evaluate()[:2] == right[:2]
    (again,) = entries(own_cache, kind)
    assert (again / "manifest.json").is_file()
    assert not (again / "meta.json").exists()


def test_without_a_cache_that_can_be_written_everything_ends_as_with_one(own_cache, train, evaluate, never_stopped):
    right = evaluate()
    shutil.rmtree(own_cache)
    own_cache.write_text("a file")
    figures, out, said = evaluate()
    assert (figures, out) == right[:2]
    assert len(said) == 1
    assert said[0].startswith(f"protorel: {own_cache / 'vectors'}: this cache cannot be written (")
    train().assert_equals(never_stopped("cnn"))
    assert own_cache.read_text() == "a file"


def test_two_processes_that_fill_one_cache_at_once_leave_one_that_is_intact(
    own_cache, settings_of, data, trained, tmp_path, outcome, never_stopped
):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "protorel", "pretrain", "col_final", *settings_of["cnn"], "--keep-state"]
    command += ["--data", str(data)]
    both = [
        subprocess.Popen([*command, "--out", str(tmp_path / name)], env=environment, stderr=subprocess.PIPE, text=True)
        for name in ("first", "second")
    ]
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    for name in ("first", "second"):
        outcome(tmp_path / name).assert_equals(never_stopped("cnn"))
    (folder,) = entries(own_cache, "tokens")
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    pretrain(data, tmp_path / "third", load_recipe("col_final", settings_of["cnn"]))
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
