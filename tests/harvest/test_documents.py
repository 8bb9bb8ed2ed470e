from __future__ import annotations

import bz2
import json
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora.small_world import SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.sources import documents
from protorel.harvest.sources.compressed import CUT_SHORT
from protorel.harvest.sources.text import open_documents
from protorel.harvest.sources.wikipedia import (
    CUT,
    CUT_CHARACTERS,
    REDIRECT,
    TOO_DEEP,
    UNCLOSED,
    Redirects,
    collect_redirects,
)
from protorel.harvest.types import Document, Link, Tally
from protorel.harvest.wikitext.repair import MAX_DEPTH
from protorel.statements import BadInput

SPACES = '<namespaces><namespace key="0" /><namespace key="6">File</namespace></namespaces>'
SITE = f"<siteinfo><sitename>{{}}</sitename>{SPACES}</siteinfo>"


def assert_one_line(problem: BadInput) -> None:
    assert "\n" not in str(problem)


def page(
    title: str, text: str | None, *, namespace: int = 0, redirect: str | None = None, model: str = "wikitext"
) -> str:
    leads = f"<redirect title={quoteattr(redirect)} />" if redirect else ""
    content = "<text />" if text is None else f"<text xml:space='preserve'>{escape(text)}</text>"
    revision = f"<revision><id>77</id><model>{model}</model>{content}</revision>"
    return f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>5</id>{leads}{revision}</page>\n"


def xml(*pages: str, site: str = "Wikipedia") -> bytes:
    return f"<mediawiki xml:lang='en'>\n{SITE.format(site)}{''.join(pages)}</mediawiki>\n".encode()


def read(folder: Path, content: bytes, name: str = "text") -> tuple[list[Document], Tally]:
    (folder / name).write_bytes(content)
    tally = Tally()
    return list(open_documents(folder / name, tally)), tally


PAGES = (
    page("Ada Kroll", "'''Ada''' of [[Lunsk town]] and [[mere (river)|Mere]]."),
    page("Lunsk town", None, redirect="Old Lunsk"),
    page("Old Lunsk", "x", redirect="Lunsk"),
    page("Circle", "x", redirect="Round"),
    page("Round", "x", redirect="Circle"),
    page("File:A.jpg", "x", namespace=6),
    page("Empty", ""),
    page("Boxes", "{{only}} {{templates}}"),
    page("Data", "{}", model="json"),
)


@pytest.mark.parametrize("compress", [bytes, lambda content: bz2.compress(content[:900]) + bz2.compress(content[900:])])
def test_articles_come_with_links_and_redirects_resolved_and_all_pages_are_counted(tmp_path, compress):
    found, tally = read(tmp_path, compress(xml(*PAGES)))
    links = (Link(7, 12 + 5, "Lunsk"), Link(22, 26, "Mere (river)"))
    assert found == [Document("5", "Ada Kroll", "77", "Ada of Lunsk town and Mere.", links)]
    assert tally.left_out == {REDIRECT: 4, "page of another namespace": 1}
    assert tally.rejected == {
        "has no text": 1, "has no prose": 1, "expected the content model wikitext, got json": 1,
    }  # fmt: skip
    assert (tally.rows, tally.taken, tally.noticed) == (9, 1, {})


def test_redirects_are_followed_to_the_end_and_circles_are_no_trap(tmp_path):
    (tmp_path / "dump.xml").write_bytes(xml(*PAGES))
    assert collect_redirects([tmp_path / "dump.xml"], tmp_path / "redirects.sqlite") == 4
    redirects = Redirects(tmp_path / "redirects.sqlite")
    titles = ("Lunsk town", "Old Lunsk", "Lunsk", "Circle")
    assert [redirects.resolve(title) for title in titles] == ["Lunsk", "Lunsk", "Lunsk", "Circle"]
    redirects.close()
    assert Redirects().resolve("Lunsk town") == "Lunsk town"


def test_a_dump_in_parts_shares_its_redirects(tmp_path):
    (tmp_path / "1.xml").write_bytes(xml(*PAGES[:1]))
    (tmp_path / "2.xml").write_bytes(xml(*PAGES[1:3]))
    [found] = open_documents(tmp_path)
    assert found.links[0].target == "Lunsk"


def test_markup_that_is_nested_too_deeply_is_counted(tmp_path):
    deep = "<div>" * (MAX_DEPTH + 1) + "Ada" + "</div>" * (MAX_DEPTH + 1)
    _, tally = read(tmp_path, xml(page("Deep", f"{deep} Tarn left.")))
    assert tally.noticed == {TOO_DEEP: 1}


def test_of_several_revisions_the_last_is_read(tmp_path):
    two = page("Lunsk", "Old.").replace("</revision>", "</revision><revision><id>78</id><text>New.</text></revision>")
    (found,), _ = read(tmp_path, xml(two))
    assert (found.revision, found.text) == ("78", "New.")


def test_bad_markup_and_huge_pages_are_counted_and_the_next_page_is_read(tmp_path):
    huge = "Ada left.\n\n" * 500_000
    found, tally = read(
        tmp_path, xml(page("Deep", "{{a|" * 20_000 + "Ada left."), page("Huge", huge), page("Next", "Tarn stayed."))
    )
    assert [document.title for document in found] == ["Deep", "Huge", "Next"]
    assert tally.noticed == {UNCLOSED: 20_000, CUT: 1, CUT_CHARACTERS: len(huge) - len(found[1].text)}
    assert found[1].text.endswith("Ada left.")


