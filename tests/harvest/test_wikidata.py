from __future__ import annotations

import bz2
import gzip
import json
import tempfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from protorel.harvest.sources.compressed import CUT_SHORT
from protorel.harvest.sources.wikidata import read_wikidata
from protorel.harvest.types import MAX_EXAMPLES, Entity, Fact, Property, Tally
from protorel.statements import BadInput


def assert_one_line(problem: BadInput) -> None:
    assert "\n" not in str(problem)


def statement(value: object, *, rank: str = "normal", kind: str = "wikibase-entityid", snak: str = "value") -> dict:
    return {"mainsnak": {"snaktype": snak, "datavalue": {"type": kind, "value": value}}, "rank": rank}


def item(id: str, *statements: tuple[str, dict], **terms: object) -> dict:
    claims: dict[str, list] = {}
    for relation, one in statements:
        claims.setdefault(relation, []).append(one)
    return {"type": "item", "id": id, "claims": claims, **terms}


ADA = item(
    "Q1",
    ("P19", statement({"entity-type": "item", "id": "Q2", "numeric-id": 2})),
    ("P31", statement({"entity-type": "item", "numeric-id": 5})),
    labels={"en": {"value": "Ada Kroll"}, "de": {"value": "Ada  Krolle"}},
    aliases={"en": [{"value": "A. Kroll"}, {"value": "A. Kroll"}], "mul": [{"value": "Ada K."}]},
    sitelinks={"enwiki": {"title": "Ada Kroll (poet)"}},
)
LUNSK = item("Q2", labels={"mul": {"value": "Lunsk"}})
BORN_IN = {
    "type": "property",
    "id": "P19",
    "labels": {"en": {"value": "place of birth"}},
    "descriptions": {"en": {"value": "where somebody was born"}},
    "claims": {"P31": [statement({"entity-type": "item", "numeric-id": 7})]},
}
ALL = [
    Entity("Q1", "Ada Kroll", ("A. Kroll", "Ada K."), "Ada Kroll (poet)", ("Q5",)),
    Fact("Q1", "P19", "Q2"),
    Fact("Q1", "P31", "Q5"),
    Entity("Q2", "Lunsk"),
    Property("P19", "place of birth", "where somebody was born"),
]


def dump(*entities: dict, array: bool = True) -> bytes:
    lines = [json.dumps(entity).encode() for entity in entities]
    return b"[\n" + b",\n".join(lines) + b"\n]\n" if array else b"\n".join(lines)


def read(folder: Path, content: bytes, *, language: str = "en") -> tuple[list, Tally]:
    path, tally = folder / "dump.json", Tally()
    path.write_bytes(content)
    return list(read_wikidata(path, tally, language=language)), tally


def in_two_streams(compress, content: bytes) -> bytes:
    half = len(content) // 2
    return compress(content[:half]) + compress(content[half:])


@pytest.mark.parametrize("array", [True, False])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_a_dump_reads_the_same_in_every_form_and_compression(tmp_path, array, compress):
    records, tally = read(tmp_path, in_two_streams(compress, dump(ADA, LUNSK, BORN_IN, array=array)))
    assert records == ALL
    assert (tally.rows, tally.taken, tally.noticed) == (3, 3, {})


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([ADA, LUNSK, BORN_IN]).encode(),
        json.dumps([ADA, LUNSK, BORN_IN], indent=2).encode(),
        json.dumps({"entities": {"Q1": ADA, "Q2": LUNSK, "P19": BORN_IN}}, indent=1).encode(),
    ],
)
def test_small_files_of_other_layouts_are_read_whole(tmp_path, content):
    assert read(tmp_path, content)[0] == ALL


def test_the_language_is_a_choice_and_what_has_no_name_in_it_is_counted(tmp_path):
    records, tally = read(tmp_path, dump(ADA, LUNSK, BORN_IN), language="de")
    assert records[0] == Entity("Q1", "Ada Krolle", ("Ada K.",), None, ("Q5",))
    assert tally.noticed == {"property without a label in 'de'": 1}


def test_the_title_is_that_of_the_wiki_of_the_language(tmp_path):
    lunsk = item("Q2", sitelinks={"zh_yuewiki": {"title": "Lunsk"}, "zhwiki": {"title": "No"}})
    assert read(tmp_path, dump(lunsk), language="zh-yue")[0] == [Entity("Q2", title="Lunsk")]


