"""Hostile and very long text: memory is bounded, whatever was cut is counted, and a folder is one harvest's alone."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from protorel.cli import run
from protorel.harvest.facts_folder import LONG_ID, LONG_NAME, gather_facts
from protorel.harvest.settings import HarvestSettings
from protorel.harvest.sources import compressed, documents, tables
from protorel.harvest.sources.compressed import UNPACKS_TO_TOO_MUCH
from protorel.harvest.sources.documents import document_of
from protorel.harvest.sources.files import SKIPPED_BYTES, text_lines
from protorel.harvest.sources.text import RawPage, open_documents, portions, raw_documents
from protorel.harvest.sources.wikipedia import CUT, CUT_CHARACTERS
from protorel.harvest.sources.xml_pages import MALFORMED, Page, xml_pages
from protorel.harvest.types import MAX_REASONS, Document, Link, Tally
from protorel.harvest.wikitext.plain_text import MAX_WIKITEXT, plain_text
from protorel.statements import BadInput, StatementError

SITE = "<mediawiki><siteinfo><sitename>Wikipedia</sitename></siteinfo>"
PAGE = "<page><title>{}</title><ns>0</ns><id>1</id><revision><id>1</id><text>{}</text></revision></page>"
PACKED = {"gzip": gzip.compress, "bzip2": bz2.compress, "Zstandard": zstandard.ZstdCompressor().compress}
# The peak of this process alone: that of `getrusage` may be what its parent had when it was forked.
WATCHED = """
import re, sys
from pathlib import Path
from protorel.cli import run
code = run(sys.argv[1:])
print(int(re.search(r"VmHWM:\\s+([0-9]+) kB", Path("/proc/self/status").read_text())[1]) // 1000)
sys.exit(code)
"""


def pages_of(path, content):
    path.write_bytes(content)
    tally = Tally()
    return [page for page in xml_pages(path, tally) if isinstance(page, Page)], tally


@pytest.mark.parametrize("packing", PACKED)
def test_what_unpacks_to_more_than_any_text_is_read_up_to_there_and_counted(tmp_path, monkeypatch, packing):
    monkeypatch.setattr(compressed, "ALWAYS_ALLOWED", 1_000_000)
    monkeypatch.setattr(compressed, "MAX_RATIO", 20)
    (tmp_path / "f").write_bytes(PACKED[packing](b"Ada left.\n" * 1_000_000))
    tally = Tally()
    lines = sum(1 for _ in text_lines(tmp_path / "f", tally, longest=100))
    assert 100_000 <= lines < 200_000
    assert tally.noticed == {UNPACKS_TO_TOO_MUCH: 1}


def test_a_plain_file_of_any_size_and_text_that_packs_as_text_does_are_read_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "ALWAYS_ALLOWED", 1_000)
    monkeypatch.setattr(compressed, "MAX_RATIO", 20)
    text = "\n".join(f"{random.Random(number).random()}" for number in range(20_000)).encode()
    for content in (text, bz2.compress(text)):
        (tmp_path / "f").write_bytes(content)
        tally = Tally()
        assert sum(1 for _ in text_lines(tmp_path / "f", tally, longest=100)) == 20_000
        assert not tally.noticed


def test_a_zstandard_frame_that_asks_for_a_larger_window_than_allowed_is_refused_in_one_line(tmp_path):
    settings = zstandard.ZstdCompressionParameters.from_level(1, window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    (tmp_path / "f").write_bytes(packer.compress(b"Ada left.\n" * 10) + packer.flush())
    with pytest.raises(BadInput, match="is a Zstandard file that is damaged before anything could be read"):
        list(open_documents(tmp_path / "f"))


def test_the_bytes_of_a_line_that_is_too_long_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "_LONGEST_LINE", 1_000)
    long = json.dumps({"text": "x" * 5_000_000})
    (tmp_path / "f").write_bytes(bz2.compress(f'{{"text": "Ada left."}}\n{long}\n'.encode()))
    tally = Tally()
    assert [one.text for one in open_documents(tmp_path / "f", tally)] == ["Ada left."]
    assert tally.noticed == {SKIPPED_BYTES: len(long)}
    assert f"expected at most 1000 bytes, got {len(long)}" in str(tally.examples["no document"][0])


def test_of_a_page_that_is_too_long_the_beginning_is_held_and_the_rest_counted(tmp_path):
    long = "Ada left.\n\n" * 1_000_000
    (first, second), tally = pages_of(
        tmp_path / "f", f"{SITE}{PAGE.format('Long', long)}{PAGE.format('Next', 'x')}</mediawiki>".encode()
    )
    assert (len(first.text) + first.excess, first.text) == (len(long), long[: MAX_WIKITEXT + 1])
    assert (second.text, second.excess, tally.noticed) == ("x", 0, {})
    (tmp_path / "f").write_text(f"{SITE}{PAGE.format('Long', long)}</mediawiki>")
    tally = Tally()
    (document,) = open_documents(tmp_path / "f", tally)
    assert tally.noticed == {CUT: 1, CUT_CHARACTERS: len(long) - len(document.text)}


HOSTILE_XML = {
    "an entity is declared": '<!DOCTYPE a [<!ENTITY e "eeee">]>' + SITE + PAGE.format("A", "&e;"),
    "elements are nested without end": SITE + "<page>" + "<a>" * 100_000,
    "elements have ever new names": SITE + "<page>" + "".join(f"<a{number}/>" for number in range(100_000)),
    "attributes have ever new names": SITE + "<page>" + "".join(f"<a b{number}=''/>" for number in range(100_000)),
    "namespaces without end": "<mediawiki><siteinfo><namespaces>"
    + "".join(f"<namespace key='{number}'>a{number}</namespace>" for number in range(2_000)),
    "a title without end": SITE + PAGE.format("x" * 100_000, "x"),
    "a tag without end": SITE + "<page " + "x" * 1_000_000,
    "a comment without end": SITE + "<!-- " + "x" * 1_000_000,
    "an id that is no number": SITE + PAGE.replace("<id>1</id>", "<id>one</id>", 1).format("A", "x") + "</mediawiki>",
    "a page without a title": SITE + "<page><id>1</id></page></mediawiki>",
    "something else than pages": SITE + "<pages></pages></mediawiki>",
}


@pytest.mark.parametrize("case", HOSTILE_XML)
def test_xml_that_no_dump_has_ends_the_file_there_and_is_counted(tmp_path, monkeypatch, case):
    monkeypatch.setattr("protorel.harvest.sources.xml_pages._MAX_TAG", 500_000)
    found, tally = pages_of(tmp_path / "f", HOSTILE_XML[case].encode())
    assert (found, tally.noticed) == ([], {MALFORMED: 1})


def test_pages_before_the_damage_are_given(tmp_path):
    found, tally = pages_of(tmp_path / "f", f"{SITE}{PAGE.format('A', 'x')}<pages/></mediawiki>".encode())
    assert ([page.title for page in found], tally.noticed) == (["A"], {MALFORMED: 1})


def test_a_page_without_a_namespace_number_is_told_by_the_prefix_of_its_title(tmp_path):
    site = SITE.replace("</siteinfo>", "<namespaces><namespace key='6'>File</namespace></namespaces></siteinfo>")
    pages = "".join(PAGE.replace("<ns>0</ns>", "").format(title, "x") for title in ("File:A_b", "CSI: Lunsk", "A_b"))
    found, _ = pages_of(tmp_path / "f", f"{site}{pages}</mediawiki>".encode())
    assert [(page.namespace, page.title) for page in found] == [(6, "A b"), (0, "CSI: Lunsk"), (0, "A b")]


def test_a_shard_is_full_by_documents_or_by_characters_and_links_count():
    def made(length, links=0):
        return Document("d", None, None, "x" * length, (Link(0, 1, "A"),) * links)

    page = RawPage(Page("1", "A", 0, None, None, None, "x" * 100), "f", ())
    given = [made(1)] * 5 + [made(60), made(60), made(500), page, made(1, links=2), made(3)]
    sizes = [len(some) for some in portions(given, most=3, characters=100)]
    assert sizes == [3, 3, 2, 1, 1, 1]


def test_by_default_a_shard_holds_five_million_characters_and_a_larger_one_more():
    assert HarvestSettings().characters_per_shard == 5_000_000
    assert replace(HarvestSettings(), documents_per_shard=50_000).as_json()["characters_per_shard"] == 500_000_000


def test_titles_and_targets_of_documents_are_bounded():
    for given, field in (
        ({"text": "Ada", "id": "x" * 1_001}, "id"),
        ({"text": "Ada", "title": "x" * 1_001}, "title"),
        ({"text": "Ada", "links": [[0, 3, "x" * 1_001]]}, r"links\[0\]"),
    ):
        with pytest.raises(StatementError, match=f"{field}: expected .*at most 1000 characters, got 1001"):
            document_of(given, "d")


def test_ids_and_names_that_are_too_long_are_left_out_and_counted(tmp_path):
    (tmp_path / "facts.tsv").write_text(f"E1\tborn_in\tE2\nE1\tborn_in\t{'x' * 1_001}\n")
    (tmp_path / "names.tsv").write_text(f"E1\tAda\t{'y' * 1_001}\n{'x' * 1_001}\tTarn\n")
    facts = gather_facts([tmp_path / "facts.tsv"], tmp_path / "out", aliases=[tmp_path / "names.tsv"])
    assert (facts.facts, facts.names) == (1, 1)
    assert facts.tally["noticed"] == {LONG_ID: 2, LONG_NAME: 1}


def test_reasons_that_a_file_makes_up_do_not_fill_the_memory():
    tally = Tally()
    for number in range(2 * MAX_REASONS):
        tally.leave(f"type {number}")
    assert (len(tally.left_out), tally.left_out.total()) == (MAX_REASONS + 1, tally.rows)


@pytest.mark.parametrize("unit", [". ", "= ", "{{", "[[a|", "{{a|", "<a ", "&#", "(-", "[http://a "])
def test_a_page_of_a_hundred_kilobytes_of_one_mark_is_read_in_time_by_its_length(unit):
    plain = plain_text(unit * (100_000 // len(unit)) + "Ada left.")
    assert plain.text.endswith("Ada left.") or plain.unclosed or plain.too_deep


def facts_of(folder):
    (folder / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    (folder / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunsk\n")
    return ["--facts", str(folder / "facts.tsv"), "--aliases", str(folder / "names.tsv"), "--workers", "1"]


def test_plain_text_goes_to_the_shards_in_parts_of_bounded_size(tmp_path):
    line = b"Nobody is named in this line, and that is all of it.\n"
    (tmp_path / "text.gz").write_bytes(gzip.compress(line * 250_000, compresslevel=1) + gzip.compress(b"x" * 6_000_000))
    settings = HarvestSettings()
    most, characters = settings.documents_per_shard, settings.characters_per_shard
    given = portions(raw_documents([tmp_path / "text.gz"], Tally()), most=most, characters=characters)
    sizes = [sum(len(document.text) for document in some) for some in given]
    assert sum(sizes) == 250_000 * len(line) + 6_000_000
    assert max(sizes) < characters + documents.MAX_PART
    assert len(sizes) == 4


@pytest.mark.parametrize("kind", ["line", "page"])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from Linux's /proc")
def test_a_line_or_page_of_two_hundred_megabytes_takes_no_more_memory_than_a_short_one(tmp_path, kind):
    good = "Ada Kroll was born in Lunsk."
    start, end = f'{{"text": "{good}"}}\n{{"text": "', '"}\n'
    if kind == "page":
        start, end = f"{SITE}{PAGE.format('A', good)}{PAGE.format('B', '|')}</mediawiki>".split("|")
    peaks = []
    for times in (0, 20):
        packed = bz2.compress(start.encode()) + bz2.compress(b"x" * 10_000_000) * times + bz2.compress(end.encode())
        (tmp_path / "bomb").write_bytes(packed)
        out = tmp_path / f"out{times}"
        command = ["harvest", *facts_of(tmp_path), "--text", str(tmp_path / "bomb"), "--out", str(out)]
        done = subprocess.run([sys.executable, "-c", WATCHED, *command], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.splitlines()[-1]))
        counts = json.loads((out / "manifest.json").read_text())["counts"]
        assert counts["alignment"]["statements"] == 1
    noticed = counts["text"]["noticed"]
    assert noticed.get(SKIPPED_BYTES, 0) + noticed.get(CUT_CHARACTERS, 0) > 190_000_000
    # 200 MB in one piece would be more than that, and a page held as text twice that.
    assert peaks[1] - peaks[0] < 170


DUMPS = {
    "no page": (f"{SITE}</mediawiki>", "no article could be read: 0 pages"),
    "redirects only": (
        SITE + PAGE.replace("<revision>", "<redirect title='B' /><revision>").format("A", "x") + "</mediawiki>",
        "no article could be read: 1 pages (1 left out: redirect)",
    ),
    "cut in page 1": (f"{SITE}{PAGE.format('A', 'x')[:60]}", "0 pages (1 noticed: file cut short)"),
    "a page without text": (
        f"{SITE}{PAGE.format('A', '')}</mediawiki>",
        "0 documents (1 rejected: has no text), 0 sen",
    ),
    "a page without prose": (f"{SITE}{PAGE.format('A', '{{b}}')}</mediawiki>", "1 rejected: has no prose"),
    "no XML behind the root": ("<mediawiki>", "0 pages (1 noticed: file cut short)"),
}


@pytest.mark.parametrize("case", DUMPS)
def test_a_dump_without_an_article_says_what_was_found_in_one_line(tmp_path, capsys, case):
    content, message = DUMPS[case]
    (tmp_path / "dump.xml").write_text(content)
    command = ["harvest", *facts_of(tmp_path), "--text", str(tmp_path / "dump.xml"), "--out", str(tmp_path / "out")]
    assert run(command) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("protorel: ")
    assert message in last


NOTHING = {
    "text without a sentence": ("facts.tsv", "E1\tborn_in\tE2\n", " \n\n ", "no document could be read"),
    "facts of one entity with itself": ("facts.tsv", "E1\tknows\tE1\n", None, "0 of them with a fact"),
    "names that are never sought": ("names.tsv", "E1\ta\nE2\tb\n", None, "0 of them with two entities"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_text_or_facts_that_give_nothing_are_one_line(tmp_path, capsys, case):
    name, content, text, message = NOTHING[case]
    given = facts_of(tmp_path)
    (tmp_path / name).write_text(content)
    (tmp_path / "text.txt").write_text("Ada Kroll was born in Lunsk." if text is None else text)
    assert run(["harvest", *given, "--text", str(tmp_path / "text.txt"), "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err.strip().splitlines()[-1]


def test_a_long_text_that_a_parquet_file_says_many_times_is_held_once(tmp_path):
    text = "Ada was born in Lunsk. " * 50_000
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int32()), pa.array([text]))
    pq.write_table(pa.table({"text": column, "id": [str(n) for n in range(300)]}), tmp_path / "bomb.parquet")
    held, seen = [], []
    tracemalloc.start()
    try:
        for document in open_documents(tmp_path / "bomb.parquet", Tally()):
            held.append(pa.total_allocated_bytes())
            seen.append(document.id)
            assert document.text == text
        _, python = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen == [str(n) for n in range(300)]
    # all rows of a batch would be 100 times, in Arrow's memory or in Python's
    assert max(*held, python) < 20 * len(text)


@pytest.mark.parametrize("most", [0, 2**26])
def test_rows_of_a_parquet_file_are_the_same_one_by_one_and_all_at_once(tmp_path, monkeypatch, most):
    monkeypatch.setattr(tables, "_BYTES_AT_A_TIME", most)
    rows = [{"text": "a", "n": 1, "links": [{"start": 0}]}, {"text": None, "n": None, "links": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    assert list(tables.parquet_rows(tmp_path / "rows.parquet")) == rows


def test_a_group_of_rows_beyond_the_bound_is_refused_in_one_line(tmp_path, monkeypatch):
    pq.write_table(pa.table({"text": ["x" * 1000] * 3}), tmp_path / "wide.parquet", use_dictionary=False)
    monkeypatch.setattr(tables, "MAX_GROUP_BYTES", 2000)
    expected = (
        r"wide\.parquet: row group 0, text: expected at most 2,000 bytes, got [\d,]+\. Write the file with smaller"
    )
    with pytest.raises(BadInput, match=expected):
        list(open_documents(tmp_path / "wide.parquet", Tally()))
