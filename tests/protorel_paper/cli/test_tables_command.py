"""`protorel-paper table1` to `table4`, and `figure6`: tables and figures of the paper."""

import json

import pytest

from protorel_paper.cli import run


def test_table_4_is_printed_and_written(data, tmp_path, capsys):
    assert run(["table4", "--data", str(data), "--out", str(tmp_path / "t4")]) == 0
    assert "the paper" in capsys.readouterr().out
    told = json.loads((tmp_path / "t4" / "table4.json").read_text())
    assert told["data"]["name"] == "train.parquet"
    assert 0 <= told["minimum"] <= told["median"] <= told["maximum"] <= 1


def test_figure_6_is_a_picture_with_its_numbers(tmp_path, capsys):
    assert run(["figure6", "--out", str(tmp_path / "f6"), "--budget", "smoke", "--seed", "3"]) == 0
    assert "instance" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "f6").iterdir()}
    assert names == {"figure6.png", "figure6.svg", "figure6.json", "figure6.md"}
    told = json.loads((tmp_path / "f6" / "figure6.json").read_text())
    assert (told["task"], told["seed"], told["draws"]) == ("figure6", 3, 20)
    assert len(told["noisy"]) == 8


def test_a_row_of_table_2_is_made_printed_and_written(tmp_path, capsys):
    arguments = ["table2", "--budget", "smoke", "--rows", "ds", "--out", str(tmp_path / "t2")]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "DS, seed 0: 1 shot " in out
    assert "(46.30)" in out
    assert "1 cells made" in out
    told = json.loads((tmp_path / "t2" / "table2.json").read_text())
    assert [row["row"] for row in told["rows"] if row["figures"]] == ["ds"]
    assert run([*arguments, "--seeds", "0,1"]) == 0
    assert "seed 1" in capsys.readouterr().out
    assert len(list((tmp_path / "t2" / "cells" / "table2").iterdir())) == 2


def test_what_a_table_cannot_be_made_of_is_one_line(fails, tmp_path):
    smoke = ("table1", "--budget", "smoke", "--out", tmp_path / "x")
    assert "table1 has no row 'col'; its rows are finetune_pcnn" in fails(*smoke, "--rows", "col")
    assert "leave --data out" in fails(*smoke, "--data", tmp_path)
    assert "expected a list such as 0,1,2, got 'all'" in fails(*smoke, "--seeds", "all")
    assert "name their folder by --data" in fails("table3", "--out", tmp_path / "x")
    assert "expected fewrel/val_wiki.json for fewrel_val" in fails(
        "table1", "--data", tmp_path, "--out", tmp_path / "x"
    )


def test_bad_input_is_one_line(fails, data, tmp_path):
    assert "needs the statements of FuzzyRED: --data" in fails("table4", "--out", tmp_path / "x")
    (tmp_path / "file").write_text("")
    assert "expected a folder, got a file" in fails("figure6", "--out", tmp_path / "file")
    assert not (tmp_path / "x").exists()
    assert run(["table9", "--out", str(tmp_path / "x")]) == 2


@pytest.mark.parametrize("part", ["table4", "figure1", "figure6", "figures"])
@pytest.mark.parametrize("option", [["--rows", "mtb"], ["--seeds", "0,1"], ["--processes", "2"]])
def test_what_has_no_rows_is_not_asked_for_some(fails, tmp_path, part, option):
    line = fails(part, "--out", tmp_path / "out", *option)
    assert line.startswith(f"protorel-paper: No such option: {option[0]}")
    assert line.endswith(f"; see `protorel-paper {part} --help`")
