"""The folder of a harvest: one process's alone, and nothing in it that was altered is trusted."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from protorel.cli import run
from protorel.harvest.libraries import memory_bound
from protorel.statements import BadInput


def facts_of(folder):
    (folder / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    (folder / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunsk\n")
    return ["--facts", str(folder / "facts.tsv"), "--aliases", str(folder / "names.tsv"), "--workers", "1"]


HARVESTING = """
import sys
from pathlib import Path
from protorel.io.file_lock import claimed
folder = Path(sys.argv[1])
folder.mkdir()
with claimed(folder / "harvest.lock") as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_a_second_harvest_into_one_folder_ends_at_once_and_names_the_first(tmp_path, capsys):
    out, text = tmp_path / "out", tmp_path / "text.txt"
    text.write_text("Ada Kroll was born in Lunsk.")
    command = ["harvest", *facts_of(tmp_path), "--text", str(text), "--out", str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HARVESTING, str(out)], **pipes) as first:
        assert first.stdout.readline() == "True\n"
        assert run(command) == 2
        last = capsys.readouterr().err.strip().splitlines()[-1]
        assert f"out: process {first.pid} is harvesting here; wait until it has ended" in last
        assert [path.name for path in out.iterdir()] == ["harvest.lock"]
        first.kill()
    # The lock of a process that was killed is taken over.
    assert run(command) == 0
    assert not (out / "harvest.lock").exists()
    assert run(command) == 0


@pytest.fixture
def stopped(tmp_path):
    """A harvest that was stopped when all but the manifest was done, and its command."""
    text = tmp_path / "text.txt"
    text.write_text("Ada Kroll was born in Lunsk.")
    command = ["harvest", *facts_of(tmp_path), "--text", str(text), "--out", str(tmp_path / "out")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("protorel.harvest.run.publish_words", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert run(command) != 0
    return tmp_path / "out", command


ALTERED = {
    "empty": lambda _: "",
    "cut": lambda text: text[: len(text) // 2],
    "null": lambda _: "null",
    "a list": lambda _: "[1]",
    "numbers turned to texts": lambda text: re.sub(r": [0-9.]+", ': "x"', text),
    "negative numbers": lambda text: re.sub(r": ([0-9])", r": -\1", text),
    "nested without end": lambda _: "[" * 100_000,
    "an endless number": lambda _: '{"pairs": ' + "9" * 10_000 + "}",
}


@pytest.mark.parametrize("how", ALTERED)
@pytest.mark.parametrize(
    "name",
    [
        "seconds.json",
        "facts/facts.json",
        "facts/properties.json",
        "gazetteer/gazetteer.json",
        "shards/000000/counts.json",
        "aligned/000000.json",
    ],
)
def test_what_lies_between_is_made_again_where_it_was_altered(stopped, name, how):
    out, command = stopped
    path = out / "work" / name
    path.write_text(ALTERED[how](path.read_text()))
    assert run(command) == 0
    assert json.loads((out / "manifest.json").read_text())["counts"]["alignment"]["statements"] == 1


@pytest.mark.parametrize("how", [how for how in ALTERED if not how.startswith(("numbers", "negative"))])
def test_an_altered_account_of_what_was_asked_for_is_one_line(stopped, capsys, how):
    out, command = stopped
    path = out / "work" / "asked.json"
    path.write_text(ALTERED[how](path.read_text()))
    assert run(command) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("protorel: ")


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_manifest_is_one_line(stopped, capsys, how):
    out, command = stopped
    assert run(command) == 0
    path = out / "manifest.json"
    path.write_text(ALTERED[how](path.read_text()))
    assert run(command) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("protorel: ")
    assert "out" in last
    assert len(last) < 600


@pytest.mark.parametrize("name", ["shards/000000/mentions.parquet", "facts/facts.parquet"])
def test_a_damaged_table_between_says_what_to_remove(stopped, capsys, name):
    out, command = stopped
    path = out / "work" / name
    path.write_bytes(path.read_bytes()[:100])
    (out / "work" / "aligned" / "000000.json").unlink()
    assert run(command) == 1
    assert "Remove that folder and start again" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given", ["-1GB", "1", "GB", "1 XB", "", "nan GB", "1e9GB", "0GB", "1MB", "9999999999TB", "10%"]
)
def test_a_bound_of_memory_that_makes_no_sense_is_refused(given):
    with pytest.raises(BadInput, match="memory: expected") as caught:
        memory_bound(given)
    assert "\n" not in str(caught.value)


def test_a_bound_of_memory_is_given_on_as_duckdb_reads_it():
    assert [memory_bound(given) for given in ("2GB", " 1.5 gb", "512MiB")] == ["2GB", "1.5GB", "512MiB"]
    duckdb = pytest.importorskip("duckdb")
    for given in ("2GB", "1.5GB", "512MiB", "64MB"):
        duckdb.connect(config={"memory_limit": given}).close()
