from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora import Reject, read_released_ids
from protorel.corpora import released_ids as released_ids_module
from protorel.corpora.released_ids import cased_pieces
from protorel.corpora.rows import MAX_LINE
from protorel.statements import BadInput, Span, Statement

WORDS = ["Ada", "Kr", "##oll", "was", "born", "in", "Lu", "##nsk", ".", "##,"]
VOCABULARY = ["[PAD]", *(f"[unused{i}]" for i in range(1, 100)), "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def ids_of(pieces: str) -> list[int]:
    names = {"<h>": "[unused1]", "</h>": "[unused2]", "<t>": "[unused3]", "</t>": "[unused4]", "_": "[unused5]"}
    return [VOCABULARY.index(names.get(piece, piece)) for piece in f"[CLS] {pieces} [SEP]".split()]


def line_of(ids: list[int], *, head: int | None = None, tail: int | None = None, relation: str = "P19") -> str:
    places = [ids.index(1) if head is None else head, ids.index(3) if tail is None else tail]
    return "\x01".join(["654", relation, *map(str, places), "\x02".join(map(str, ids))])


GOOD = "<h> Ada Kr ##oll </h> was born in <t> Lu ##nsk </t> ."


def rows_of(folder: Path, *lines: str) -> list[Statement | Reject]:
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    (folder / "made.txt").write_text("\n".join(lines), encoding="utf-8")
    return list(read_released_ids(folder / "made.txt"))


def test_pieces_become_words_and_markers_become_spans(tmp_path):
    [row] = rows_of(tmp_path, line_of(ids_of(GOOD)))
    assert row == Statement(
        "Ada Kroll was born in Lunsk .", Span(0, 9), Span(22, 27), "P19", "made:654", source="released"
    )


@pytest.mark.parametrize(
    ("pieces", "text", "head", "tail"),
    [
        ("<t> _ </t> in <h> _ </h>", "[BLANK] in [BLANK]", "[BLANK]", "[BLANK]"),
        ("<h> _ </h> was [UNK] <t> Lu ##nsk </t>", "[BLANK] was [UNK] Lunsk", "[BLANK]", "Lunsk"),
        ("<t> Ada <h> Kr ##oll </h> </t> .", "Ada Kroll .", "Kroll", "Ada Kroll"),
        ("<t> Ada <h> born </t> in </h> .", "Ada born in .", "born in", "Ada born"),
        ("<h> Ada </h> ##, <t> Lu </t> ##nsk", "Ada, Lunsk", "Ada", "Lu"),
        ("Ada <h> ##oll </h> <t> Lu </t> [PAD] [PAD]", "Adaoll Lu", "oll", "Lu"),
        ("##oll <h> Ada </h> <t> Lu </t>", "oll Ada Lu", "Ada", "Lu"),
    ],
)
def test_spans_slice_to_the_entities_however_the_markers_stand(tmp_path, pieces, text, head, tail):
    [row] = rows_of(tmp_path, line_of(ids_of(pieces)))
    assert (row.text, row.head_text, row.tail_text) == (text, head, tail)


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (line_of([*ids_of(GOOD), 114]), "ids[15]", "expected an id below 114, the size of the vocabulary, got 114"),
        (
            line_of([*ids_of(GOOD), 10**8]),
            "ids[15]",
            "expected an id below 114, the size of the vocabulary, got 100000000",
        ),
        (line_of(ids_of(GOOD)) + "\x02-5", "ids[15]", "expected a whole number, got '-5'"),
        (line_of(ids_of(GOOD)) + "\x02", "ids[15]", "expected a whole number, got ''"),
        (line_of(ids_of(GOOD)) + "\x02" + "9" * 5000, "ids[15]", "expected a whole number"),
        (line_of(ids_of(GOOD)) + "\x02٣", "ids[15]", "expected a whole number, got '٣'"),
        (line_of(ids_of(GOOD), head=2), "head", "expected the place of [unused1], 1, got 2"),
        (line_of(ids_of(GOOD), tail=99), "tail", "expected the place of [unused3], 9, got 99"),
        (line_of(ids_of("<h> Ada </h> Lu"), tail=3), "tail", "expected [unused3] once, got it 0 times"),
        (line_of(ids_of(GOOD + " </h>")), "head", "expected [unused2] once, got it 2 times"),
        (
            line_of(ids_of("</h> Ada <h> <t> Lu </t>")),
            "head",
            "expected a name between [unused1] and [unused2], got nothing",
        ),
        (
            line_of(ids_of("<t> <h> </t> Lu </h>")),
            "tail",
            "expected a name between [unused3] and [unused4], got nothing",
        ),
        (line_of(ids_of("<h> <t> Lu </t> </h>")), "tail", "is the same span as the head"),
        (line_of(ids_of(GOOD), relation=" "), "relation", "got an empty name"),
        ("x" + line_of(ids_of(GOOD)), "number", "expected a whole number, got 'x654'"),
        ("654\x01P19\x015", "line", "expected 5 columns separated by character 1, got 3"),
        ("{}", "line", "expected 5 columns separated by character 1, got 1"),
        ("x" * (MAX_LINE + 1), "line", "is longer than"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_row_that_is_no_statement_is_rejected_with_its_column_and_reason(tmp_path, line, field, reason):
    bad, good = rows_of(tmp_path, line, line_of(ids_of(GOOD)))
    assert isinstance(good, Statement)
    assert (bad.file, bad.line, bad.field) == ("made.txt", 1, field)
    assert reason in bad.reason


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, 100, 101, *range(104, 114), 999]), max_size=12), st.text(max_size=20)
)
def test_arbitrary_rows_never_crash_and_each_gives_one_row(ids, noise):
    lines = [line_of(ids, head=1, tail=4), noise.replace("\n", "").replace("\r", "")]
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(Path(folder), *(line.encode("utf-8", "replace").decode() for line in lines))
    assert len(rows) == sum(bool(line.encode("utf-8", "replace").strip()) for line in lines)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({1: "[unused0]"}, "as id 1, as in a cased BERT, got '[unused0]'"),
        ({102: "the"}, "as id 102, as in a cased BERT, got 'the'"),
    ],
)
def test_another_vocabulary_is_refused_with_what_stands_where(tmp_path, changes, found):
    pieces = [changes.get(id, piece) for id, piece in enumerate(VOCABULARY)]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces))
    with pytest.raises(BadInput, match=r"vocab\.txt: expected .*, as in a cased BERT, got") as problem:
        cased_pieces(tmp_path / "made.txt")
    assert found in str(problem.value)


