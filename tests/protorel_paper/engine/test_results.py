"""Points as files: finished ones stay, a point has one maker at a time, and a killed maker leaves nothing behind."""

import json
import os
import subprocess
import sys

import pytest

from protorel.statements import BadInput
from protorel_paper.engine.results import ResultFolder
from protorel_paper.experiments.points import POINTS

HOLD = """
import fcntl, sys, time
stream = open(sys.argv[1], "a+")
fcntl.flock(stream, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def point(name, **more):
    return {"name": name, "task": "data_budget", "settings": {}, **more}


def test_finished_points_are_read_in_the_order_of_their_names(tmp_path):
    folder = ResultFolder(tmp_path, POINTS)
    for name in ("b", "a"):
        folder.write(name, point(name))
    assert folder.has("a")
    assert not folder.has("c")
    assert [one["name"] for one in ResultFolder(tmp_path, POINTS).read()] == ["a", "b"]


def test_a_claim_gives_an_empty_folder_and_leaves_none(tmp_path):
    folder = ResultFolder(tmp_path, POINTS)
    with folder.claimed("a") as scratch:
        assert list(scratch.iterdir()) == []
        (scratch / "run").mkdir()
        (scratch / "run" / "weights").write_text("heavy")
        assert (tmp_path / "work" / "a.lock").read_text() == f"{os.getpid()}\n"
    assert list((tmp_path / "work").iterdir()) == []


def test_a_claimed_point_is_given_to_nobody_else_and_others_are(tmp_path):
    folder, other = ResultFolder(tmp_path, POINTS), ResultFolder(tmp_path, POINTS)
    with folder.claimed("a") as scratch, other.claimed("a") as second, other.claimed("b") as third:
        (scratch / "file").touch()
        assert second is None
        assert third is not None
    with other.claimed("a") as again:
        assert list(again.iterdir()) == []


def test_a_claim_that_fails_is_given_back(tmp_path):
    folder = ResultFolder(tmp_path, POINTS)
    with pytest.raises(ZeroDivisionError), folder.claimed("a"):
        raise ZeroDivisionError
    with folder.claimed("a") as scratch:
        assert scratch is not None


def test_a_point_in_work_by_another_process_is_not_given_and_a_killed_one_s_is_taken_over(tmp_path):
    folder = ResultFolder(tmp_path, POINTS)
    left = tmp_path / "work" / "a"
    left.mkdir()
    (left / "half").write_text("of a run")
    command = [sys.executable, "-c", HOLD, str(tmp_path / "work" / "a.lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with folder.claimed("a") as scratch:
            assert scratch is None
        assert (left / "half").exists()
        process.kill()
    with folder.claimed("a") as scratch:
        assert list(scratch.iterdir()) == []


def test_a_lock_file_without_a_holder_does_not_stand_in_the_way(tmp_path):
    folder = ResultFolder(tmp_path, POINTS)
    (tmp_path / "work" / "a.lock").write_text("999999999\n")
    with folder.claimed("a") as scratch:
        assert scratch is not None


@pytest.mark.parametrize("text", ["", '{"name": "a"', "[1]", json.dumps({"name": "a"})])
def test_a_damaged_point_is_named(tmp_path, text):
    folder = ResultFolder(tmp_path, POINTS)
    (tmp_path / "points" / "a.json").write_text(text)
    with pytest.raises(BadInput, match=r"a\.json"):
        folder.read()


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot make this folder"):
        ResultFolder(tmp_path / "file", POINTS)
