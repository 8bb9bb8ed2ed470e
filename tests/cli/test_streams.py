"""Standard output that is full, closed or without our letters, and inputs that are no files: one line, no waiting."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROTOREL = [sys.executable, "-m", "protorel"]
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:strict"}
full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@full_device
@pytest.mark.parametrize("command", ["--help", "--version", "convert --help", "convert rows.jsonl --format jsonl", ""])
def test_standard_output_on_a_full_device_is_one_line(command, jsonl, tmp_path):
    jsonl({"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 10], "relation": "met"}, name="rows.jsonl")
    arguments = [*command.split(), *(["--out", "new.parquet"] if "rows" in command else [])]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*PROTOREL, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    assert ended.stderr == b"protorel: standard output: cannot be written (No space left on device)\n"
    assert ended.returncode == 1


@full_device
def test_both_streams_on_a_full_device_give_the_exit_code_at_least():
    with Path("/dev/full").open("w") as full:
        assert subprocess.run([*PROTOREL, "--version"], stdout=full, stderr=full, check=False).returncode == 1
        assert subprocess.run([*PROTOREL, "nosuch"], stdout=full, stderr=full, check=False).returncode == 2


@pytest.mark.parametrize("command", ["--help", "demo --help", "harvest --help", "evaluate fewshot -h"])
def test_help_is_printed_where_only_ascii_can_be(command):
    ended = subprocess.run([*PROTOREL, *command.split()], capture_output=True, env={**os.environ, **ASCII}, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.isascii()
    assert b"Usage: protorel" in ended.stdout


def test_a_name_that_is_no_text_is_shown_escaped(tmp_path):
    command = [*PROTOREL, "convert", b"caf\xe9.json", "--format", "fewrel", "--out", "x.parquet"]
    for environment in ({}, ASCII):
        given = {"capture_output": True, "cwd": tmp_path, "env": {**os.environ, **environment}}
        ended = subprocess.run(command, check=False, **given)
        assert ended.returncode == 2
        assert ended.stderr == rb"protorel: caf\udce9.json: no such file or folder" + b"\n"


@pytest.mark.parametrize("command", ["--help", "--version"])
def test_a_pipe_that_is_closed_ends_the_command_quietly(command):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([*PROTOREL, command], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_closed_streams_are_no_error():
    ended = subprocess.run(["/bin/sh", "-c", '"$0" -m protorel --version >&- 2>&-', sys.executable], check=False)
    assert ended.returncode == 0


def test_a_traceback_that_was_asked_for_is_escaped_too(tmp_path):
    command = [*PROTOREL, "convert", "\x1b]0;pwned\x07", "--format", "fewrel", "--out", "x.parquet", "--debug"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "Traceback" in ended.stderr
    assert r"\x1b]0;pwned\x07" in ended.stderr
    assert "\x1b" not in ended.stderr
    assert ended.returncode == 1


NO_FILES = """
    convert {pipe} --format fewrel --out new.parquet
    convert {pipe} --format fuzzyred --out new.parquet
    harvest --facts {pipe} --text text.txt --out new
    harvest --facts facts.tsv --text {pipe} --out new
    harvest --facts facts.tsv --text text.txt --aliases {pipe} --out new
    fuzzy {pipe} --out new
    leakage {pipe} {data}
    leakage {data} {data} --equivalents {pipe}
    patterns {pipe} --relation x
    pretrain {pipe}.yaml --data {data} --out new
    pretrain smoke --data {pipe} --out new
    pretrain smoke --data {data} --out new --descriptions {pipe}
    pretrain smoke --data {data} --out new --equivalents {pipe}
    pretrain smoke --data {data} --out new --decontaminate {pipe}
    pretrain smoke without_relations={pipe} --data {data} --out new
    pretrain smoke encoder=cnn cnn.vectors={pipe} --data {data} --out new
    finetune supervised --model minilm --data {pipe} --out new
    evaluate fewshot minilm {pipe}
    evaluate fewshot minilm {data} --descriptions {pipe}
    evaluate fewshot minilm {data} --only {pipe}
    evaluate fewshot minilm {pipe} --format jsonl
    evaluate answers {pipe} {data}
    evaluate answers {data} {pipe}
"""


@pytest.mark.parametrize("command", [line.strip() for line in NO_FILES.strip().splitlines()])
def test_a_pipe_or_a_device_in_place_of_a_file_is_refused_at_once(command, data, tmp_path, monkeypatch, fails):
    monkeypatch.chdir(tmp_path)
    Path("facts.tsv").write_text("Ada Kroll\tborn_in\tLunsk\n")
    Path("text.txt").write_text("Ada Kroll was born in Lunsk.\n")
    os.mkfifo("pipe")
    os.mkfifo("pipe.yaml")
    Path("device").symlink_to("/dev/null")
    Path("device.yaml").symlink_to("/dev/null")

    def waits(*_):
        pytest.fail("it waits for the pipe")

    monkeypatch.setattr("protorel.encoders.sources.locate", lambda *_, **__: None)
    before = signal.signal(signal.SIGALRM, waits)
    signal.alarm(60)  # else a command that waits would wait for ever
    try:
        for name, kind in {"pipe": "a pipe; write it to a file first", "device": "a device"}.items():
            line = fails(*(part.format(pipe=name, data=data) for part in command.split()))
            assert line.endswith(f"got {kind}")
            assert f"{name}" in line
            assert "expected a file" in line
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert not Path("new").exists()


def test_the_output_of_a_process_in_place_of_a_file_is_refused_with_a_hint(tmp_path):
    (tmp_path / "f.tsv").write_text("Ada Kroll\tborn_in\tLunsk\n")
    (tmp_path / "t.txt").write_text("Ada Kroll was born in Lunsk.\n")
    reading, writing = os.pipe()
    os.close(writing)
    command = [*PROTOREL, "harvest", "--facts", f"/dev/fd/{reading}", "--text", "t.txt", "--out", "new"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, pass_fds=[reading], check=False)
    os.close(reading)
    said = f"protorel: /dev/fd/{reading}: expected a file or a folder, got a pipe; write it to a file first\n"
    assert (ended.returncode, ended.stderr) == (2, said)


@pytest.mark.parametrize("name", ["x" * 300 + ".parquet", "file/inside.parquet"])
def test_a_place_that_cannot_be_written_is_bad_input_before_any_work(name, jsonl, tmp_path, monkeypatch, fails):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    path = jsonl({"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 10], "relation": "met"})
    assert "cannot" in fails("convert", path, "--format", "jsonl", "--out", name)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", path.name]


def test_an_error_of_the_system_that_was_not_foreseen_is_one_line(monkeypatch, fails):
    def fail(*_, **__):
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr("protorel.corpora.check_conversion", fail)
    assert fails("convert", "a", "--format", "jsonl", "--out", "b.parquet").endswith(
        "/some/file: cannot be used (Permission denied)"
    )
