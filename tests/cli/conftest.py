"""A data set, a tiny recipe and a finished run, as files that a user would have."""

from __future__ import annotations

import json

import pytest
import yaml

from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import write_statements


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or fills a user's cache."""
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Statements of small world: 22 relations, a few each."""
    path = tmp_path_factory.mktemp("data") / "train.parquet"
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=4))
    write_statements(world.train, path)
    return path


@pytest.fixture(scope="session")
def recipe(tmp_path_factory, tiny_encoder_folder):
    """The smoke recipe on a tiny encoder."""
    path = tmp_path_factory.mktemp("recipe") / "tiny.yaml"
    terms = {name: {"weight": 1.0} for name in ("s2s", "s2z", "s2z_prime", "cls", "mlm")}
    path.write_text(
        yaml.safe_dump(
            {
                "encoder": str(tiny_encoder_folder),
                "steps": 2,
                "relations_per_batch": 4,
                "max_length": 96,
                "checkpoint_every": 1,
                "objective": terms,
            }
        )
    )
    return path


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory, data, recipe):
    """A run that was trained to its end by the command line."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        assert run(["pretrain", str(recipe), "--data", str(data), "--out", str(out)]) == 0
    return out


@pytest.fixture
def fails(capsys):
    """Run a command that must fail with one line on standard error, and return that line."""

    def check(*arguments, code=2):
        assert run([str(argument) for argument in arguments]) == code
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("protorel: ")
        return lines[0]

    return check


@pytest.fixture
def jsonl(tmp_path):
    """Write rows as a JSONL file."""

    def write(*rows, name="mine.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write