@pytest.mark.parametrize(
    ("content", "reason"), [(b"[PAD]\n", "as id 1, as in a cased BERT, got 'nothing'"), (b"\xff", "is not UTF-8")]
)
def test_a_vocabulary_that_is_short_or_no_text_is_bad_input(tmp_path, content, reason):
    (tmp_path / "vocab.txt").write_bytes(content)
    with pytest.raises(BadInput, match=reason):
        cased_pieces(tmp_path / "made.txt")


def test_line_ends_of_another_system_do_not_matter(tmp_path):
    (tmp_path / "vocab.txt").write_bytes("\r\n".join(VOCABULARY).encode())
    assert cased_pieces(tmp_path / "made.txt") == tuple(VOCABULARY)


def test_without_a_vocabulary_the_error_says_where_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setattr(released_ids_module, "find_spec", lambda _: None)
    (tmp_path / "made.txt").write_text(line_of(ids_of(GOOD)))
    with pytest.raises(BadInput) as problem:
        list(read_released_ids(tmp_path / "made.txt"))
    assert "Put the vocab.txt of a cased BERT next to the file" in str(problem.value)
    assert "protorel[released]" in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.fixture
def wheel() -> None:
    if find_spec("blingfire") is None:
        pytest.skip("blingfire is not installed: it brings the cased vocabulary (pip install 'protorel[released]')")


@pytest.mark.usefixtures("wheel")
def test_the_wheel_has_the_cased_vocabulary_and_is_checked(tmp_path, monkeypatch):
    pieces = cased_pieces(tmp_path / "made.txt")
    assert (len(pieces), pieces[0], pieces[1], pieces[101], pieces[1103]) == (
        28_996,
        "[PAD]",
        "[unused1]",
        "[CLS]",
        "the",
    )
    assert sum(piece.startswith("##") for piece in pieces) == 6_477
    monkeypatch.setattr(released_ids_module, "_WHEEL_SHA256", "0" * 64)
    with pytest.raises(BadInput, match=r"expected sha256 .*, got .*\. Reinstall blingfire"):
        cased_pieces(tmp_path / "made.txt")


@pytest.mark.usefixtures("wheel")
def test_the_real_sample_gives_95_statements_and_5_whose_tail_marks_nothing(real_data):
    rows = list(read_released_ids(real_data / "fuzzyred" / "sample.txt"))
    taken = [row for row in rows if isinstance(row, Statement)]
    assert (len(rows), len(taken), len({row.relation for row in taken})) == (100, 95, 71)
    assert {(row.field, row.reason[:23]) for row in rows if isinstance(row, Reject)} == {
        ("tail", "expected a name between")
    }
    assert not any("##" in row.text or "[unused" in row.text for row in taken)
    # Most rows hide one name or both: the released data were blanked when they were made.
    assert sum("[BLANK]" in (row.head_text, row.tail_text) for row in taken) == 94
