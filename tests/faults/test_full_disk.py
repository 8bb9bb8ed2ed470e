"""A disk that fills: one line that names the file and what the system said, exit code 1, and nothing half written."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.statements import Span, Statement, read_statements, write_statements

TOO_LARGE, NO_SPACE = "(File too large)", "(No space left on device; free some space and run the same command again)"


@contextmanager
def files_of_at_most(size: int):
    """No file may grow beyond `size` bytes; the system says EFBIG, as it says ENOSPC on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KB in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "protorel-test", str(place)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def one_line(capsys):
    """Run a command that fails for want of space, and return its one line."""

    def check(*arguments, code=1):
        assert run([str(argument) for argument in arguments]) == code
        lines = capsys.readouterr().err.strip().splitlines()
        said = [line for line in lines if line.startswith("protorel: ")]
        assert len(said) == 1, lines
        assert lines[-1] == said[0]
        return said[0]

    return check


def everything_in(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def rows(tmp_path):
    """Statements in JSONL that do not compress well, so that their Parquet is larger than the limits here."""
    path = tmp_path / "in" / "mine.jsonl"
    path.parent.mkdir()
    texts = (f"Ada met Bo {os.urandom(200).hex()}" for _ in range(500))
    path.write_text("".join(json.dumps({"text": t, "head": [0, 3], "tail": [8, 10]}) + "\n" for t in texts))
    return path


def test_convert_on_a_full_disk_keeps_what_was_there(rows, tmp_path, one_line):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.parquet").write_bytes(b"before")
    (out / "mine.rejects.jsonl").write_bytes(b"before too")
    before = everything_in(out)
    with files_of_at_most(10_000):
        line = one_line("convert", rows, "--format", "jsonl", "--out", out / "mine.parquet", "--force")
    assert line == f"protorel: {out / 'mine.parquet'}: cannot write here {TOO_LARGE}"
    assert everything_in(out) == before


def test_rejects_on_a_full_disk_are_named(tmp_path, one_line):
    bad = {"text": f"Ada {'x' * 1000}", "head": [0, 0], "tail": [1, 2]}
    (tmp_path / "bad.jsonl").write_text("".join(json.dumps(bad) + "\n" for _ in range(100)))
    out = tmp_path / "out" / "bad.parquet"
    with files_of_at_most(10_000):
        line = one_line("convert", tmp_path / "bad.jsonl", "--format", "jsonl", "--out", out)
    assert line == f"protorel: {out.with_suffix('.rejects.jsonl')}: cannot write here {TOO_LARGE}"
    assert not out.parent.exists()


def test_convert_to_a_file_system_that_fills_says_so_and_leaves_nothing(rows, small_disk, one_line):
    line = one_line("convert", rows, "--format", "jsonl", "--out", small_disk / "new" / "mine.parquet")
    assert line == f"protorel: {small_disk / 'new' / 'mine.parquet'}: cannot write here {NO_SPACE}"
    assert everything_in(small_disk) == {}


@pytest.fixture
def sources(tmp_path):
    """A few thousand facts, and sentences that express them."""
    facts, text = tmp_path / "facts.tsv", tmp_path / "text.txt"
    facts.write_text("".join(f"Anna{i} Berg{i}\tborn_in\tTown{i} Hill{i}\n" for i in range(3000)))
    text.write_text("".join(f"Anna{i} Berg{i} was born in Town{i} Hill{i}.\n\n" for i in range(200)))
    return ["--facts", facts, "--text", text, "--workers", "1"]


@pytest.mark.parametrize("size", [500, 10_000, 30_000, 60_000, 100_000])
def test_a_harvest_on_a_full_disk_is_one_line_and_goes_on_when_there_is_space(sources, tmp_path, one_line, size):
    out = tmp_path / "harvest"
    with files_of_at_most(size):
        line = one_line("harvest", *sources, "--out", out)
    assert line.startswith(f"protorel: {out}")
    assert "File too large" in line or "the disk took only part of it" in line
    assert not list(tmp_path.rglob("*.part"))
    assert run([*map(str, ["harvest", *sources, "--out", out])]) == 0
    assert len(read_statements(out / "statements")) == 200


def test_a_harvest_to_a_file_system_that_fills_is_one_line(sources, small_disk, one_line):
    line = one_line("harvest", *sources, "--out", small_disk / "harvest")
    assert "No space left on device" in line
    assert not list(small_disk.rglob("*.part"))


def test_a_result_that_does_not_fit_is_one_line_and_the_old_one_stays(tmp_path, one_line):
    path, result = tmp_path / "data.parquet", tmp_path / "result.json"
    write_statements([Statement("Ada met Bo.", Span(0, 3), Span(8, 10), "met", id=str(i)) for i in range(3)], path)
    result.write_text("before")
    with files_of_at_most(100):
        line = one_line("leakage", path, path, "--json", result)
    assert line == f"protorel: {result}: cannot write here {TOO_LARGE}"
    assert result.read_text() == "before"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data.parquet", "result.json"]


@pytest.fixture
def tiny_recipe(tmp_path, tiny_encoder_folder):
    path = tmp_path / "tiny.yaml"
    settings = {"encoder": str(tiny_encoder_folder), "steps": 4, "relations_per_batch": 2, "checkpoint_every": 2}
    path.write_text(json.dumps({**settings, "max_length": 64, "objective": {"s2s": {"weight": 1.0}}}))
    return path


@pytest.fixture
def few_statements(tmp_path):
    path = tmp_path / "few.parquet"
    rows = [Statement("Ada met Bo.", Span(0, 3), Span(8, 10), f"r{i % 4}", id=str(i)) for i in range(16)]
    write_statements(rows, path)
    return path


def test_pretraining_on_a_full_disk_ends_in_one_line_and_leaves_no_half_run(
    tiny_recipe, few_statements, tmp_path, one_line
):
    command = ["pretrain", tiny_recipe, "--data", few_statements, "--out", tmp_path / "run"]
    with files_of_at_most(8_000):  # the token cache fits, the weights do not
        line = one_line(*command)
    assert "File too large" in line
    assert not (tmp_path / "run").exists()


def test_evaluating_a_run_with_a_json_file_that_does_not_fit_is_one_line(
    tiny_recipe, few_statements, tmp_path, one_line, capsys
):
    assert run([*map(str, ["pretrain", tiny_recipe, "--data", few_statements, "--out", tmp_path / "run"])]) == 0
    command = ["evaluate", "fewshot", tmp_path / "run", few_statements, "--way", "2", "--episodes", "5"]
    assert run([*map(str, command)]) == 0  # the vectors are in their cache now
    capsys.readouterr()
    with files_of_at_most(300):
        line = one_line(*command, "--json", tmp_path / "result.json")
    assert line == f"protorel: {tmp_path / 'result.json'}: cannot write here {TOO_LARGE}"
    assert not [path for path in tmp_path.iterdir() if "result" in path.name]


def test_a_finished_training_that_cannot_be_saved_keeps_its_checkpoint(
    tiny_recipe, few_statements, tmp_path, one_line, monkeypatch
):
    from protorel.model import run_folder

    command = [*map(str, ["pretrain", tiny_recipe, "--data", few_statements, "--out", tmp_path / "run"])]
    sha256 = run_folder.sha256

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_folder, "sha256", full)
    assert one_line(*command) == f"protorel: {tmp_path / 'run'}: cannot write here {NO_SPACE}"
    assert not list((tmp_path / "run").rglob("*.part"))
    monkeypatch.setattr(run_folder, "sha256", sha256)
    assert run([*command, "--resume"]) == 0


