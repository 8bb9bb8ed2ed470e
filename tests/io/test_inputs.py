"""Only a regular file that may be read is read; anything else is one line, and nobody waits for it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from protorel.io.errors import BadInput
from protorel.io.inputs import check_source, open_source, read_source, read_text

EVERY_WAY = [check_source, lambda path: open_source(path).close(), read_source, read_text]


@pytest.mark.parametrize("use", EVERY_WAY)
def test_a_file_a_link_to_one_and_an_empty_one_are_read(tmp_path, use):
    (tmp_path / "file").write_text("text")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("file")
    for name in ("file", "empty", "link"):
        use(tmp_path / name)


@pytest.mark.parametrize("use", EVERY_WAY)
def test_what_is_not_a_file_is_refused_and_never_waited_for(tmp_path, use, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("dangling").symlink_to("nowhere")
    Path("circle").symlink_to("circle")
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, said in {
            "absent": "no such file",
            "file/inside": "no such file",
            "dangling": "no such file",
            "circle": "cannot be read (Too many levels of symbolic links)",
            ".": "expected a file, got a folder",
            "pipe": "expected a file, got a pipe; write it to a file first",
            "socket": "expected a file, got a socket",
            "/dev/null": "expected a file, got a device",
            "x" * 300: "cannot be read (File name too long)",
            "a\0b": "cannot be read (embedded null byte)",
        }.items():
            with pytest.raises(BadInput) as told:
                use(Path(name))
            assert str(told.value) == f"{name}: {said}"


def test_the_end_of_a_pipe_by_its_number_is_refused():
    reading, writing = os.pipe()
    try:
        with pytest.raises(BadInput, match="got a pipe; write it to a file first"):
            open_source(Path(f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
        os.close(writing)


def test_a_pipe_that_takes_a_files_place_after_the_check_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    regular = (tmp_path / "file").stat().st_mode
    monkeypatch.setattr("protorel.io.inputs._mode", lambda *_: regular)
    with pytest.raises(BadInput, match="got a pipe"):
        open_source(tmp_path / "pipe")


@pytest.mark.parametrize("use", EVERY_WAY)
def test_a_file_without_permission_is_said_so(tmp_path, use, monkeypatch):
    (tmp_path / "secret").touch()

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("protorel.io.inputs.os.access", lambda *_: False)  # root may read everything
    monkeypatch.setattr("protorel.io.inputs.os.open", refuse)
    with pytest.raises(BadInput, match=r"secret: cannot be read \(Permission denied\)"):
        use(tmp_path / "secret")


def test_a_folder_is_a_source_only_where_it_may_be_one(tmp_path):
    check_source(tmp_path, folder=True)
    with pytest.raises(BadInput, match="no such file or folder"):
        check_source(tmp_path / "absent", folder=True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="expected a file or a folder, got a pipe"):
        check_source(tmp_path / "pipe", folder=True)


def test_text_is_utf8_of_a_bounded_size(tmp_path):
    (tmp_path / "a").write_bytes("\ufeffä\n".encode())
    assert read_text(tmp_path / "a") == "ä\n"
    with pytest.raises(BadInput, match="a: expected at most 5 bytes, got more"):
        read_text(tmp_path / "a", most_bytes=5)
    (tmp_path / "a").write_bytes(b"\xff")
    with pytest.raises(BadInput, match="a: cannot be read as text"):
        read_text(tmp_path / "a")
