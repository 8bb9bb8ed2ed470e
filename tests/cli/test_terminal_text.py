"""No text in data or in the names of files ever acts on a terminal."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import read_statements, write_statements
from protorel_paper.cli import run as run_paper

ESCAPE = "\x1b]0;pwned\x07\x9b31m\u202e\u200b[red][bold]:smile:[]"
"""A window's title, a colour in one character, a turn of direction, an unseen character, and rich's own markup."""
STYLE, CURSOR = re.compile(r"\x1b\[[0-9;]*m"), re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]|\r")
SOURCE = Path(__file__).parents[2] / "src"


def assert_harmless(text: str) -> None:
    unsafe = [letter for letter in text if letter not in "\t\n" and not letter.isprintable() and letter != "\xa0"]
    assert not unsafe, text


@pytest.fixture(scope="module")
def hostile(data, tmp_path_factory):
    """A folder and files with such names, that hold such names."""
    folder = tmp_path_factory.mktemp("hostile") / ESCAPE
    folder.mkdir()
    statements = list(read_statements(data))
    known = sorted({str(one.relation) for one in statements})
    changed = [replace(one, relation=f"{known.index(str(one.relation)):02}{ESCAPE}") for one in statements]
    write_statements(changed, folder / "data.parquet")
    more = [replace(one, relation=f"{other}{ESCAPE}", id=f"{one.id}{other}") for one in changed for other in (90, 91)]
    write_statements([*changed, *more], folder / "ambiguous.parquet")
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=6))
    others = [replace(one, relation=f"{one.relation}{ESCAPE}") for one in world.test_relations]
    write_statements(others, folder / "exam.parquet")
    write_statements(changed[:1], folder / f"other{ESCAPE}.parquet")
    line = {"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 10], "relation": f"met{ESCAPE}"}
    (folder / "rows.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, ESCAPE: 1, "head": ESCAPE}) + "\n")
    (folder / "bad.jsonl").write_text(json.dumps({**line, "head": ESCAPE}) + "\n")
    (folder / "fewrel.json").write_text(json.dumps({f"P1{ESCAPE}": [{"tokens": [ESCAPE]}]}))
    (folder / "facts.tsv").write_text(f"Ada Kroll\tborn{ESCAPE}\tLunsk Hill\nAda{ESCAPE}\tborn\tBo Holm\n")
    (folder / "text.txt").write_text("Ada Kroll was born in Lunsk Hill.\n")
    (folder / "empty.txt").write_text("\n")
    (folder / "words.yaml").write_text(json.dumps({ESCAPE: {"nme": ESCAPE}}))
    (folder / "means.yaml").write_text(json.dumps({"means": {"a": [ESCAPE, ESCAPE]}}))
    (folder / "recipe.yaml").write_text(json.dumps({ESCAPE: ESCAPE}))
    text, spans = f"{ESCAPE} met Bo.", [[0, len(ESCAPE), ESCAPE], [len(ESCAPE) + 5, len(ESCAPE) + 7]]
    (folder / "texts.jsonl").write_text(json.dumps({"text": text, "document": ESCAPE, "entities": spans}) + "\n")
    (folder / "answers.txt").write_text(f"1\t{ESCAPE}\n")
    return folder


@pytest.fixture(scope="module")
def hostile_run(hostile, recipe, tmp_path_factory):
    """A run that knows relations of such names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        arguments = ["--data", str(hostile / "data.parquet"), "--out", str(hostile / "run")]
        assert run(["pretrain", str(recipe), *arguments]) == 0
    return hostile / "run"