def test_only_items_are_values_and_deprecated_statements_are_left_out(tmp_path):
    ada = item(
        "Q1",
        ("P1", statement({"id": "Q9"}, rank="preferred")),
        ("P1", statement({"id": "Q8"}, rank="deprecated")),
        ("P1", statement(None, snak="somevalue")),
        ("P1", statement("Lunsk", kind="string")),
        ("P1", statement({"entity-type": "property", "numeric-id": 3})),
        ("P1", statement({"id": "L3"})),
        ("P1", statement({"entity-type": "item"})),
        ("P1", {"rank": "normal"}),
        ("nonsense", statement({"id": "Q7"})),
    )
    records, tally = read(tmp_path, dump(ada))
    assert records[1:] == [Fact("Q1", "P1", "Q9")]
    assert tally.noticed == {
        "item without a label in 'en'": 1,
        "statement of deprecated rank": 1,
        "statement of an unknown or absent value": 1,
        "statement whose value is no entity": 1,
        "statement whose value is an entity but no item": 2,
        "statement that cannot be read": 3,
    }


def test_an_empty_list_stands_for_an_empty_object(tmp_path):
    records, tally = read(tmp_path, dump({"type": "item", "id": "Q8", "labels": [], "claims": [], "aliases": []}))
    assert records == [Entity("Q8")]
    assert not tally.rejected


def test_what_is_no_entity_is_rejected_and_the_rest_goes_on(tmp_path):
    bad = [b"{", b"3", b'{"type": "item"}', b'{"type": "item", "id": "Q1", "claims": 3}', b'{"type": 3}', b"\xff"]
    lexeme = b'{"type": "lexeme", "id": "L1"}'
    records, tally = read(tmp_path, b"\n".join([json.dumps(LUNSK).encode(), *bad, lexeme, json.dumps(LUNSK).encode()]))
    assert records == [Entity("Q2", "Lunsk")] * 2
    assert tally.rejected == {"line is not JSON": 2, "no entity": 4}
    assert tally.left_out == {"type lexeme": 1}
    assert tally.rows == 9
    assert [reject.line for reject in tally.examples["line is not JSON"]] == [2, 7]


def bz2_of_small_blocks(content: bytes) -> bytes:
    return bz2.compress(content, compresslevel=1)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2_of_small_blocks])
def test_a_tail_that_is_cut_off_is_counted_and_what_comes_before_it_is_read(tmp_path, compress):
    # Not all alike, so that a compressed half holds about half of the lines.
    many = [item(f"Q{number * 7919 % 10007}", labels={"en": {"value": f"{number:x}"}}) for number in range(1, 2000)]
    whole = compress(dump(*many))
    records, tally = read(tmp_path, whole[: len(whole) * 9 // 10])
    assert 0 < len(records) < len(many)
    assert records == [Entity(one["id"], one["labels"]["en"]["value"]) for one in many[: len(records)]]
    assert tally.noticed[CUT_SHORT] == 1


@given(st.data())
def test_a_dump_cut_anywhere_gives_a_beginning_of_its_records_and_never_an_error_of_ours(data):
    content = dump(ADA, LUNSK, BORN_IN)
    cut = data.draw(st.integers(min_value=3, max_value=len(content)))
    with tempfile.TemporaryDirectory() as folder:
        try:
            records, tally = read(Path(folder), content[:cut])
        except BadInput as problem:
            assert_one_line(problem)
            return
    assert records == ALL[: len(records)]
    assert cut > len(content) - 3 or tally.noticed[CUT_SHORT] == 1


@given(
    st.binary(max_size=300)
    | st.recursive(st.none() | st.text(max_size=5), lambda x: st.lists(x, max_size=3)).map(
        lambda value: json.dumps({"type": "item", "id": "Q1", "claims": value, "labels": value}).encode()
    )
)
def test_any_bytes_are_read_rejected_or_refused_in_one_line(content):
    with tempfile.TemporaryDirectory() as folder:
        try:
            _, tally = read(Path(folder), content)
        except BadInput as problem:
            assert_one_line(problem)
        else:
            assert tally.rows == tally.taken + tally.left_out.total() + tally.rejected.total()


def test_a_tally_stays_small_however_bad_the_file_is(tmp_path):
    _, tally = read(tmp_path, b"\n".join([b"{}"] * 1000))
    assert tally.rejected == {"no entity": 1000}
    assert len(tally.examples["no entity"]) == MAX_EXAMPLES


@pytest.mark.parametrize(
    ("name", "items", "properties", "facts", "cut"),
    [
        ("Q22.json", 1, 0, 33, 0),
        ("wd_Q42.json", 1, 0, 46, 0),
        ("wd_P279.json", 0, 1, 0, 0),
        ("wikidata_dump_sample.maxlath-entities.ndjson", 49, 0, 1958, 1),
        ("wdtk/sample-dump-20150815.json", 55, 46, 119, 0),
        ("wdtk/mock-dump-with-bugs.json", 55, 46, 119, 0),
    ],
)
def test_real_dumps_give_the_counts_we_know(real_data, name, items, properties, facts, cut):
    tally = Tally()
    records = list(read_wikidata(real_data / "wikidata" / name, tally))
    counts = [sum(isinstance(record, kind) for record in records) for kind in (Entity, Property, Fact)]
    assert counts == [items, properties, facts]
    assert (tally.rejected.total(), tally.noticed[CUT_SHORT]) == (0, cut)
