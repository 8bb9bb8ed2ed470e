from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModel

from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput

KILLED = """
import dataclasses, os, sys
from pathlib import Path
from protorel.geometry import Prototypes
from protorel.model import RelationModel

folder, when = Path(sys.argv[1]), sys.argv[2]
model = dataclasses.replace(RelationModel.from_pretrained(folder), max_length=20)
if when == "writing":
    Prototypes.save = lambda *_: os._exit(9)
else:
    replace = Path.replace
    def replace_once(self, target):
        if self.name != "protorel.json" and Path(target).parent == folder:
            replace(self, target)
            if self.name == "model.safetensors":
                os._exit(9)
        else:
            replace(self, target)
    Path.replace = replace_once
    import torch
    with torch.no_grad():
        next(model.encoder.parameters()).add_(1)
model.save_pretrained(folder)
"""


def changed(model: RelationModel) -> RelationModel:
    other = dataclasses.replace(model, prototypes=Prototypes.none(model.encoder.width), max_length=20)
    with torch.no_grad():
        next(other.encoder.parameters()).add_(1)
    return other


@pytest.mark.parametrize("moves", range(8))
def test_a_save_that_fails_at_any_file_leaves_the_earlier_run_as_it_was(model, tmp_path, moves, monkeypatch):
    run = tmp_path / "run"
    model.save_pretrained(run, record={"recipe": {"name": "first"}})
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    fingerprint = model.fingerprint
    replace, left = Path.replace, moves

    def failing(self, target):
        nonlocal left
        if Path(target).parent == run and ".part" in str(self) and "old" not in self.parts:
            left -= 1
            if left < 0:
                monkeypatch.undo()
                raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    if moves >= len(before):
        changed(model).save_pretrained(run)
        return
    with pytest.raises(KeyboardInterrupt):
        changed(model).save_pretrained(run)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert RelationModel.from_pretrained(run).fingerprint == fingerprint


def test_a_first_save_that_fails_leaves_no_file(model, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Prototypes, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.save_pretrained(tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("when", ["writing", "moving"])
def test_a_process_that_is_killed_leaves_the_earlier_run_or_one_that_is_refused(transformer, tmp_path, when):
    run = tmp_path / "run"
    transformer.save_pretrained(run)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(run), when], check=False)
    assert ended.returncode == 9
    if when == "writing":
        assert RelationModel.from_pretrained(run).fingerprint == transformer.fingerprint
    else:
        with pytest.raises(BadInput, match=r"model\.safetensors: this file of the run is damaged or was changed"):
            RelationModel.from_pretrained(run)
    transformer.save_pretrained(run)
    assert RelationModel.from_pretrained(run).fingerprint == transformer.fingerprint
    assert not [path.name for path in run.iterdir() if path.name.startswith(".")]


def test_hugging_face_tools_open_a_run_that_was_saved_twice(transformer, tmp_path):
    transformer.save_pretrained(tmp_path)
    changed(transformer).save_pretrained(tmp_path)
    found = AutoModel.from_pretrained(tmp_path)
    expected = transformer.encoder.backbone.state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in found.state_dict().items() if name in expected)
