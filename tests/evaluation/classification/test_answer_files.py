from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.corpora import read_semeval2010
from protorel.evaluation import read_answers, write_answers
from protorel.evaluation.classification.semeval_counts import (
    SEMEVAL_LABELS,
    SEMEVAL_RELATIONS,
    check_label,
    without_direction,
)
from protorel.statements import BadInput

GOOD = "7\tOther\n8\tCause-Effect(e2,e1)\n"
words = st.text(st.characters(blacklist_characters="\t\n\r\ufeff", blacklist_categories=["Cs"]), min_size=1, max_size=8)
names = words.filter(str.strip)


def read(folder, content, *, check=check_label):
    path = folder / "answers.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_answers(path, check=check)


@given(st.dictionaries(names, names, min_size=1, max_size=6))
def test_what_is_written_is_read_back_whatever_the_ids_and_labels(tmp_path_factory, answers):
    path = tmp_path_factory.getbasetemp() / "round_trip.txt"
    write_answers(path, answers)
    assert read_answers(path) == answers
    assert list(read_answers(path)) == list(answers)


def test_a_file_has_the_form_of_the_task(tmp_path):
    write_answers(tmp_path / "mine.txt", {"8002": "Other", "8001": "Message-Topic(e1,e2)"})
    assert (tmp_path / "mine.txt").read_bytes() == b"8002\tOther\n8001\tMessage-Topic(e1,e2)\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.replace("\n", "\r\n"),
        lambda made: "\ufeff" + made,
        lambda made: made.rstrip("\n"),
        lambda made: "\n" + made + "\n\n",
    ],
    ids=["CRLF", "byte order mark", "no last line end", "blank lines"],
)
def test_the_form_may_vary_and_the_answers_stay_the_same(tmp_path, change):
    assert read(tmp_path, change(GOOD)) == {"7": "Other", "8": "Cause-Effect(e2,e1)"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("9 Other", "line 3: expected `ID<tab>LABEL`, got '9 Other'"),
        ("\tOther", "line 3: expected `ID<tab>LABEL`, got '\\tOther'"),
        ("9\t", "line 3: expected `ID<tab>LABEL`, got '9\\t'"),
        ("9\tOther\t0.7", "line 3: expected `ID<tab>LABEL`, got '9\\tOther\\t0.7'"),
        ("7\tOther", "line 3: expected each id once, got '7' twice"),
        (
            "9\tMessage-Topc(e1,e2)",
            "line 3: expected one of the task's 19 labels, got 'Message-Topc(e1,e2)'; did you mean",
        ),
        ("9\tCause-Effect(e1, e2)", "line 3: expected one of the task's 19 labels, got 'Cause-Effect(e1, e2)'"),
        (
            "9\tInstrument-Agency (e2,e1)",
            "line 3: expected one of the task's 19 labels, got 'Instrument-Agency (e2,e1)'",
        ),
        ("9\tother", "line 3: expected one of the task's 19 labels, got 'other'"),
        ("9\tMessage-Topic", "line 3: expected Message-Topic(e1,e2) or Message-Topic(e2,e1), got 'Message-Topic'"),
        ("9\tПричина", "line 3: expected one of the task's 19 labels, got 'Причина'"),
        (b"9\tOth\xffer", "line 3: is not UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_its_place(tmp_path, line, said):
    bad = line if isinstance(line, bytes) else line.encode()
    with pytest.raises(BadInput) as problem:
        read(tmp_path, GOOD.encode() + bad + b"\n10\tOther\n")
    assert str(problem.value).startswith(f"{tmp_path / 'answers.txt'}: {said}")


def test_a_file_without_an_answer_or_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"answers\.txt: expected lines `ID<tab>LABEL`, got none"):
        read(tmp_path, "\n\n")
    with pytest.raises(BadInput, match=r"none\.txt: no such file"):
        read_answers(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="expected a file, got a folder"):
        read_answers(tmp_path)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"": "x"}, "the id '' is empty"),
        ({"1": " "}, "the label ' ' is empty"),
        ({"1\t2": "x"}, "contains a tab or a line break"),
        ({"1": "born\nin"}, "the label 'born\\nin' contains a tab or a line break"),
        ({"1": "born in\r"}, "contains a tab or a line break"),
        ({"1": "\ud800"}, "is not Unicode text"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path, answers, said):
    with pytest.raises(BadInput) as problem:
        write_answers(tmp_path / "out.txt", {"0": "fine", **answers})
    assert said in str(problem.value)
    assert not list(tmp_path.iterdir())


def test_there_are_nineteen_labels_of_nine_relations():
    assert len(set(SEMEVAL_LABELS)) == 19
    assert {without_direction(label) for label in SEMEVAL_LABELS} == {*SEMEVAL_RELATIONS, "Other"}
    assert without_direction("a (e1,e2) b") == "a (e1,e2) b"
    for label in SEMEVAL_LABELS:
        check_label(label)


@pytest.mark.parametrize("file", ["TRAIN_FILE.TXT", "TEST_FILE_FULL.TXT"])
def test_the_labels_of_converted_statements_are_the_task_s_and_make_the_way_there_and_back(real_data, tmp_path, file):
    statements = list(read_semeval2010(real_data / "semeval2010" / file))
    labels = {statement.id: statement.relation for statement in statements}
    assert set(labels.values()) == set(SEMEVAL_LABELS)
    assert len(labels) == len(statements)
    write_answers(tmp_path / "key.txt", labels)
    assert read_answers(tmp_path / "key.txt", check=check_label) == labels
    if file == "TRAIN_FILE.TXT":
        # The scorer's second sample has the training set as its key.
        assert read_answers(real_data / "semeval2010" / "scorer" / "answer_key2.txt", check=check_label) == labels


def test_the_labels_of_made_statements_make_the_way_there_and_back(tmp_path):
    rows = [f'{n}\t"The <e1>a{n}</e1> of <e2>b</e2>."\n{label}\nComment:\n\n' for n, label in enumerate(SEMEVAL_LABELS)]
    (tmp_path / "MADE.TXT").write_text("".join(rows))
    labels = {statement.id: statement.relation for statement in read_semeval2010(tmp_path / "MADE.TXT")}
    assert list(labels.values()) == list(SEMEVAL_LABELS)
    write_answers(tmp_path / "key.txt", labels)
    assert read_answers(tmp_path / "key.txt", check=check_label) == labels