def test_a_dump_cut_short_gives_the_pages_before_the_cut(tmp_path):
    content = xml(*(page(f"Page {number}", "Ada left.") for number in range(300)))
    found, tally = read(tmp_path, content[: len(content) // 2])
    assert 100 < len(found) < 160
    assert tally.noticed == {CUT_SHORT: 1}


@settings(max_examples=40)
@given(st.integers(0, 2000), st.binary(max_size=20))
def test_a_dump_damaged_anywhere_never_ends_in_an_error_of_ours(place, damage):
    content = xml(*PAGES)
    with tempfile.TemporaryDirectory() as folder:
        try:
            _, tally = read(Path(folder), content[:place] + damage)
        except BadInput as problem:
            assert_one_line(problem)
        else:
            assert tally.rows == tally.taken + tally.left_out.total() + tally.rejected.total()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html><body>no</body></html>", "expected XML that begins with <mediawiki>, got <html>"),
        (xml(*PAGES, site="Wikidata"), "got a dump of Wikidata"),
        (b"", "no document could be read; first reason: text: file: is empty"),
        (b"\x00\x01", "expected text, JSON lines, Parquet or XML, got other binary data"),
        (b'{"id": "d1"}', "no document could be read; first reason: text, line 1: text: .*null"),
    ],
)
def test_what_holds_no_documents_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(BadInput, match=message) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_lines_of_json_are_documents_with_links_in_either_form(tmp_path):
    rows = [
        {"id": "d1", "title": "Lunsk", "text": "Lunsk is old.", "links": [{"start": 0, "stop": 5, "target": "Lunsk"}]},
        {"id": 7, "text": "Mere", "links": [[0, 4, "Mere"]], "revision": 3, "other": 1},
        {"text": "Oster"},
    ]
    bad = [
        {"text": " "},
        {"text": "a", "links": [[0, 2, "A"]]},
        {"text": "a", "links": [[0, 1]]},
        {"text": "a", "links": 3},
        {"text": "a", "id": True},
        {"text": "a", "id": 10**30},
        3,
    ]
    content = "\n".join(json.dumps(row) for row in rows + bad).encode() + b"\n\xff\n"
    found, tally = read(tmp_path, content)
    assert found == [
        Document("d1", "Lunsk", None, "Lunsk is old.", (Link(0, 5, "Lunsk"),)),
        Document("7", None, "3", "Mere", (Link(0, 4, "Mere"),)),
        Document("text:3", None, None, "Oster"),
    ]
    assert (tally.rows, tally.rejected.total()) == (11, 8)
    assert "expected a range within the text of 1 characters, got [0, 2)" in str(tally.examples["no document"][1])


def test_a_line_of_json_with_too_long_a_text_is_rejected_with_its_length(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 20)
    found, tally = read(tmp_path, b'{"text": "Ada left."}\n' + json.dumps({"text": "x" * 21}).encode())
    assert [document.text for document in found] == ["Ada left."]
    assert "expected at most 20 characters, got 21" in str(tally.examples["no document"][0])


def test_parquet_rows_are_documents(tmp_path):
    links = [[{"start": 0, "stop": 3, "target": "Ada"}], None]
    pq.write_table(pa.table({"text": ["Ada left.", "x"], "id": ["a", None], "links": links}), tmp_path / "docs.parquet")
    assert list(open_documents(tmp_path / "docs.parquet")) == [
        Document("a", None, None, "Ada left.", (Link(0, 3, "Ada"),)),
        Document("docs:2", None, None, "x"),
    ]
    pq.write_table(pa.table({"words": ["x"]}), tmp_path / "docs.parquet")
    with pytest.raises(BadInput, match="expected a column text, got the columns words"):
        list(open_documents(tmp_path / "docs.parquet"))


def test_a_folder_of_plain_files_is_read_in_order_and_bad_bytes_are_replaced_and_counted(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.txt").write_bytes(b"\xef\xbb\xbfAda \xffleft\xc3")
    (tmp_path / "a.txt").write_bytes("Über Lunsk \N{REPLACEMENT CHARACTER}\r\n".encode())
    (tmp_path / ".hidden").write_bytes(b"no")
    tally = Tally()
    found = list(open_documents(tmp_path, tally))
    assert [(document.id, document.text) for document in found] == [
        ("a.txt", "Über Lunsk \ufffd\r\n"),
        ("b/c.txt", "Ada \ufffdleft\ufffd"),
    ]
    assert tally.noticed == {documents.NOT_UTF8: 2}


def test_a_very_long_plain_file_is_cut_where_a_line_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MAX_PART", 20)
    content = "Ada left.\nTarn stayed.\nNobody else was there.\n" + "x" * 25
    found, tally = read(tmp_path, content.encode())
    assert "".join(document.text for document in found) == content
    assert [document.id for document in found[:2]] == ["text", "text#2"]
    assert tally.noticed == {documents.TOO_LONG: 1}
    assert all(len(document.text) <= 20 for document in found)


def test_the_text_of_the_small_world_reads_back(tmp_path):
    world = build_small_world(SmallWorldSettings(statements_per_relation=20, held_out_per_relation=10))
    write_raw(world, tmp_path)
    found = list(open_documents(tmp_path / "documents.jsonl"))
    assert [(one.id, one.text) for one in found] == [(one.id, one.text) for one in world.documents]


def test_the_real_fragment_gives_the_counts_we_know(real_data):
    tally = Tally()
    path = real_data / "wikipedia" / "enwiki-pages-articles1-shortened.xml.bz2"
    found = list(open_documents(path, tally))
    assert (len(found), tally.rows, tally.left_out[REDIRECT], tally.rejected.total()) == (106, 206, 99, 0)
    for document in found:
        assert all(document.text[link.start : link.stop].strip() for link in document.links)
    assert 20_000 < sum(len(document.links) for document in found) < 23_000
    assert 20_000 < sum(len(split_sentences(document.text)) for document in found) < 23_000
