from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from protorel.io.files import made_folder, read_json, sha256, write_json, write_text, written_whole
from protorel.statements import BadInput


def test_folders_on_the_way_are_made(tmp_path):
    write_text(tmp_path / "a" / "b" / "note.txt", "é")
    assert (tmp_path / "a" / "b" / "note.txt").read_bytes() == "é".encode()


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path):
    write_text(tmp_path / "file", "")
    with pytest.raises(BadInput, match="cannot make this folder"):
        write_text(tmp_path / "file" / "note.txt", "")


def test_a_block_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    write_text(tmp_path / "note.txt", "old")

    def break_off() -> None:
        with written_whole(tmp_path / "note.txt") as beside:
            beside.write_text("half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert (tmp_path / "note.txt").read_text() == "old"
    assert names_in(tmp_path) == ["note.txt"]


def test_json_comes_back_as_it_was_written(tmp_path):
    write_json(tmp_path / "a.json", {"é": [1, None, "\n"]})
    assert read_json(tmp_path / "a.json") == {"é": [1, None, "\n"]}


@pytest.mark.parametrize("content", [b"", b'{"a": ', b"\xff\xfe"])
def test_json_that_is_not_whole_is_bad_input_with_the_file(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(BadInput, match=r"a\.json: (is not valid JSON|cannot be read as text)"):
        read_json(tmp_path / "a.json")


def test_a_missing_json_file_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        read_json(tmp_path / "a.json")


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path):
    write_text(tmp_path / "a", "abc")
    assert sha256(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("fails_with", [BadInput("bad"), KeyboardInterrupt()])
def test_a_block_that_fails_leaves_no_folder_that_was_made_for_it(tmp_path, fails_with):
    with pytest.raises(type(fails_with)), made_folder(tmp_path / "new" / "deep"):  # noqa: PT012
        assert (tmp_path / "new" / "deep").is_dir()
        raise fails_with
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_there_or_that_holds_something_stays_where_a_block_fails(tmp_path):
    (tmp_path / "old").mkdir()
    for folder in (tmp_path / "old", tmp_path / "new" / "deep"):
        with pytest.raises(BadInput), made_folder(folder):  # noqa: PT012
            (tmp_path / "new").mkdir(exist_ok=True)
            (tmp_path / "new" / "kept").touch()
            raise BadInput("bad")
    assert {path.name for path in tmp_path.rglob("*")} == {"old", "new", "kept"}


def test_a_file_in_a_folder_that_is_not_there_leaves_none_where_it_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "new" / "x.json", float("nan"))
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "new" / "x.txt"):
        1 / 0  # noqa: B018
    assert not list(tmp_path.iterdir())
