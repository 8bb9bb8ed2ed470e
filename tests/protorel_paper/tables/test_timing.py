"""What a command took that made a table: one file a command, whole or stopped."""

import json

import pytest

from protorel.io.files import write_json
from protorel_paper.tables.timing import timed


def make_cell(out, name):
    cell = {"table": "table1", "row": "mtb", "setting": name, "seed": 0, "settings": {}, "figures": {}}
    write_json(out / "cells" / "table1" / f"{name}.json", {**cell, "data": {"name": "somebody's"}})


def clocks(out):
    return [json.loads(path.read_text()) for path in sorted((out / "clock").glob("table1-*.json"))]


def test_a_command_leaves_what_it_took_and_how_many_cells_it_made(tmp_path):
    make_cell(tmp_path, "before")
    with timed("table1", tmp_path, processes=2):
        make_cell(tmp_path, "one")
        make_cell(tmp_path, "two")
    (found,) = clocks(tmp_path)
    told = {key: found[key] for key in ("task", "table", "ended", "processes", "cells", "cells_before", "data")}
    assert told == {
        "task": "clock", "table": "table1", "ended": "whole", "processes": 2, "cells": 2, "cells_before": 1,
        "data": {"name": "somebody's"},
    }  # fmt: skip
    assert 0 <= found["seconds"] < 60
    assert {"machine", "versions", "began"} <= found.keys()


def test_one_that_is_stopped_says_so_and_is_stopped_all_the_same(tmp_path):
    def work():
        with timed("table1", tmp_path, processes=1):
            make_cell(tmp_path, "one")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert [(found["ended"], found["cells"]) for found in clocks(tmp_path)] == [("stopped", 1)]


def test_a_cell_that_does_not_say_what_it_was_judged_by_hides_no_other_trouble(tmp_path):
    def work():
        with timed("table1", tmp_path, processes=1):
            make_cell(tmp_path, "one")
            path = tmp_path / "cells" / "table1" / "one.json"
            write_json(path, {key: value for key, value in json.loads(path.read_text()).items() if key != "data"})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert [found["data"] for found in clocks(tmp_path)] == [{}]


def test_where_nothing_was_made_nothing_is_written(tmp_path):
    with timed("table1", tmp_path / "nowhere", processes=1):
        pass
    assert not (tmp_path / "nowhere").exists()