def test_a_folder_that_is_removed_in_the_middle_of_a_training_is_one_line(
    tiny_recipe, few_statements, tmp_path, one_line, monkeypatch
):
    from protorel.training import journal

    written = []

    def write(self, line, old=journal.Journal.write):
        written.append(line)
        if len(written) == 3:
            shutil.rmtree(tmp_path / "run")
        old(self, line)

    monkeypatch.setattr(journal.Journal, "write", write)
    line = one_line("pretrain", tiny_recipe, "--data", few_statements, "--out", tmp_path / "run")
    assert line.startswith(f"protorel: {tmp_path / 'run' / 'journal.jsonl'}: cannot write here (No such file")
    assert "was a folder removed in the meantime?" in line


WAIT_IN_THE_MIDDLE = """
import sys, time
from protorel.corpora import conversion
def rows(*_, **__):
    for number, row in enumerate(read_rows(*_, **__)):
        if number == 3:
            print("in the middle", flush=True)
            time.sleep(600)
        yield row
read_rows, conversion.read_rows = conversion.read_rows, rows
from protorel.cli import main
main()
"""


def test_what_a_killed_convert_left_is_removed_by_the_next_and_not_while_it_lives(rows, tmp_path):
    out = tmp_path / "out" / "mine.parquet"
    arguments = ["convert", str(rows), "--format", "jsonl", "--out", str(out)]
    killed = subprocess.Popen([sys.executable, "-c", WAIT_IN_THE_MIDDLE, *arguments], stdout=subprocess.PIPE)
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"in the middle\n"
    parts = {path.name for path in out.parent.iterdir()}
    assert len(parts) == 2
    assert all(name.startswith(".mine.") and name.endswith(".part") for name in parts)
    assert run(arguments) == 0
    assert {path.name for path in out.parent.iterdir()} == parts | {"mine.parquet"}
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    assert {path.name for path in out.parent.iterdir()} == parts | {"mine.parquet"}
    assert run([*arguments, "--force"]) == 0
    assert {path.name for path in out.parent.iterdir()} == {"mine.parquet"}
