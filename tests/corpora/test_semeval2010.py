from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.corpora import Reject, read_semeval2010
from protorel.corpora.marked_text import unmark
from protorel.statements import Span, Statement, StatementError

AUDITS = '8001\t"The most common <e1>audits</e1> were about <e2>waste</e2>."\nMessage-Topic(e1,e2)\nComment: Well.\n\n'
CHAIRS = '8002\t"The <e2>company</e2> makes <e1>chairs</e1>."\nProduct-Producer(e2,e1)\nComment:\n\n'


def rows_of(folder: Path, content: str | bytes) -> list[Statement | Reject]:
    path = folder / "MADE.TXT"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_semeval2010(path))


def test_head_is_e1_tail_is_e2_and_the_label_keeps_its_direction(tmp_path):
    first, second = rows_of(tmp_path, AUDITS + CHAIRS)
    text = "The most common audits were about waste."
    assert first == Statement(text, Span(16, 22), Span(34, 39), "Message-Topic(e1,e2)", "8001", source="semeval2010")
    assert (second.head_text, second.tail_text, second.relation) == ("chairs", "company", "Product-Producer(e2,e1)")


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.replace("\n", "\r\n"),
        lambda made: "\ufeff" + made,
        lambda made: made.replace("Comment: Well.\n", "").replace("Comment:\n", ""),
        lambda made: made.replace("\n\n", "\n"),
        lambda made: "\n\n" + made.replace("\n\n", "\n \n\n"),
        lambda made: made.rstrip("\n"),
        lambda made: made.replace('"', ""),
    ],
    ids=[
        "CRLF",
        "byte order mark",
        "no comments",
        "no blank lines",
        "more blank lines",
        "no last newline",
        "no quotes",
    ],
)
def test_the_form_may_vary_and_the_statements_stay_the_same(tmp_path, change):
    assert rows_of(tmp_path, change(AUDITS + CHAIRS)) == rows_of(tmp_path, AUDITS + CHAIRS)


def test_a_test_file_without_labels_gives_statements_without_a_relation(tmp_path):
    rows = rows_of(tmp_path, "".join(f"{n}\t<e1>a</e1> and <e2>b</e2>\n" for n in (7, 8, 9)))
    assert [(row.id, row.relation) for row in rows] == [("7", None), ("8", None), ("9", None)]


def test_a_row_without_a_label_in_a_file_with_labels_is_rejected(tmp_path):
    good, bad = rows_of(tmp_path, AUDITS + CHAIRS.split("\n")[0])
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (5, "relation")


@pytest.mark.parametrize(
    ("sentence", "text", "head", "tail"),
    [
        ("<e1> Gonzalo </e1> , poet of <e2> Spanish </e2> .", "Gonzalo , poet of Spanish .", "Gonzalo", "Spanish"),
        ("by <e1> A B </e1> <e2> C </e2>", "by A B C", "A B", "C"),
        ("of<e1> A </e1>and <e2>B</e2>.", "of A and B.", "A", "B"),
        ("<e1>A</e1><e2>B</e2>", "AB", "A", "B"),
        ("the <e1>University of <e2>Lunsk</e2></e1>", "the University of Lunsk", "University of Lunsk", "Lunsk"),
        ("<e2> X <e1> Y </e1> Z </e2>", "X Y Z", "Y", "X Y Z"),
        ("A  title  <e1>B</e1> <e2>C</e2>", "A  title  B C", "B", "C"),
        ("a < b </b> <e1>B</e1> <e3> <e2>C</e2>", "a < b </b> B <e3> C", "B", "C"),
    ],
)
def test_spaces_inside_tags_belong_outside_and_are_not_doubled(sentence, text, head, tail):
    found, head_span, tail_span = unmark(sentence)
    assert (found, head_span.of(found), tail_span.of(found)) == (text, head, tail)


words = st.text("aé'\"😀", min_size=1, max_size=4)
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)


@given(phrases, phrases, phrases, phrases, phrases, st.sampled_from(["", " "]))
def test_a_marked_sentence_becomes_the_sentence_without_its_marks(before, head, between, tail, after, padding):
    marked = f"{before} <e1>{padding}{head}{padding}</e1> {between} <e2>{padding}{tail}{padding}</e2> {after}"
    text, head_span, tail_span = unmark(marked)
    assert text == f"{before} {head} {between} {tail} {after}"
    assert (head_span.start, head_span.of(text)) == (len(before) + 1, head)
    assert (tail_span.stop, tail_span.of(text)) == (len(text) - len(after) - 1, tail)


