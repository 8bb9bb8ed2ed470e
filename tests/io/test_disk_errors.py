"""What the system says while files are written is one line, with the exit code that it deserves."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from protorel.io.errors import BadInput, WorkFailed, disk_errors
from protorel.io.files import check_file_target, check_folder_target, write_json, write_text, written_whole


class IOException(Exception):
    """As DuckDB names it."""


IOException.__module__ = "_duckdb"


class SafetensorError(Exception):
    """As safetensors names it."""


SafetensorError.__module__ = "safetensors_rust"


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        *((number, BadInput) for number in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)),
        *((number, BadInput) for number in (errno.ENOTDIR, errno.EISDIR)),
        *((number, WorkFailed) for number in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.ENOENT)),
    ],
)
def test_a_bad_path_is_bad_input_and_a_failing_disk_is_failed_work(tmp_path, number, kind):
    with pytest.raises(kind) as told, written_whole(tmp_path / "x.json"):
        raise OSError(number, "?")
    assert type(told.value) is kind
    assert str(told.value).startswith(f"{tmp_path / 'x.json'}: cannot write here ({os.strerror(number)}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (IOException('IO Error: Could not write file "a": No space left on device'), "No space left on device"),
        (SafetensorError("Error while serializing: I/O error: File too large (os error 27)"), "File too large"),
        (Exception("Input/output error (os error 5)"), "Input/output error"),  # tokenizers
        (sqlite3.OperationalError("database or disk is full"), "No space left on device"),
        (OSError("100 requested and 20 written"), "the disk took only part of it"),  # NumPy
    ],
)
def test_libraries_with_errors_of_their_own_are_understood(tmp_path, problem, said):
    with pytest.raises(WorkFailed, match=rf"x: cannot write here \({said}"), disk_errors(tmp_path / "x"):
        raise problem


@pytest.mark.parametrize(
    "problem",
    [
        ValueError("No space left on device"),
        BadInput("No space left on device"),
        ConnectionResetError(104, "Connection reset by peer"),
        OSError("Not a gzipped file"),
        IOException("Parser Error: syntax error"),
        KeyError("x"),
    ],
)
def test_what_is_no_error_of_the_disk_passes_as_it_is(tmp_path, problem):
    with pytest.raises(type(problem)) as raised, disk_errors(tmp_path / "x"):
        raise problem
    assert raised.value is problem


def test_a_file_elsewhere_that_cannot_be_used_is_named_itself(tmp_path):
    with pytest.raises(BadInput, match=r"source\.txt: cannot be used \(No such file or directory\)$"):  # noqa: SIM117
        with written_whole(tmp_path / "out" / "x.json"):
            (tmp_path / "source.txt").read_text()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_vanishes_while_it_is_written_into_is_failed_work(tmp_path):
    with pytest.raises(WorkFailed, match=r"x\.json: cannot write here \(No such file .*folder removed in the meantime"):  # noqa: PT012, SIM117
        with written_whole(tmp_path / "out" / "x.json") as beside:
            shutil.rmtree(tmp_path / "out")
            beside.write_text("")


def test_a_name_as_long_as_the_system_allows_can_be_written_and_a_longer_one_is_refused(tmp_path):
    write_text(tmp_path / ("x" * 255), "whole")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["whole"]
    for write in (check_file_target, check_folder_target, lambda path: write_json(path, 1)):
        with pytest.raises(BadInput, match="File name too long"):
            write(tmp_path / ("x" * 256))


@pytest.mark.skipif(os.name != "posix", reason="devices have names in the file system of POSIX")
def test_a_device_is_never_replaced_by_a_file():
    with pytest.raises(BadInput, match="/dev/null: expected the name of a regular file, got a device"):
        check_file_target(Path("/dev/null"))


def test_two_writers_of_one_file_do_not_touch_each_other_and_the_last_wins(tmp_path):
    path = tmp_path / "x"
    with written_whole(path) as one:
        one.write_text("one")
        with written_whole(path) as other:
            other.write_text("other")
        assert path.read_text() == "other"
    assert path.read_text() == "one"
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("left", [".x.123.part", ".x.abc.part"])
def test_what_a_killed_writer_left_is_removed_by_the_next_of_the_same_file_only(tmp_path, left):
    (tmp_path / left).mkdir()
    (tmp_path / left / "x").write_text("half")
    (tmp_path / ".x.old.part").write_text("half, of an older version")
    (tmp_path / ".y.abc.part").mkdir()
    write_text(tmp_path / "x", "whole")
    assert sorted(file.name for file in tmp_path.iterdir()) == [".y.abc.part", "x"]


def test_where_nothing_can_be_locked_files_are_written_and_leftovers_stay(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    (tmp_path / ".x.abc.part").mkdir()
    write_text(tmp_path / "x", "whole")
    assert sorted(file.name for file in tmp_path.iterdir()) == [".x.abc.part", "x"]
