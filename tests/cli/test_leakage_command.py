"""`protorel leakage`: a table for people, JSON for programs, the strict remainder for training."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.statements import Span, Statement, find_leakage, fingerprint, read_statements, write_statements

ROOT = Path(__file__).parents[2]


def said(head, phrase, tail, relation):
    start = len(head) + len(phrase) + 2
    return Statement(f"{head} {phrase} {tail}", Span(0, len(head)), Span(start, start + len(tail)), relation)


TRAIN = [
    said("Ada", "was for forty years the wife of", "Bo", "spouse"),
    said("Cy", "was born in the small town of", "Lunsk", "P19"),
    said("Di", "has never left", "Oster", "P551"),
    said("Ed", "is nothing to", "Flo", "NA"),
]
TEST = [said("Guy", "wed", "Ida", "P26"), said("Lunsk", "has a street named after", "Cy", "P138"), TRAIN[3]]


@pytest.fixture
def files(tmp_path):
    write_statements(TRAIN, tmp_path / "train.parquet")
    write_statements(TEST[:2], tmp_path / "test.parquet")
    return tmp_path


def call(*arguments):
    return run(["leakage", *(str(argument) for argument in arguments)])


def test_the_table_and_the_remainder_are_printed(files, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert call(files / "train.parquet", files / "test.parquet") == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split("│")[1].strip(): line.split("│")[2:-1] for line in lines if "│" in line}
    assert {name: [cell.strip() for cell in cells] for name, cells in rows.items()} == {
        "relations": ["1", "1", "1"],
        "entity pairs": ["1", "1", "1"],
        "sentences": ["0", "0", "0"],
        "near-duplicates": ["0", "0", "0"],
        "any of these": ["", "2", "2"],
        "of": ["", "4", "2"],
    }
    assert "shared relation spouse = P26: 1 training, 1 test statements" in lines
    assert lines[-1] == "2 of 4 training statements, of 2 relations, share nothing"
    assert all(len(line.rstrip()) <= 80 for line in lines)


def test_the_strict_remainder_is_written_and_shares_nothing(files, capsys):
    strict = files / "out" / "[red]strict.parquet"
    assert call(files / "train.parquet", files / "test.parquet", "--write-strict", strict) == 0
    assert read_statements(strict) == TRAIN[2:]
    assert find_leakage(read_statements(strict), TEST[:2]).removed == 0
    assert str(strict) in capsys.readouterr().out.replace("\n", "")


def test_json_tells_data_counts_examples_and_settings_and_no_path(files):
    out = files / "leakage.json"
    assert call(files / "train.parquet", files / "test.parquet", "--json", out) == 0
    told = json.loads(out.read_text())
    assert told["data"]["train"] == {
        "name": "train.parquet", "fingerprint": fingerprint(TRAIN), "statements": 4, "relations": 4,
    }  # fmt: skip
    assert told["data"]["test"]["fingerprint"] == fingerprint(TEST[:2])
    assert told["shared"]["any"] == {"train_statements": 2, "test_statements": 2}
    assert told["left"] == {"statements": 2, "relations": 2}
    assert told["relations"] == [{"train": "spouse", "test": "P26", "train_statements": 1, "test_statements": 1}]
    assert told["examples"]["pairs"][0]["train"]["text"] == TRAIN[1].text
    assert told["settings"]["near_duplicates"] == {
        "threshold": 0.7, "shingle": 5, "permutations": 128, "bands": 32, "seed": 1,
    }  # fmt: skip
    assert {"task", "machine", "versions"} <= told.keys()
    assert str(files) not in out.read_text()


def test_examples_in_json_are_cut_short(files):
    long = said("Ada", "met " * 2000 + "the", "Bo", "met")
    write_statements([long], files / "long.parquet")
    assert call(files / "long.parquet", files / "long.parquet", "--json", files / "long.json") == 0
    assert (files / "long.json").stat().st_size < 10_000


def test_a_user_s_table_of_equivalents_counts(files, capsys):
    (files / "mine.yaml").write_text("means: {P551: P138}\n")
    assert call(files / "train.parquet", files / "test.parquet", "--equivalents", files / "mine.yaml") == 0
    assert "P551 = P138" in capsys.readouterr().out


def test_a_table_with_a_cycle_is_refused_before_the_data_are_read(files, fails, monkeypatch):
    (files / "mine.yaml").write_text("means: {wed: married, married: wed}\n")
    monkeypatch.setattr("protorel.statements.storage.iter_statements", lambda *_: pytest.fail("the data were read"))
    line = fails("leakage", files / "train.parquet", files / "test.parquet", "--equivalents", files / "mine.yaml")
    assert "mine.yaml: the meanings form a cycle (married → wed → married)" in line


def test_a_foreign_file_may_be_compared_with_parquet(files, jsonl, capsys):
    path = jsonl({"text": "Cy saw Lunsk", "head": [0, 2], "tail": [7, 12], "relation": "saw"}, name="test.jsonl")
    assert call(files / "train.parquet", path, "--format", "jsonl") == 0
    assert "3 of 4 training statements" in capsys.readouterr().out


def test_a_folder_of_parts_is_one_data_set(files, capsys):
    for number, one in enumerate(TRAIN):
        write_statements([one], files / "parts" / f"{number}.parquet")
    assert call(files / "parts", files / "test.parquet") == 0
    assert "2 of 4 training statements" in capsys.readouterr().out


def test_identical_files_are_reported_and_nothing_is_written_of_nothing(files, capsys):
    strict = files / "strict.parquet"
    write_statements(TRAIN[:1], strict)
    before = strict.read_bytes()
    train = files / "train.parquet"
    assert call(train, train, "--json", files / "same.json", "--write-strict", strict) == 2
    said_out, said_err = capsys.readouterr()
    assert "any of these" in said_out
    (line,) = said_err.splitlines()
    assert "strict.parquet: not written, since each of the 4 statements of train.parquet shares something" in line
    assert strict.read_bytes() == before
    assert json.loads((files / "same.json").read_text())["left"] == {"statements": 0, "relations": 0}
    assert call(train, train) == 0
    assert "0 of 4 training statements, of 0 relations, share nothing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("train.parquet", "would overwrite or extend train.parquet"),
        ("test.parquet", "would overwrite or extend test.parquet"),
        ("strict.jsonl", "expected a name that ends in .parquet"),
        ("folder.parquet", "expected a file name, got a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(files, fails, place, message):
    (files / "folder.parquet").mkdir()
    before = (files / "train.parquet").read_bytes()
    assert message in fails("leakage", files / "train.parquet", files / "test.parquet", "--write-strict", files / place)
    assert (files / "train.parquet").read_bytes() == before


def test_the_remainder_never_becomes_a_part_of_what_it_was_taken_from(files, fails):
    write_statements(TRAIN, files / "parts" / "0.parquet")
    line = fails("leakage", files / "parts", files / "test.parquet", "--write-strict", files / "parts" / "s.parquet")
    assert "would overwrite or extend parts" in line
    assert [path.name for path in (files / "parts").iterdir()] == ["0.parquet"]


def test_files_that_are_absent_or_hold_nothing_are_named(files, fails):
    assert "absent.parquet: no such file" in fails("leakage", files / "absent.parquet", files / "test.parquet")
    write_statements([], files / "none.parquet")
    assert "none.parquet: expected statements to compare, got none" in fails(
        "leakage", files / "train.parquet", files / "none.parquet"
    )
    assert "none.parquet: expected statements to compare, got none" in fails(
        "leakage", files / "none.parquet", files / "train.parquet"
    )


def test_names_are_shown_as_they_are_and_never_read_as_markup(tmp_path, capsys):
    hostile = "[bold red]x[/bold red][/]\x1b[31m"
    write_statements([said("Ada", "met", "Bo", hostile)], tmp_path / "[red]train.parquet")
    assert call(tmp_path / "[red]train.parquet", tmp_path / "[red]train.parquet") == 0
    out = capsys.readouterr().out
    assert "[bold red]x[/bold red][/]" in out
    assert "[red]train.parquet" in out
    assert "\x1b" not in out


def test_torch_is_not_loaded_for_it(files):
    code = (
        "import sys; from protorel.cli import run; "
        f"run(['leakage', {str(files / 'train.parquet')!r}, {str(files / 'test.parquet')!r}]); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=False).returncode == 0


def test_the_commands_of_its_page_run_as_they_stand(page, capsys):
    found = page("docs/concepts/leakage.md")
    assert len(found.run_commands()) == 4
    printed = capsys.readouterr().out
    for line in ("shared relation born_in = P19: 8 training, 1 test statements", "40 of 48 training statements"):
        assert line in printed
        assert line in found.text
    assert json.loads(Path("leakage.json").read_text())["relations"] == [
        {"train": "born_in", "test": "P19", "train_statements": 8, "test_statements": 1},
    ]
    assert found.blocks("yaml") == [Path("examples/equivalents.yaml").read_text(encoding="utf-8")]
    (code,) = found.blocks("python")
    exec(code, {})
    assert capsys.readouterr().out == "1 training statements share a pair of entities\n"


def test_the_overlap_of_fewrel_on_its_page_is_that_of_its_file():
    page = (ROOT / "docs/concepts/leakage.md").read_text(encoding="utf-8")
    record = json.loads((ROOT / "results/fewrel/col_final/5w1s.json").read_text())["leakage"]["removed"]
    shared = record["shared"]
    assert f"{shared['any']['train_statements']} of {record['train_statements']:,} training statements overlap" in page
    assert f"the {record['test_statements']:,} validation statements" in page
    sentences = shared["sentences"]
    assert f"| {sentences['train_statements']} ({sentences['shared']} different sentences) |" in page
    assert f"| entity pairs | {shared['pairs']['train_statements']}, of which" in page
    assert f"| near-duplicates | {shared['near_duplicates']['train_statements']} |" in page