DONE = """
    convert rows.jsonl --format jsonl --out {out}/new.parquet
    harvest --facts facts.tsv --text text.txt --out {out}/new --workers 1
    fuzzy ambiguous.parquet --out {out}/new --relations 3 --each 2
    fuzzy data.parquet --out {out}/new --judged
    leakage data.parquet data.parquet --json {out}/new.json
    patterns data.parquet --relation 00{escape}
    patterns data.parquet --all --json {out}/new.json
    pretrain {recipe} --data data.parquet --out {out}/new --decontaminate other{escape}.parquet
    finetune supervised epochs=1 batch_size=64 --model run --data data.parquet --out {out}/new
    evaluate fewshot run data.parquet --episodes 5 --json {out}/new.json
    evaluate pairs run data.parquet
    extract run texts.jsonl --entities given
    extract run texts.jsonl --entities given --format jsonl
    extract run texts.jsonl --entities given --out {out}/new.graphml
    evaluate fuzzyred run data.parquet --draws 2
    paper data-budget {recipe} --data data.parquet --test exam.parquet --relations 4 --statements 3 --out {out}/new
    paper table4 --data data.parquet --out {out}/new
"""
FAILED = """
    convert bad.jsonl --format jsonl --out {out}/new.parquet
    convert fewrel.json --format fewrel --out {out}/new.parquet
    convert rows.jsonl --format no{escape} --out {out}/new.parquet
    convert nosuch{escape} --format jsonl --out {out}/new.parquet
    harvest --facts facts.tsv --text empty.txt --out {out}/new --workers 1
    harvest --facts nosuch{escape} --text text.txt --out {out}/new
    harvest --facts facts.tsv --text text.txt --out {out}/new --engine spark{escape}
    fuzzy nosuch{escape}.parquet --out {out}/new
    leakage data.parquet data.parquet --equivalents means.yaml
    leakage data.parquet data.parquet --json {out}/../{escape}
    patterns data.parquet --relation nosuch{escape}
    pretrain recipe.yaml --data data.parquet --out {out}/new
    pretrain {recipe} a{escape}=b --data data.parquet --out {out}/new
    pretrain {recipe} learning_rate=1e30 steps=9 --data data.parquet --out {out}/new
    pretrain {recipe} --data bad.jsonl --out {out}/new
    pretrain {recipe} --data data.parquet --descriptions words.yaml --out {out}/new
    finetune supervised --model {escape} --data data.parquet --out {out}/new
    finetune nosuch{escape} --model run --data data.parquet --out {out}/new
    average {escape} run --out {out}/new
    average run run --out run
    evaluate fewshot {escape} data.parquet
    evaluate fewshot run data.parquet --only {escape}
    evaluate fewshot run data.parquet --descriptions words.yaml
    extract {escape} x
    extract run {escape}.txt
    extract run x --entities {escape}
    extract run x --entities names:{escape}
    extract run x --schema words.yaml
    extract run x --among {escape}
    evaluate classify run data.parquet
    evaluate answers answers.txt answers.txt
    evaluate pairs run data.parquet --no-relation {escape} --combine {escape}
    evaluate fuzzyred run nosuch{escape}.parquet
    paper data-budget {recipe} --data data.parquet --test data.parquet --relations {escape} --out {out}/new
    paper label-noise {recipe} --data data.parquet --test data.parquet --kinds {escape} --out {out}/new
    paper table4 --data nosuch{escape}.parquet --out {out}/new
    paper table1 --data {escape} --rows {escape} --out {out}/new
    demo --out run
    no{escape}such
    convert --no{escape}such
"""


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


@pytest.fixture
def told(hostile, hostile_run, recipe, tmp_path, monkeypatch, capsys):
    """Run a command in the hostile folder, and return its code and all that it said."""
    monkeypatch.chdir(hostile)
    (tmp_path / ESCAPE).mkdir()

    def of(command):
        names = {"{out}": str(tmp_path / ESCAPE), "{recipe}": str(recipe), "{escape}": ESCAPE}
        arguments = [re.sub("|".join(map(re.escape, names)), lambda m: names[m.group()], a) for a in command.split(" ")]
        code = run_paper(arguments[1:]) if arguments[0] == "paper" else run(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return of


@pytest.mark.parametrize("command", lines(DONE))
def test_a_command_that_does_its_work_prints_nothing_that_acts_on_a_terminal(told, command):
    code, out, err = told(command)
    assert code == 0, err
    assert_harmless(out + err)


@pytest.mark.parametrize("command", lines(FAILED))
def test_a_command_that_fails_says_so_in_one_line_that_does_not_act_on_a_terminal(told, command):
    code, out, err = told(command)
    assert code in (1, 2), out
    assert_harmless(out + err)
    stages = ("gathering", "building", "finding", "aligning")
    program = "protorel-paper" if command.startswith("paper ") else "protorel"
    assert [line.split(" ")[0] for line in err.splitlines() if not line.startswith(stages)] == [f"{program}:"]
    assert "internal error" not in err


@pytest.mark.parametrize("command", [one for one in lines(DONE) if one.startswith(("fuzzy", "leakage", "patterns"))])
def test_on_a_terminal_only_styles_of_our_own_are_sent(told, command, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    code, out, err = told(command)
    assert code == 0
    assert STYLE.search(out) or "--all" in command
    assert_harmless(STYLE.sub("", out) + CURSOR.sub("", err))  # progress moves the cursor


def test_results_in_json_keep_names_as_they_are(told, tmp_path):
    out = tmp_path / ESCAPE / "new.json"
    assert told("leakage data.parquet data.parquet --json {out}/new.json")[0] == 0
    assert any(ESCAPE in str(text) for text in _texts(json.loads(out.read_text())))


def _texts(value):
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value]


def test_there_is_no_other_way_out_of_the_command_line():
    for path in sorted([*(SOURCE / "protorel" / "cli").rglob("*.py"), *(SOURCE / "protorel_paper").rglob("*.py")]):
        if path.name not in ("output.py", "console.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(typer|click)\.s?echo|sys\.std(out|err)|(?<![\w.])print\(|import print\b", text), (
                path
            )
            made = re.search(r"(?<!\w)Console\(", text)
            assert not made or re.search(r"from protorel\.cli(\.console)? import .*\bConsole\b", text), path
            assert "from_markup" not in text, path
