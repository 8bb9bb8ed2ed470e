from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from protorel.cli import run
from protorel.cli.predict import _nothing
from protorel.model import Prediction, RelationModel, read_record
from protorel.statements import read_statements

ROOT = Path(__file__).parents[2]
HELD_OUT = ROOT / "examples" / "held_out.jsonl"


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A run on the example data, by a few steps of a small encoder."""
    folder = tmp_path_factory.mktemp("predict")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(folder / "cache"))
        data = folder / "mine.parquet"
        assert run(["convert", str(ROOT / "examples" / "own_data.jsonl"), "--format", "jsonl", "--out", str(data)]) == 0
        settings = ["encoder=cnn", "steps=5"]
        assert run(["pretrain", "smoke", *settings, "--data", str(data), "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def calibrated(trained) -> Path:
    out = trained.parent / "calibrated"
    assert run(["calibrate", str(trained), str(HELD_OUT), "--format", "jsonl", "--out", str(out)]) == 0
    return out


def test_a_table_is_printed_and_an_uncalibrated_run_says_so(trained, jsonl, capsys):
    row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk"}
    assert run(["predict", str(trained), str(jsonl(row)), "--format", "jsonl"]) == 0
    printed = capsys.readouterr()
    assert "Ada Kroll" in printed.out
    assert "note: the probabilities are not calibrated; see `protorel calibrate`" in printed.err


def test_what_is_probable_but_below_the_precision_asked_for_is_called_unsure():
    asked = Prediction(None, 0.1, (), (("born_in", 0.8),), 0.1, 0.0)
    assert _nothing(asked) == "unsure"
    assert _nothing(replace(asked, ranked=(("born_in", 0.05),), none_probability=0.9)) == "none of these"


def test_every_field_is_written_as_jsonl_as_parquet_or_to_standard_output(calibrated, tmp_path, capsys):
    asked = ["predict", str(calibrated), str(HELD_OUT), "--format", "jsonl", "--top", "2", "--out"]
    assert run([*asked, str(tmp_path / "answers.jsonl")]) == 0
    assert run([*asked, str(tmp_path / "answers.parquet")]) == 0
    capsys.readouterr()
    assert run([*asked, "-"]) == 0
    printed = capsys.readouterr()
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [json.loads(line) for line in printed.out.splitlines()] == rows
    assert printed.err == ""
    assert len(rows) == 72
    assert all(len(row["ranked"]) == 2 and row["calibrated"] for row in rows)
    table = pq.read_table(tmp_path / "answers.parquet").to_pylist()
    assert [row["probability"] for row in table] == [row["probability"] for row in rows]
    assert table[0]["ranked"][0]["relation"] == rows[0]["ranked"][0][0]


@pytest.fixture(scope="module")
def keeping(trained) -> Path:
    """A run on the example data that keeps twelve of its statements."""
    out = trained.parent / "keeping"
    settings = ["encoder=cnn", "steps=5", "--keep-statements", "12"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(trained.parent / "cache"))
        data = str(trained.parent / "mine.parquet")
        assert run(["pretrain", "smoke", *settings, "--data", data, "--out", str(out)]) == 0
    return out


def test_training_statements_are_in_every_output_but_the_table(trained, keeping, tmp_path, capsys):
    asked = ["predict", str(keeping), str(HELD_OUT), "--format", "jsonl"]
    assert run([*asked, "--out", str(tmp_path / "answers.jsonl")]) == 0
    assert run([*asked, "--out", str(tmp_path / "answers.parquet")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    kept = {one.id: one for one in read_statements(keeping / "training_statements.parquet")}
    for row in rows:
        near = [one for one in row["evidence"] if one["kind"] == "statement"]
        assert len(near) == 3
        assert all((one["relation"], one["text"]) == (kept[one["id"]].relation, kept[one["id"]].text) for one in near)
    table = pq.read_table(tmp_path / "answers.parquet").to_pylist()
    for one, other in zip(rows, table, strict=True):
        own = [{name: value for name, value in each.items() if value is not None} for each in other["evidence"]]
        assert own == one["evidence"]
    capsys.readouterr()
    assert run(asked) == 0
    with_statements = capsys.readouterr().out
    assert run(["predict", str(trained), *asked[2:]]) == 0
    assert capsys.readouterr().out == with_statements


def test_the_number_of_training_statements_is_an_option(keeping, capsys):
    asked = ["predict", str(keeping), str(HELD_OUT), "--format", "jsonl", "--out", "-", "--nearest"]
    for number in (0, 1, 20):
        assert run([*asked, str(number)]) == 0
        first = json.loads(capsys.readouterr().out.splitlines()[0])
        kinds = [one["kind"] for one in first["evidence"]]
        assert kinds == ["prototype"] * min(number, 6) + ["statement"] * min(number, 12)


def test_a_damaged_file_of_training_statements_is_one_line(keeping, tmp_path, fails):
    broken = Path(shutil.copytree(keeping, tmp_path / "broken"))
    path = broken / "training_statements.safetensors"
    path.write_bytes(path.read_bytes()[:-2])
    said = fails("predict", broken, HELD_OUT, "--format", "jsonl")
    assert f"{path}: this file of the run is damaged or was changed" in said


def test_calibrated_and_changed_runs_keep_their_training_statements(keeping, tmp_path):
    out, more = tmp_path / "calibrated", tmp_path / "more"
    assert run(["calibrate", str(keeping), str(HELD_OUT), "--format", "jsonl", "--out", str(out)]) == 0
    words = ["--name", "married_to", "--describe", "spouse"]
    assert run(["relations", "add", str(out), *words, "--out", str(more)]) == 0
    assert run(["relations", "remove", str(more), "married_to"]) == 0
    assert len(RelationModel.from_pretrained(more).training_statements) == 12


def test_calibrate_prints_the_error_and_what_a_precision_costs(trained, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["calibrate", str(trained), str(HELD_OUT), "--format", "jsonl", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "72 held-out pairs of 18 documents, 50.0 % without a relation, 36 labels" in said
    assert "calibration error" in said
    assert "precision 0.90: " in said
    assert RelationModel.from_pretrained(out).calibration.held_out.name == "held_out.jsonl"


def test_a_run_folder_is_calibrated_in_place(trained, tmp_path, capsys):
    own = tmp_path / "own"
    RelationModel.from_pretrained(trained).save_pretrained(own)
    asked = ["calibrate", str(own), str(HELD_OUT), "--format", "jsonl", "--none-share", "0.9"]
    assert run(asked) == 0
    assert "probabilities are for texts where 90.0 % of the pairs hold no relation" in capsys.readouterr().out
    assert RelationModel.from_pretrained(own).calibration.none_share == 0.9


def test_a_relation_is_added_and_listed_and_removed_and_the_record_stays(calibrated, tmp_path, jsonl, capsys):
    more = tmp_path / "more"
    words = ["--name", "married_to", "--describe", "spouse: the person they are married to"]
    assert run(["relations", "add", str(calibrated), *words, "--out", str(more)]) == 0
    assert "married_to: added from words" in capsys.readouterr().out
    example = {"text": "Ada met Bela.", "head": "Ada", "tail": "Bela", "relation": "met"}
    assert run(["relations", "add", str(more), "--examples", str(jsonl(example)), "--format", "jsonl"]) == 0
    assert run(["relations", "list", str(more)]) == 0
    said = capsys.readouterr().out
    assert "met: added from examples" in said
    assert "married_to" in said
    assert "8 relations" in said
    assert read_record(more)["recipe"] == read_record(calibrated)["recipe"]
    assert run(["relations", "remove", str(more), "met", "married_to"]) == 0
    assert RelationModel.from_pretrained(more).relations.ids == RelationModel.from_pretrained(calibrated).relations.ids


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["predict", "RUN", "HELD", "--format", "jsonl", "--among", "borne_in"], "Did you mean 'born_in'?"),
        (["predict", "RUN", "HELD", "--format", "jsonl", "--min-precision", "1.5"], "between 0 and 1, got 1.5"),
        (["predict", "RUN", "HELD", "--format", "jsonl", "--min-precision", "0.9"], "protorel calibrate"),
        (["predict", "RUN", "HELD", "--format", "jsonl", "--out", "x.txt"], "ends in .jsonl or .parquet, or -"),
        (["predict", "minilm", "HELD", "--format", "jsonl"], "got an encoder without any"),
        (["predict", "RUN", "HELD", "--format", "jsonl", "--nearest", "-1"], "--nearest"),
        *(
            (["pretrain", "smoke", "--data", "x.parquet", "--out", "new", "--keep-statements", wrong], said)
            for wrong in ("0", "-3", "1.5", "some", "")
            for said in ("--keep-statements: expected a whole number of at least 1, or all, got ",)
        ),
        (["calibrate", "RUN", "nosuch.parquet"], "nosuch.parquet: no such file or folder"),
        (["calibrate", "minilm", "HELD", "--format", "jsonl"], "got an encoder without any"),
        (["relations", "remove", "RUN", "borne_in"], "did you mean 'born_in'?"),
        (["relations", "add", "RUN", "--describe", "x"], "--describe: expected --name"),
        (["relations", "add", "RUN"], "expected a relation to add"),
        (["relations", "add", "RUN", "--name", "born_in", "--describe", "x"], "got 'born_in'. Remove it first"),
        (["relations", "add", "RUN", "--name", "new"], "expected a name, a description or examples"),
        (["relations", "add", "minilm", "--name", "new", "--describe", "x"], "Write a new run with --out DIR"),
    ],
)
def test_what_cannot_be_done_is_one_line(trained, fails, arguments, said):
    named = {"RUN": str(trained), "HELD": str(HELD_OUT)}
    assert said in fails(*(named.get(one, one) for one in arguments))
