"""The model that comes with protorel, by its name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from protorel.cli import run as protorel
from protorel.model import SMALL, Cut, ModelSource, RelationModel, compress_run, shipped_model, target_of
from protorel.model.run_record import RECORD
from protorel.statements import BadInput

MOST_BYTES = 6_000_000


@pytest.fixture
def shipped(transformer, tmp_path, tiny_encoder_folder, monkeypatch) -> Path:
    """An installation whose shipped model is a run of the tiny encoder; the test is in an empty folder."""
    transformer.save_pretrained(tmp_path / "run")
    (tmp_path / "shipped").mkdir()
    cut = Cut(rank=4, token_rank=4, token_rows=4)
    compress_run(tmp_path / "run", tmp_path / "shipped" / SMALL, base=str(tiny_encoder_folder), cut=cut)
    monkeypatch.setattr(shipped_model, "SHIPPED", tmp_path / "shipped")
    shipped_model._say_which.cache_clear()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "shipped" / SMALL


def hashes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_is_found_by_its_name(shipped, some_statements):
    model = RelationModel.from_pretrained("protorel-small")
    assert model.name == "protorel-small"
    assert len(model.predict(some_statements)) == len(some_statements)


def test_its_relations_can_be_listed(shipped, capsys):
    assert protorel(["relations", "list", "protorel-small"]) == 0
    assert "3 relations" in "".join(capsys.readouterr())


def test_it_is_never_changed_in_place(shipped, capsys):
    before = hashes(shipped)
    adding = ["relations", "add", "protorel-small", "--name", "lives_in", "--describe", "residence"]
    assert protorel(adding) == 2
    assert "protorel-small: is not a run folder, so it is not changed. Write a new run with --out DIR" in (
        capsys.readouterr().err
    )
    assert protorel(["relations", "remove", "protorel-small", "spouse"]) == 2
    with pytest.raises(BadInput, match="--out DIR"):
        target_of(ModelSource.find("protorel-small"), None)
    assert hashes(shipped) == before
    assert protorel([*adding, "--out", "mine"]) == 0
    assert len(RelationModel.from_pretrained("mine")) == 4
    assert hashes(shipped) == before


def test_its_name_wins_over_a_folder_and_it_says_so(shipped, transformer, caplog):
    transformer.without_relations(["spouse"]).save_pretrained("protorel-small")
    assert len(RelationModel.from_pretrained("protorel-small")) == 3
    assert "protorel-small: the model that comes with protorel is used" in caplog.text
    assert len(RelationModel.from_pretrained("./protorel-small")) == 2
    assert len(RelationModel.from_pretrained(Path("protorel-small"))) == 2


def test_a_folder_of_another_name_is_not_mentioned(shipped, caplog):
    ModelSource.find("protorel-small")
    assert not caplog.text


def test_an_installation_without_it_says_so(shipped, capsys):
    shutil.rmtree(shipped)
    with pytest.raises(
        BadInput, match="protorel-small: expected the model that comes with protorel, got an installation"
    ):
        RelationModel.from_pretrained("protorel-small")
    assert protorel(["relations", "list", "protorel-small"]) == 2


def test_what_comes_with_protorel_is_small_and_complete():
    for folder in shipped_model.SHIPPED.glob("*"):
        names = {path.name for path in folder.iterdir()}
        assert names == {*ModelSource.find(folder).record.files, RECORD}
        assert sum(path.stat().st_size for path in folder.iterdir()) <= MOST_BYTES
