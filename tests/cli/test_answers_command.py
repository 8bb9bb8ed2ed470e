"""`protorel evaluate answers`: the official report, and one clear line for each bad file."""

from __future__ import annotations

import json

import pytest

from protorel.cli import run

KEY = "1\tCause-Effect(e1,e2)\n2\tCause-Effect(e2,e1)\n3\tOther\n4\tMessage-Topic(e1,e2)\n"
GOOD = "3\tOther\n1\tCause-Effect(e1,e2)\n2\tCause-Effect(e1,e2)\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "key.txt").write_text(KEY)
    (tmp_path / "mine.txt").write_text(GOOD)
    return tmp_path


def test_the_official_report_is_printed_and_our_notes_go_to_standard_error(files, capsys):
    arguments = [
        "evaluate",
        "answers",
        str(files / "mine.txt"),
        str(files / "key.txt"),
        "--json",
        str(files / "r.json"),
    ]
    assert run(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("<<< (2*9+1)-WAY EVALUATION (USING DIRECTIONALITY)>>>:\n\nConfusion matrix:\n")
    # Cause-Effect: P = 1/2, R = 1/2; Message-Topic was skipped.
    assert printed.out.endswith("macro-averaged F1 = 25.00% >>>\n")
    assert "1 of 4 statements of the key have no answer; they count as skipped" in printed.err
    assert "25.00% ± " in printed.err
    told = json.loads((files / "r.json").read_text())
    assert (told["task"], told["f1"], told["skipped"]) == ("answers", 0.25, 1)
    assert told["answers"]["name"] == "mine.txt"
    assert len(told["key"]["fingerprint"]) == 64
    assert str(files) not in (files / "r.json").read_text()


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_the_command_prints_the_official_report_of_the_real_samples(real_data, number, capsys):
    folder = real_data / "semeval2010" / "scorer"
    answers, key = folder / f"proposed_answer{number}.txt", folder / f"answer_key{number}.txt"
    assert run(["evaluate", "answers", str(answers), str(key)]) == 0
    wanted = (folder / f"result_scores{number}.txt").read_bytes().replace(b"\r\n", b"\n").decode()
    assert capsys.readouterr().out == wanted


def test_the_real_sample_with_four_errors_is_refused_by_its_first(real_data, fails):
    folder = real_data / "semeval2010" / "scorer"
    line = fails("evaluate", "answers", folder / "proposed_answer4.txt", folder / "answer_key3.txt")
    assert "proposed_answer4.txt: line 2: expected one of the task's 19 labels, got 'Message-Topc(e1,e2)'" in line


def test_the_key_may_be_labelled_statements(files, capsys):
    rows = [f'{line[0]}\t"The <e1>a</e1> of <e2>b</e2>."\n{line[2:]}\nComment:\n\n' for line in KEY.splitlines()]
    (files / "KEY.TXT").write_text("".join(rows))
    assert run(["evaluate", "answers", str(files / "mine.txt"), str(files / "KEY.TXT"), "--format", "semeval"]) == 0
    assert capsys.readouterr().out.endswith("macro-averaged F1 = 25.00% >>>\n")
    converted = files / "key.parquet"
    assert run(["convert", str(files / "KEY.TXT"), "--format", "semeval", "--out", str(converted)]) == 0
    assert run(["evaluate", "answers", str(files / "mine.txt"), str(converted)]) == 0
    assert capsys.readouterr().out.endswith("macro-averaged F1 = 25.00% >>>\n")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mine.txt", GOOD + "1\tOther\n", "mine.txt: line 4: expected each id once, got '1' twice"),
        (
            "mine.txt",
            GOOD + "99\tOther\n",
            "mine.txt: 1 of 4 answers have an id that is not in key.txt, the first: '99'",
        ),
        ("mine.txt", GOOD + "4\t" + "[" * 3000 + "Other\n", "[...[" + "[" * 30),
        ("mine.txt", GOOD + "9" * 5000 + "\tOther\n", "the first: '" + "9" * 35 + "...999"),
        (
            "mine.txt",
            GOOD + "4\tborn in, (Ω)\n",
            "mine.txt: line 4: expected one of the task's 19 labels, got 'born in, (Ω)'",
        ),
        ("mine.txt", GOOD + "4 Other\n", "mine.txt: line 4: expected `ID<tab>LABEL`, got '4 Other'"),
        ("mine.txt", "", "mine.txt: expected lines `ID<tab>LABEL`, got none"),
        (
            "key.txt",
            KEY + "5\tMessage-Topic\n",
            "key.txt: line 5: expected Message-Topic(e1,e2) or Message-Topic(e2,e1), got",
        ),
        ("key.txt", KEY + "1\tOther\n", "key.txt: line 5: expected each id once, got '1' twice"),
        ("key.txt", "1\tOther\n2\tOther\n3\tOther\n", "expected a key with relations, got only Other"),
    ],
)
def test_bad_files_are_refused_in_one_line(files, fails, name, content, said):
    (files / name).write_text(content)
    assert said in fails("evaluate", "answers", files / "mine.txt", files / "key.txt")


@pytest.mark.parametrize("missing", ["mine.txt", "key.txt"])
def test_a_file_that_is_not_there_is_named(files, fails, missing):
    (files / missing).unlink()
    assert f"{missing}: no such file" in fails("evaluate", "answers", files / "mine.txt", files / "key.txt")


def test_a_key_of_statements_must_have_labels_and_each_id_once(files, fails, jsonl):
    row = {"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 10], "id": "1"}
    no_label = jsonl(row, name="none.jsonl")
    assert "statement '1': expected a label, got none" in fails(
        "evaluate", "answers", files / "mine.txt", no_label, "--format", "jsonl"
    )
    twice = jsonl(*[{**row, "relation": "Other"}] * 2, name="twice.jsonl")
    assert "expected each id once, got it twice" in fails(
        "evaluate", "answers", files / "mine.txt", twice, "--format", "jsonl"
    )
    foreign = jsonl({**row, "relation": "born_in"}, name="foreign.jsonl")
    assert "expected one of the task's 19 labels, got 'born_in'" in fails(
        "evaluate", "answers", files / "mine.txt", foreign, "--format", "jsonl"
    )
