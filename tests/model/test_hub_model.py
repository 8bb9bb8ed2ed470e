from __future__ import annotations

import dataclasses
import json
import logging
import shutil
import socket
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import torch
from huggingface_hub import HfApi, ModelCard, ModelHubMixin, constants
from huggingface_hub.errors import RemoteEntryNotFoundError, RepositoryNotFoundError
from transformers import AutoModel

from protorel import model as model_room
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput

COMMIT = "c" * 40
RECORD = {
    "recipe": {"name": "tiny"},
    "data": {"fingerprint": "d" * 64, "statements": 1200, "relations": 3, "unlabelled": 0, "rejected": []},
    "leakage": {"apart_from": [{"name": "test.parquet", "fingerprint": "f" * 64}]},
}


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection was tried"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("an address was looked up"))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the hub, and HF_HUB_OFFLINE=1."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


def snapshot_of(cache: Path, name: str) -> Path:
    """A model in the cache, without any file yet."""
    folder = cache / f"models--{name.replace('/', '--')}"
    snapshot = folder / "snapshots" / COMMIT
    snapshot.mkdir(parents=True, exist_ok=True)
    (folder / "blobs").mkdir(exist_ok=True)
    (folder / "refs").mkdir(exist_ok=True)
    (folder / "refs" / "main").write_text(COMMIT)
    return snapshot


def put(file: Path, snapshot: Path) -> Path:
    """Put a file into the cache as the hub's library does: a blob, and a link to it."""
    blob = snapshot.parent.parent / "blobs" / f"blob of {file.name}"
    shutil.copy(file, blob)
    (snapshot / file.name).symlink_to(blob)
    return snapshot / file.name


@pytest.fixture
def run(model, tmp_path):
    model.save_pretrained(tmp_path / "run", record=RECORD)
    (tmp_path / "run" / "training.jsonl").write_text("not of the model\n")
    return tmp_path / "run"


def missing(kind):
    request = httpx.Request("HEAD", "https://huggingface.co")
    return kind("no", response=httpx.Response(404, request=request))


