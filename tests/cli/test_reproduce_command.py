"""`protorel reproduce`: tables and figures of the paper."""

import json

from protorel.cli import run


def test_table_4_is_printed_and_written(data, tmp_path, capsys):
    assert run(["reproduce", "table4", "--data", str(data), "--out", str(tmp_path / "t4")]) == 0
    assert "the paper" in capsys.readouterr().out
    told = json.loads((tmp_path / "t4" / "table4.json").read_text())
    assert told["data"]["name"] == "train.parquet"
    assert 0 <= told["minimum"] <= told["median"] <= told["maximum"] <= 1


def test_figure_6_is_a_picture_with_its_numbers(tmp_path, capsys):
    assert run(["reproduce", "figure6", "--out", str(tmp_path / "f6"), "--budget", "smoke", "--seed", "3"]) == 0
    assert "instance" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "f6").iterdir()}
    assert names == {"figure6.png", "figure6.svg", "figure6.json", "figure6.md"}
    told = json.loads((tmp_path / "f6" / "figure6.json").read_text())
    assert (told["task"], told["seed"], told["draws"]) == ("figure6", 3, 20)
    assert len(told["noisy"]) == 8


def test_bad_input_is_one_line(fails, data, tmp_path):
    assert "name its statements with --data" in fails("reproduce", "table4", "--out", tmp_path / "x")
    (tmp_path / "file").write_text("")
    assert "is a file, a folder is wanted" in fails("reproduce", "figure6", "--out", tmp_path / "file")
    assert not (tmp_path / "x").exists()
    assert run(["reproduce", "table9", "--out", str(tmp_path / "x")]) == 2
