from __future__ import annotations

from pathlib import Path

import pytest

from protorel.corpora import FORMATS, Reject, read_fuzzyred, read_rows
from protorel.statements import BadInput, Span, Statement

KROLL = "1\t'<e1> Ada Kroll </e1> \"spoke\" her mother 's <e2> Lunskish </e2> .'\nTrue\nComment:\n\n"
OTHER = '1\t"In Lunsk \'s <e1> north </e1> lies <e2> the sea </e2>"\nOther\nComment:\n\n'


def rows_of(folder: Path, content: str, *, name: str = "P103.semeval") -> list[Statement | Reject]:
    (folder / name).write_text(content)
    return list(read_fuzzyred(folder / name))


def test_the_file_names_the_relation_and_the_label_says_whether_it_is_expressed(tmp_path):
    first, second = rows_of(tmp_path, KROLL + OTHER)
    assert first == Statement(
        "Ada Kroll \"spoke\" her mother 's Lunskish .",
        Span(0, 9), Span(32, 40), "P103", "P103-1", source="fuzzyred", expresses=True,
    )  # fmt: skip
    assert second.text == "In Lunsk 's north lies the sea"
    assert (second.relation, second.id, second.expresses) == ("P103", "P103-2", False)


@pytest.mark.parametrize(("name", "relation"), [("P17.semeval", "P17"), ("born_in", "born_in"), ("a.b.txt", "a.b")])
def test_the_relation_is_the_name_without_its_last_suffix(tmp_path, name, relation):
    [row] = rows_of(tmp_path, KROLL, name=name)
    assert (row.relation, row.id) == (relation, f"{relation}-1")


def test_backslashes_and_quotes_inside_are_text(tmp_path):
    [row] = rows_of(tmp_path, "1\t'<e1>a\\n'b'</e1> \\' <e2>c</e2>'\nTrue\n")
    assert (row.text, row.head_text) == ("a\\n'b' \\' c", "a\\n'b'")


@pytest.mark.parametrize(("label", "reason"), [("true\n", "'true'"), ("", "none")])
def test_a_label_other_than_the_two_is_rejected(tmp_path, label, reason):
    bad, good = rows_of(tmp_path, f"1\t'<e1>a</e1> <e2>b</e2>'\n{label}\n{KROLL}")
    assert (bad.file, bad.line, bad.field) == ("P103.semeval", 1, "expresses")
    assert bad.reason == f"expected the label True or Other, got {reason}"
    assert good.id == "P103-2"


def test_a_folder_gives_all_its_files_in_the_order_of_their_names(tmp_path):
    for name in ("P2.semeval", "P1.semeval"):
        (tmp_path / name).write_text(KROLL)
    (tmp_path / "readme.md").write_text("not data")
    assert [row.relation for row in read_rows([tmp_path], FORMATS["fuzzyred"])] == ["P1", "P2"]


def test_a_folder_without_such_files_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match=r"expected one \*\.semeval file or more in this folder, got none"):
        list(read_rows([tmp_path], FORMATS["fuzzyred"]))


def test_the_real_files_hold_1000_statements_of_which_463_are_true(real_data):
    rows = list(read_rows([real_data / "fuzzyred" / "fuzzyRE_data"], FORMATS["fuzzyred"]))
    assert len(rows) == 1000
    assert all(isinstance(row, Statement) for row in rows)
    assert sum(row.expresses is True for row in rows) == 463
    assert sum(row.expresses is False for row in rows) == 537
    assert len({row.relation for row in rows}) == 20
    assert len({row.id for row in rows}) == 1000
    assert all(text == text.strip() for row in rows for text in (row.text, row.head_text, row.tail_text))
    assert not any("<e" in row.text for row in rows)