@pytest.mark.parametrize(
    ("sentence", "field", "reason"),
    [
        ("a and <e2>b</e2>", "head", "expected <e1> once, got it 0 times"),
        ("<e1>a</e1> and <e1>b</e1> <e2>c</e2>", "head", "expected <e1> once, got it 2 times"),
        ("<e1>a and <e2>b</e2>", "head", "expected </e1> once, got it 0 times"),
        ("<e1>a</e1> and b</e2>", "tail", "expected <e2> once, got it 0 times"),
        ("</e1>a<e1> and <e2>b</e2>", "head", "expected <e1> before </e1>, got the reverse"),
        ("<e1>a <e2>b</e1> c</e2>", "tail", "cross each other"),
        ("<e1> </e1> and <e2>b</e2>", "head", "expected a name between"),
        ("<e1>a</e1> and <e2></e2>", "tail", "expected a name between"),
    ],
)
def test_wrong_tags_are_named(sentence, field, reason):
    with pytest.raises(StatementError) as problem:
        unmark(sentence)
    assert problem.value.field == field
    assert reason in problem.value.reason


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ('7\t"no tags"\nOther\nComment:\n', "head"),
        ('"<e1>a</e1> <e2>b</e2>"\nOther\n', "line"),
        ('7\t"<e1>a</e1> <e2>b</e2>"\nComment:\n', "relation"),
        ('7\t"<e1>a</e1> <e2>b</e2>"\nOther\nOther\n', "line"),
        ('7\t"<e1>a</e1> <e2>b</e2>"\nComment:\nOther\n', "line"),
        ('7\t"<e1>a</e1> <e2>b</e2>"\n"<e1>c</e1> <e2>d</e2>"\nOther\n', "line"),
        ('7\t"<e1>a</e1> <e2>b</e2>"\n<e1>c</e1> <e2>d</e2>\n', "relation"),
        ('7\t"<e1><e2>b</e2></e1>"\nOther\n', "tail"),
        ("stray\n" * 20, "line"),
        (b'7\t"<e1>a</e1> \xff <e2>b</e2>"\nOther\nComment:\n', "line"),
        (b'7\t"<e1>a</e1> <e2>b</e2>"\nOth\xffer\nComment:\n', "line"),
    ],
)
def test_a_bad_row_is_one_reject_with_its_line_and_its_neighbours_stay(tmp_path, bad, field):
    bad = bad.encode() if isinstance(bad, str) else bad
    first, reject, last = rows_of(tmp_path, AUDITS.encode() + bad + b"\n" + CHAIRS.encode())
    assert (first.id, last.id) == ("8001", "8002")
    assert (reject.file, reject.line, reject.field) == ("MADE.TXT", 5, field)


@given(st.lists(st.sampled_from(["", "7\t<e1>a</e1> <e2>b</e2>", "8\t<e1>", "Other", "Comment:", "?\t<e1>", "\r"])))
def test_no_mixture_of_lines_breaks_the_reader_and_every_sentence_is_accounted_for(tmp_path_factory, lines):
    rows = rows_of(tmp_path_factory.getbasetemp(), "\n".join(lines))
    assert len(rows) >= sum(line[:1].isdigit() for line in lines)


@pytest.mark.parametrize(("file", "rows", "labels"), [("TRAIN_FILE.TXT", 8000, 19), ("TEST_FILE_FULL.TXT", 2717, 19)])
def test_every_row_of_the_real_files_is_taken_and_agrees_with_the_file(real_data, file, rows, labels):
    path = real_data / "semeval2010" / file
    statements = list(read_semeval2010(path))
    assert len(statements) == rows
    assert all(isinstance(row, Statement) for row in statements)
    assert len(Counter(row.relation for row in statements)) == labels
    lines = path.read_text().splitlines()
    for row, line in zip(statements, lines[::4], strict=True):
        by_start = sorted([(row.head, "e1"), (row.tail, "e2")])
        marked, end = "", 0
        for span, tag in by_start:
            marked += f"{row.text[end : span.start]}<{tag}>{span.of(row.text)}</{tag}>"
            end = span.stop
        assert f'{row.id}\t"{marked}{row.text[end:]}"' == line
