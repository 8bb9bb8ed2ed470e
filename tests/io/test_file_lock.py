"""A claim has one holder at a time, and a killed holder leaves nothing behind."""

import errno
import os
import subprocess
import sys

import pytest

from protorel.io.file_lock import NoLocksWarning, claimed
from protorel.io.file_lock import holder as holder_of

HOLD = """
import sys, time
from pathlib import Path
from protorel.io.file_lock import claimed
with claimed(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path, seconds):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path), str(seconds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    return process


def test_a_claim_is_held_by_one_and_given_back(tmp_path):
    path = tmp_path / "work.lock"
    with claimed(path) as mine:
        assert mine
        assert path.read_text() == f"{os.getpid()}\n"
        with claimed(path) as second:
            assert not second
        assert path.exists()
    assert not path.exists()
    with claimed(path) as again:
        assert again


def test_a_claim_is_given_back_when_the_work_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "a"):
        raise ZeroDivisionError
    with claimed(tmp_path / "a") as mine:
        assert mine


def test_another_process_holds_a_claim_until_it_is_killed(tmp_path):
    path = tmp_path / "work.lock"
    process = holder(path, 60)
    with claimed(path) as mine:
        assert not mine
    process.kill()
    process.wait()
    process.stdout.close()
    assert path.exists()
    with claimed(path) as mine:
        assert mine


def test_who_waits_gets_the_claim_after_the_other(tmp_path):
    path = tmp_path / "work.lock"
    process = holder(path, 0.3)
    with claimed(path, wait=True) as mine:
        assert mine
        assert path.read_text() == f"{os.getpid()}\n"
    process.wait()
    process.stdout.close()
    assert not path.exists()


def test_the_holder_of_a_claim_is_named_while_it_is_known(tmp_path):
    path = tmp_path / "work.lock"
    with claimed(path):
        assert holder_of(path) == f"process {os.getpid()}"
    assert holder_of(path) == "another process"
    path.write_text("")
    assert holder_of(path) == "another process"


@pytest.mark.parametrize("wait", [False, True])
def test_where_files_cannot_be_locked_the_work_is_done_with_a_warning(tmp_path, monkeypatch, wait):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.warns(NoLocksWarning, match=r"a: cannot be locked here \(.*No locks available\); make sure"):  # noqa: SIM117
        with claimed(tmp_path / "a", wait=wait) as mine:
            assert mine
    assert not (tmp_path / "a").exists()


def test_a_system_without_locks_is_one_where_files_cannot_be_locked(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.warns(NoLocksWarning), claimed(tmp_path / "a") as mine:
        assert mine
