"""The whole harvest: right where the truth is known, the same bytes however it was interrupted, one line for errors."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.engines.duckdb_engine import DuckDBEngine
from protorel.harvest.run import harvest_statements
from protorel.harvest.settings import HarvestSettings, HarvestSources
from protorel.statements import BadInput, Interrupted, WorkFailed, read_statements

SETTINGS = HarvestSettings(documents_per_shard=5)

# The command line, whose process is killed when two shards are done.
KILLED = """
import os, signal, sys
from protorel.cli import run
from protorel.harvest.engines import duckdb_engine

def killed(tasks, *, workers, found=duckdb_engine.do_in_processes):
    for number, shard in enumerate(found(tasks, workers=workers)):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        yield shard

duckdb_engine.do_in_processes = killed
run(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=2))


@pytest.fixture(scope="module")
def raw(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    write_raw(world, folder)
    return folder


@pytest.fixture(scope="module")
def sources(raw):
    return HarvestSources((raw / "facts.tsv",), (raw / "documents.jsonl",), (raw / "aliases.tsv",))


@pytest.fixture(scope="module")
def whole(sources, tmp_path_factory):
    """A harvest that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole") / "out"
    manifest = harvest_statements(sources, out, engine=DuckDBEngine(), settings=SETTINGS)
    return out, manifest


def files_of(out):
    return {file.relative_to(out): file.read_bytes() for file in sorted((out / "statements").iterdir())}


def timeless(out):
    manifest = json.loads((out / "manifest.json").read_text())
    return {name: value for name, value in manifest.items() if name not in ("seconds", "machine")}


def ends_of(statement):
    """Both mentions of a statement: place, entity and type."""
    head = (statement.head, statement.head_id, statement.head_type)
    return head, (statement.tail, statement.tail_id, statement.tail_type)


def test_where_the_truth_is_known_every_mention_and_every_statement_is_right(whole, world):
    out, _ = whole
    found = list(read_statements(out / "statements"))
    assert {(one.document, one.text, *ends_of(one), one.relation) for one in found} == {
        (one.document, one.text, *ends_of(one), one.relation) for one in world.train
    }
    assert {(one.document, one.text, end) for one in found for end in ends_of(one)} == {
        (one.document, one.text, end) for one in world.train for end in ends_of(one)
    }
    assert len(found) == len(world.train)


def test_the_manifest_accounts_for_every_document_and_row(whole, world, sources):
    _, manifest = whole
    counts = manifest["counts"]
    assert counts["text"]["taken"] == len(world.documents) == counts["mentions"]["documents"]
    assert counts["facts"]["facts"] == len(world.facts)
    assert counts["alignment"]["statements"] == len(world.train) == sum(manifest["relations"].values())
    assert manifest["sources"] == sources.described()
    assert manifest["parameters"]["documents_per_shard"] == 5
    assert set(manifest["seconds"]) == {"facts", "names", "mentions", "alignment"}
    assert counts["shards"] == {"all": -(-len(world.documents) // 5), "lost": []}


class Stopped(DuckDBEngine):
    """An engine that is stopped after so many shards, or when the rows are aligned."""

    def __init__(self, after):
        super().__init__()
        object.__setattr__(self, "memory", "1GB")
        type(self).after = after

    def find(self, tasks):
        for done, shard in enumerate(super().find(tasks)):
            if done == self.after:
                raise KeyboardInterrupt
            yield shard

    def align(self, shards, facts, *, work, out, rule):
        counts = super().align(shards, facts, work=work, out=out, rule=rule)
        if self.after == "aligned":
            raise KeyboardInterrupt
        return counts


@pytest.mark.parametrize("after", [0, 2, "aligned"])
def test_a_harvest_that_was_stopped_goes_on_and_ends_with_the_same_bytes(whole, sources, tmp_path, after):
    out = tmp_path / "out"
    with pytest.raises(Interrupted, match="the same command resumes it"):
        harvest_statements(sources, out, engine=Stopped(after), settings=SETTINGS)
    kept = {path: path.stat().st_mtime_ns for path in sorted((out / "work" / "shards").glob("*/counts.json"))}
    harvest_statements(sources, out, engine=DuckDBEngine(), settings=SETTINGS)
    assert kept
    assert files_of(out) == files_of(whole[0])
    assert timeless(out) == timeless(whole[0])
    assert not (out / "work").exists()


def test_shards_that_are_done_are_not_done_again(sources, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(Interrupted):
        harvest_statements(sources, out, engine=Stopped(2), settings=SETTINGS)
    done = []

    class Watched(DuckDBEngine):
        def find(self, tasks):
            return super().find(task for task in tasks if done.append(task.number) is None)

    harvest_statements(sources, out, engine=Watched(), settings=SETTINGS)
    assert done[0] == 3


def test_a_killed_command_loses_no_finished_shard(whole, raw, tmp_path):
    out = tmp_path / "out"
    given = ["--facts", raw / "facts.tsv", "--aliases", raw / "aliases.tsv", "--text", raw / "documents.jsonl"]
    command = ["harvest", *map(str, given), "--out", str(out), "--shard", "5"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *command, "--workers", "1"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert {path.name for path in (out / "work" / "shards").iterdir()} >= {"000000", "000001"}
    assert run([*command, "--workers", "2"]) == 0
    assert files_of(out) == files_of(whole[0])
    assert timeless(out) == timeless(whole[0])


def test_a_lost_shard_is_named_the_rest_is_written_and_the_next_try_completes_it(whole, sources, tmp_path):
    out = tmp_path / "out"

    class Losing(DuckDBEngine):
        def find(self, tasks):
            for task in tasks:
                if task.number == 1:
                    yield task.shard
                else:
                    yield from super().find([task])

    with pytest.raises(WorkFailed, match="shard 1 are missing"):
        harvest_statements(sources, out, engine=Losing(), settings=SETTINGS)
    assert json.loads((out / "manifest.json").read_text())["counts"]["shards"]["lost"] == [1]
    assert 0 < len(read_statements(out / "statements")) < len(read_statements(whole[0] / "statements"))
    harvest_statements(sources, out, engine=DuckDBEngine(), settings=SETTINGS)
    assert files_of(out) == files_of(whole[0])


def test_a_finished_harvest_is_not_made_again_and_another_does_not_go_over_it(whole, sources):
    out, manifest = whole
    before = (out / "manifest.json").stat().st_mtime_ns
    assert harvest_statements(sources, out, engine=DuckDBEngine(), settings=SETTINGS) == manifest
    assert (out / "manifest.json").stat().st_mtime_ns == before
    with pytest.raises(BadInput, match="other sources or settings"):
        harvest_statements(sources, out, engine=DuckDBEngine(), settings=replace(SETTINGS, documents_per_shard=6))


def test_pages_of_wikipedia_are_read_where_the_shards_are_worked_on(raw, tmp_path):
    dump = (
        "<mediawiki><siteinfo><sitename>Wikipedia</sitename><namespaces><namespace key='0' case='first-letter' />"
        "</namespaces></siteinfo>{}</mediawiki>"
    )
    page = (
        "<page><title>{}</title><ns>0</ns><id>{}</id>{}<revision><id>9</id><model>wikitext</model>"
        "<text>{}</text></revision></page>"
    )
    pages = [
        page.format("Ada Kroll", 1, "", "'''Kroll''' was born in [[Old Lunsk]]. Later Ada Kroll left."),
        page.format("Old Lunsk", 2, "<redirect title='Lunsk' />", "#REDIRECT [[Lunsk]]"),
    ]
    (tmp_path / "pages.xml").write_text(dump.format("".join(pages)))
    (tmp_path / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    names = [
        {"id": "E1", "label": "Ada Kroll", "aliases": ["Kroll"], "title": "Ada Kroll", "kinds": ["person"]},
        {"id": "E2", "label": "Lunsk", "title": "Lunsk"},
    ]
    (tmp_path / "names.jsonl").write_text("".join(json.dumps(name) + "\n" for name in names))
    paths = [(tmp_path / name,) for name in ("facts.tsv", "pages.xml", "names.jsonl")]
    manifest = harvest_statements(HarvestSources(*paths), tmp_path / "out", engine=DuckDBEngine())
    (statement,) = read_statements(tmp_path / "out" / "statements")
    assert (statement.head_text, statement.tail_text, statement.document) == ("Kroll", "Old Lunsk", "1@9")
    assert (statement.head_type, statement.tail_type) == ("person", None)
    assert manifest["counts"]["text"]["left_out"] == {"redirect": 1}
    assert manifest["counts"]["mentions"]["mentions by link"] == 1


BAD = {
    "a dump that is not a dump": ("facts.json", b'{"entities": "none"', "--facts"),
    "an empty facts file": ("facts.tsv", b"", "--facts"),
    "text that is no text": ("text.bin", b"\0\1\2", "--text"),
    "an empty text": ("text.txt", b"", "--text"),
    "a folder that is not there": (None, b"", "--text"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_exit_code_2(case, raw, tmp_path, capsys):
    name, content, option = BAD[case]
    bad = tmp_path / (name or "missing")
    if name:
        bad.write_bytes(content)
    given = {"--facts": raw / "facts.tsv", "--text": raw / "documents.jsonl", "--aliases": raw / "aliases.tsv"}
    given |= {option: bad, "--out": tmp_path / "out"}
    assert run(["harvest", "--workers", "1", *(str(part) for pair in given.items() for part in pair)]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("protorel: ")
    assert bad.name in last


def test_text_that_names_nothing_says_how_far_it_came(raw, tmp_path, capsys):
    (tmp_path / "text.txt").write_text("Nothing is named here. Nor here.")
    given = {"--facts": raw / "facts.tsv", "--text": tmp_path / "text.txt", "--aliases": raw / "aliases.tsv"}
    options = [str(part) for pair in (given | {"--out": tmp_path / "out"}).items() for part in pair]
    assert run(["harvest", "--workers", "1", *options]) == 2
    assert "2 sentences, 0 of them with two entities" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--master", "local[2]"], "--engine spark"),
        (["--most", "0"], "Invalid value for '--most'"),
        (["--no-relation", "2"], "Invalid value for '--no-relation'"),
        (["--shard", "0"], "Invalid value for '--shard'"),
        (["--ner", "no_such_pipeline"], "expected an installed spaCy pipeline"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, wanted, raw, tmp_path, capsys):
    given = ["--facts", raw / "facts.tsv", "--text", raw / "documents.jsonl", "--aliases", raw / "aliases.tsv"]
    assert run(["harvest", *map(str, given), "--out", str(tmp_path / "out"), "--workers", "1", *options]) == 2
    assert wanted in capsys.readouterr().err


def test_invalid_bytes_and_rejected_lines_are_counted_and_the_rest_goes_on(world, raw, tmp_path):
    text = tmp_path / "documents.jsonl"
    shutil.copy(raw / "documents.jsonl", text)
    with text.open("ab") as stream:
        stream.write(b'{"id": "bad", "text": "\xff\xfe"}\n{"id": "worse"}\n')
    given = HarvestSources((raw / "facts.tsv",), (text,), (raw / "aliases.tsv",))
    manifest = harvest_statements(given, tmp_path / "out", engine=DuckDBEngine())
    assert sum(manifest["counts"]["text"]["rejected"].values()) == 2
    assert manifest["counts"]["alignment"]["statements"] == len(world.train)
    assert len((tmp_path / "out" / "text.rejects.jsonl").read_text().splitlines()) == 2