@pytest.fixture
def hub(cache, monkeypatch):
    """A hub with the files of a folder; returns what was fetched."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    fetched: list[str] = []

    def holds(folder: Path | None, problem: Exception | None = None) -> list[str]:
        def ask(url, *, timeout):
            if problem is not None or folder is None:
                raise problem or missing(RepositoryNotFoundError)
            if not (folder / url.rsplit("/", 1)[1]).is_file():
                raise missing(RemoteEntryNotFoundError)

        def download(repo_id, filename, *, revision=None):
            assert repo_id == "org/name"
            assert revision in ((None,) if filename == "protorel.json" else (COMMIT,))
            fetched.append(filename)
            return str(put(folder / filename, snapshot_of(cache, repo_id)))

        monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", ask)
        monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
        return fetched

    return holds


def test_a_hub_id_that_holds_a_run_loads_as_that_run_from_the_cache(model, run, cache, some_statements):
    snapshot = snapshot_of(cache, "org/name")
    for file in run.iterdir():
        put(file, snapshot)
    loaded = RelationModel.from_pretrained("org/name")
    assert loaded.relations == model.relations
    assert torch.equal(loaded.encode(some_statements), model.encode(some_statements))
    assert loaded.name == "org/name"
    assert loaded.record.recipe.name == "tiny"
    assert loaded.lineage == ModelSource.find("org/name").lineage()
    assert loaded.lineage.apart_from == {"f" * 64}


def test_offline_a_run_that_is_not_all_in_the_cache_is_refused(run, cache):
    snapshot = snapshot_of(cache, "org/name")
    put(run / "protorel.json", snapshot)
    with pytest.raises(BadInput, match=r"^org/name: \w[\w.]+ is not in the hub's cache; unset HF_HUB_OFFLINE"):
        RelationModel.from_pretrained("org/name")


def test_of_a_run_on_the_hub_the_files_of_its_record_are_fetched_once_and_no_others(model, run, hub, some_statements):
    (run / "modeling_evil.py").write_text("raise SystemExit")
    fetched = hub(run)
    assert ModelSource.find("org/name").record is not None
    assert fetched == ["protorel.json"]
    loaded = RelationModel.from_pretrained("org/name")
    assert torch.equal(loaded.encode(some_statements), model.encode(some_statements))
    files = json.loads((run / "protorel.json").read_text())["files"]
    assert sorted(fetched) == sorted([*files, "protorel.json"])
    RelationModel.from_pretrained("org/name")
    assert len(fetched) == len(files) + 1


def test_a_file_of_the_hub_that_is_not_the_recorded_one_is_refused(run, hub):
    (run / "relations.json").write_text("[]")
    hub(run)
    with pytest.raises(BadInput, match=r"relations\.json: this file of the run is damaged or was changed"):
        RelationModel.from_pretrained("org/name")


def test_a_fetch_that_fails_is_one_line(run, hub, monkeypatch):
    hub(run)
    source = ModelSource.find("org/name")

    def broken(*_, **__):
        raise httpx.ConnectError("no\nnetwork")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", broken)
    with pytest.raises(BadInput, match=r"^org/name: cannot fetch \S+ from the hub \(ConnectError\)$"):
        RelationModel.from_pretrained(source)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (None, "the hub has no public model of this name"),
        (TimeoutError(), r"not reachable \(TimeoutError\)"),
    ],
)
def test_a_hub_id_that_cannot_be_had_is_one_line(hub, problem, said):
    hub(None, problem)
    with pytest.raises(BadInput, match=f"^org/name: expected a run folder, .*{said}"):
        ModelSource.find("org/name")


def test_an_encoder_on_the_hub_or_in_a_folder_is_announced_and_a_run_is_not(
    tiny_encoder_folder, cache, hub, cnn, tmp_path, caplog, monkeypatch
):
    snapshot = snapshot_of(cache, "org/name")
    for file in Path(tiny_encoder_folder).iterdir():
        put(file, snapshot)
    hub(None, TimeoutError())
    assert ModelSource.find("org/name").record is None, "the hub cannot be reached, so the cache is believed"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with caplog.at_level(logging.INFO, "protorel"):
        assert ModelSource.find("org/name").record is None
        RelationModel.from_pretrained(tiny_encoder_folder)
        cnn.save_pretrained(tmp_path / "run")
        RelationModel.from_pretrained(tmp_path / "run")
        model_room.untrained(str(tiny_encoder_folder))
    assert caplog.messages == [f"{tiny_encoder_folder}: an encoder without relations; it is used as it is"]


def test_code_of_a_folder_is_never_run(transformer, tiny_encoder_folder, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(tiny_encoder_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'was here')!r}, 'w')\n")
    for kind in (config["model_type"], "evil"):
        (folder / "config.json").write_text(json.dumps({**config, "model_type": kind}))
        if kind == "evil":
            with pytest.raises(BadInput):
                RelationModel.from_pretrained(folder)
        else:
            RelationModel.from_pretrained(folder)
    assert not (tmp_path / "was here").exists()


class FakeApi:
    """What `push_to_hub` asks the hub for."""

    def __init__(self, has_card: bool) -> None:
        self.has_card, self.uploaded = has_card, {}

    def __call__(self, **_):
        return self

    def create_repo(self, *_, **__):
        return SimpleNamespace(repo_id="org/mine")

    def file_exists(self, *asked, **_):
        assert asked == ("org/mine", "README.md")
        return self.has_card

    def upload_folder(self, *, folder_path, **_):
        self.uploaded = {path.name: path.read_bytes() for path in Path(folder_path).iterdir()}
        return "https://huggingface.co/org/mine/commit/1"


@pytest.mark.parametrize("has_card", [False, True])
def test_a_model_is_pushed_as_a_run_with_a_card_where_there_is_none(cnn, tmp_path, monkeypatch, has_card):
    cnn.save_pretrained(tmp_path / "run", record=RECORD)
    loaded = RelationModel.from_pretrained(tmp_path / "run")
    api = FakeApi(has_card)
    monkeypatch.setattr("protorel.model.hub_model.HfApi", api)
    monkeypatch.setattr("huggingface_hub.hub_mixin.HfApi", api)
    assert loaded.push_to_hub("mine") == "https://huggingface.co/org/mine/commit/1"
    sent = api.uploaded
    assert set(sent) - {"README.md"} == {*loaded.record.files, "protorel.json"}
    assert json.loads(sent["protorel.json"])["leakage"] == RECORD["leakage"]
    assert ("README.md" in sent) is not has_card
    if not has_card:
        card = ModelCard(sent["README.md"].decode())
        assert card.data.library_name == "protorel"
        assert card.data.license is None
        for said in ("org/mine", "`born_in`", "1,200 statements", "d" * 64, "`test.parquet`", "width 8"):
            assert said in card.text


def test_a_file_that_the_user_wrote_is_left_alone(cnn, tmp_path):
    (tmp_path / "README.md").write_text("mine")
    cnn.save_pretrained(tmp_path, model_card_kwargs={})
    assert (tmp_path / "README.md").read_text() == "mine"


def test_names_in_a_card_are_text(cnn):
    strange = dataclasses.replace(cnn.prototypes, relations=type(cnn.relations)(["a`](x)\n# b", "{c}", "d"]))
    card = str(dataclasses.replace(cnn, prototypes=strange).generate_model_card())
    assert "\n# b" not in card
    assert "`{c}`" in card


def test_the_model_is_one_of_the_mixin(cnn):
    assert isinstance(cnn, ModelHubMixin)
    assert cnn._hub_mixin_config is None


def test_sentence_transformers_is_told_of_a_class_that_refuses(run):
    """It takes its modules from modules.json and, without one, the mean of all tokens of any encoder."""
    (only,) = json.loads((run / "modules.json").read_text())
    assert {"idx", "name", "path", "type"} == only.keys()
    room, name = only["type"].rsplit(".", 1)
    assert room == "protorel.model"
    with pytest.raises(BadInput, match=r"reads statements.*RelationModel\.from_pretrained$"):
        getattr(model_room, name).load(str(run), subfolder="", trust_remote_code=True)


@pytest.mark.parametrize("trusting", [False, True])
def test_sentence_transformers_refuses_a_run(transformer, tmp_path, trusting):
    peer = pytest.importorskip("sentence_transformers")
    transformer.save_pretrained(tmp_path / "run")
    with pytest.raises((ValueError, BadInput), match=r"SentencesRefused|reads statements"):
        peer.SentenceTransformer(str(tmp_path / "run"), device="cpu", trust_remote_code=trusting)
    assert AutoModel.from_pretrained(tmp_path / "run").config.hidden_size == 32


def test_the_hub_has_the_functions_that_a_push_needs():
    assert {"create_repo", "file_exists", "upload_folder"} <= set(dir(HfApi))
