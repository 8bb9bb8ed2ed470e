"""A table by several processes: the same table, whoever made a row, and however one of them ended."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from protorel.statements import BadInput
from protorel_paper.engine.runner import Audience
from protorel_paper.tables.order import TableOrder
from protorel_paper.tables.parallel import make_in_parallel
from protorel_paper.tables.reproduce import reproduce_table

ROWS = ("bert_em", "col_z", "mtb")
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background ignore it
from protorel_paper.cli import main
main()
"""


def others_at_work(out):
    """Return the processes, beside this one, that hold a claim in the folder."""
    found = set()
    for path in (out / "work").glob("*.lock"):
        with contextlib.suppress(FileNotFoundError):  # a claim may be given up while it is looked at
            found.add(path.read_text().strip())
    return {int(number) for number in found if number} - {os.getpid()}


def wait_for(true, seconds=300):
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def figures(out):
    cells = [json.loads(path.read_text()) for path in (out / "cells" / "table1").glob("*.json")]
    return {(cell["row"], cell["setting"]): (cell["figures"], cell["right_of_each_episode"]) for cell in cells}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The rows as one process makes them."""
    out, threads = tmp_path_factory.mktemp("alone"), torch.get_num_threads()
    torch.set_num_threads(1)
    reproduce_table("table1", out, budget="smoke", rows=ROWS)
    torch.set_num_threads(threads)
    return figures(out)


def test_a_helper_makes_rows_too_and_what_it_leaves_when_it_is_killed_is_made_all_the_same(tmp_path, alone):
    killed, told = set(), []

    def finished(_plan, cell):
        told.append((cell["row"], cell["setting"]))
        if not killed:
            wait_for(lambda: figures(tmp_path).keys() - set(told))
            killed.update(wait_for(lambda: others_at_work(tmp_path)))
            for number in killed:
                os.kill(number, signal.SIGKILL)

    threads = torch.get_num_threads()
    order = TableOrder("table1", tmp_path, budget="smoke", rows=ROWS)
    summary, progress = make_in_parallel(order, processes=2, audience=Audience(finished=finished))
    assert len(killed) == 1
    assert len(told) < 12
    assert (progress.made, progress.elsewhere, progress.failed) == (12, (), ())
    assert figures(tmp_path) == alone
    assert sorted(row.row.name for row in summary.rows if row.figures) == sorted(ROWS)
    assert torch.get_num_threads() == threads
    (clock,) = (tmp_path / "clock").glob("table1-*.json")
    assert {"cells": 12, "cells_before": 0, "processes": 2}.items() <= json.loads(clock.read_text()).items()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_helpers_end_with_the_process_that_was_started_by_hand(tmp_path, how):
    command = [sys.executable, "-c", COMMAND, "table1", "--budget", "smoke", "--processes", "2"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    workers = wait_for(lambda: len(found := others_at_work(tmp_path)) == 2 and found)
    assert process.pid in workers
    process.send_signal(how)
    said = process.communicate()[1].decode()
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    wait_for(lambda: not any(running(number) for number in workers))
    assert "Traceback" not in said
    assert ("what is finished is kept" in said) == (how == signal.SIGINT)
    assert len(figures(tmp_path)) < 60


def running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_is_wrong_is_said_once_and_nobody_is_left_at_work(tmp_path, capfd):
    with pytest.raises(BadInput, match="table1 has no row 'nobody'"):
        make_in_parallel(
            TableOrder("table1", tmp_path, budget="smoke", rows=("nobody",)), processes=2, audience=Audience()
        )
    assert capfd.readouterr() == ("", "")
