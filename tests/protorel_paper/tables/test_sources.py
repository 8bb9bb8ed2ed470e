"""Published files become data sets once; files that changed since are refused."""

import json

import pytest

from protorel.io.file_lock import claimed
from protorel.statements import BadInput, write_statements
from protorel_paper.tables.sources import LAYOUT, DataFolder, Described, SmallWorldData


def instance(head, tail):
    tokens = [head, "was", "born", "in", tail, "."]
    return {"tokens": tokens, "h": [head.lower(), "Q1", [[0]]], "t": [tail.lower(), "Q2", [[4]]]}


@pytest.fixture
def published(tmp_path):
    """A folder with FewRel's validation file, as its authors would publish it."""
    folder = tmp_path / "published"
    (folder / "fewrel").mkdir(parents=True)
    rows = {"P19": [instance("Ada", "Lunsk"), instance("Bela", "Oster")]}
    (folder / "fewrel" / "val_wiki.json").write_text(json.dumps(rows))
    return folder


def test_published_files_are_converted_once(published, tmp_path):
    folder = DataFolder(published, tmp_path / "data")
    assert [statement.relation for statement in folder.open("fewrel_val").source()] == ["P19", "P19"]
    made = tmp_path / "data" / "fewrel_val" / "fewrel_val.parquet"
    before = made.stat().st_mtime_ns
    assert folder.open("fewrel_val").name == "fewrel_val"
    assert made.stat().st_mtime_ns == before


def test_files_that_changed_since_are_refused(published, tmp_path):
    DataFolder(published, tmp_path / "data").open("fewrel_val")
    (published / "fewrel" / "val_wiki.json").write_text(json.dumps({"P20": [instance("Ada", "Lunsk")]}))
    with pytest.raises(BadInput, match=r"its files for fewrel_val differ from those in "):
        DataFolder(published, tmp_path / "data").open("fewrel_val")


def test_a_conversion_that_was_killed_is_made_again(published, tmp_path):
    folder = DataFolder(published, tmp_path / "data")
    folder.open("fewrel_val")
    (tmp_path / "data" / "fewrel_val.json").unlink()
    (tmp_path / "data" / "fewrel_val" / "fewrel_val.parquet").write_bytes(b"cut")
    assert len(list(folder.open("fewrel_val").source())) == 2


def test_a_missing_file_is_named(published, tmp_path):
    with pytest.raises(BadInput, match=r"expected fewrel/train_wiki.json or fewrel/train_wiki.reconstructed.json for"):
        DataFolder(published, tmp_path / "data").open("fewrel_train")
    with pytest.raises(BadInput, match=r"expected distant/redocred/\*.json for redocred, found no such file"):
        DataFolder(published, tmp_path / "data").open("distant")


def test_the_whole_training_file_is_taken_before_a_part_of_it(published, tmp_path):
    for name, relation in (("train_wiki.reconstructed", "P1"), ("train_wiki", "P2")):
        (published / "fewrel" / f"{name}.json").write_text(json.dumps({relation: [instance("Ada", "Lunsk")]}))
    found = DataFolder(published, tmp_path / "data").open("fewrel_train")
    assert [statement.relation for statement in found.source()] == ["P2"]


@pytest.mark.parametrize("place", ["distant.parquet", "distant/mine.parquet"])
def test_parquet_is_taken_as_it_is(published, tmp_path, some_statements, place):
    write_statements(some_statements, published / place)
    found = DataFolder(published, tmp_path / "data").open("distant")
    assert list(found.source()) == some_statements
    assert not (tmp_path / "data").exists()


def test_a_claim_of_a_killed_process_does_not_stop_a_conversion(published, tmp_path):
    (tmp_path / "data").mkdir()
    with claimed(tmp_path / "data" / "other.lock"):
        (tmp_path / "data" / "fewrel_val.lock").write_text("1\n")
        assert len(list(DataFolder(published, tmp_path / "data").open("fewrel_val").source())) == 2


def test_data_are_read_and_fingerprinted_once(published, tmp_path):
    opened = []

    class Counting:
        def open(self, name):
            opened.append(name)
            return DataFolder(published, tmp_path / "data").open(name)

    data = Described(Counting())
    first = data.fingerprints(("fewrel_val",))
    assert first == data.fingerprints(("fewrel_val",)) == {"fewrel_val": data.described("fewrel_val")["fingerprint"]}
    assert data.described("fewrel_val")["statements"] == 2
    assert opened == ["fewrel_val"]


def test_small_world_has_every_data_set_and_test_relations_of_its_own():
    data = SmallWorldData()
    relations = {name: {one.relation for one in data.open(name).source()} for name in LAYOUT}
    assert relations["distant"] == relations["fewrel_train"] == relations["fuzzyred"]
    assert len(relations["fewrel_val"]) == 10
    assert relations["fewrel_val"].isdisjoint(relations["distant"])
    assert relations["semeval_train"] == relations["semeval_test"]
    assert len(relations["semeval_test"]) == 10
    with pytest.raises(ValueError, match="nothing for tacred"):
        data.open("tacred")


def test_the_real_files_are_found(real_data, tmp_path):
    folder = DataFolder(real_data, tmp_path)
    counts = {name: folder.open(name).described() for name in ("fewrel_val", "fuzzyred", "semeval_test")}
    assert {name: one["statements"] for name, one in counts.items()} == {
        "fewrel_val": 11_200,
        "fuzzyred": 1_000,
        "semeval_test": 2_717,
    }
    assert len(list((tmp_path / "fuzzyred").glob("*.parquet"))) == 1
