"""`protorel audit`: the worst labels for people, three files for programs, cleaned statements for training."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from protorel.audit import Audit
from protorel.cli import run
from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.statements import read_statements, write_statements


@pytest.fixture(scope="module")
def world():
    return list(build_small_world(SmallWorldSettings(noise=0.3, statements_per_relation=4)).train)


@pytest.fixture
def here(tmp_path, monkeypatch, world):
    monkeypatch.chdir(tmp_path)
    write_statements([replace(one, expresses=None) for one in world], "data.parquet")
    return tmp_path


def audit(model, *options) -> int:
    return run(["audit", str(model), "data.parquet", "--out", "out", *map(str, options)])


def test_an_audit_is_written_and_its_worst_labels_are_shown(here, finished_run, capsys, world):
    assert audit(finished_run, "--show", 3) == 0
    printed = capsys.readouterr()
    found = Audit.read("out")
    assert len(found) == len(world)
    assert f"{len(world)} labels of 22 relations: {found.label_issues} look wrong" in printed.out
    assert "most suspicious labels" in printed.out
    assert "relations with the most wrong labels" in printed.out
    assert "`protorel judge out` measures it" in printed.err
    assert sorted(path.name for path in (here / "out").iterdir()) == [
        "audit.parquet",
        "relations.parquet",
        "summary.json",
    ]
    summary = json.loads((here / "out" / "summary.json").read_text())
    assert summary["settings"] == {"folds": 5, "neighbours": 20, "reverse": True, "wordings": True, "seed": 0}
    assert {"machine", "versions", "run", "data"} <= summary.keys()


def test_both_tables_call_relations_by_their_names(here, finished_run, capsys, world):
    named = {relation: f"Q{number}x" for number, relation in enumerate(sorted({str(one.relation) for one in world}))}
    (here / "names.json").write_text(json.dumps({key: [name, "a relation"] for key, name in named.items()}))
    assert audit(finished_run, "--descriptions", "names.json", "--no-reverse", "--show", 5) == 0
    shown = capsys.readouterr().out.partition("22 relations: ")[0]
    assert any(name in shown.partition("relations with")[0] for name in named.values())
    assert any(name in shown.partition("relations with")[2] for name in named.values())
    assert not any(relation in shown for relation in named if "_" in relation)


def test_settings_reach_the_audit_and_the_table_may_be_left_out(here, finished_run, capsys):
    options = ["--folds", 3, "--neighbours", 5, "--no-reverse", "--no-wordings", "--seed", 7, "--show", 0]
    assert audit(finished_run, *options) == 0
    assert "most suspicious" not in capsys.readouterr().out
    found = Audit.read("out")
    assert found.summary["settings"] == {"folds": 3, "neighbours": 5, "reverse": False, "wordings": False, "seed": 7}
    assert found.table["reverse_probability"].null_count == len(found)


def test_kept_statements_are_written_in_the_order_of_the_data(here, finished_run, capsys):
    assert audit(finished_run, "--keep", "kept.parquet", "--show", 0) == 0
    kept = Audit.read("out").keep()
    assert read_statements("kept.parquet") == list(kept.statements)
    assert (
        f"{len(kept.statements)} statements kept in kept.parquet, {len(kept.dropped)} dropped"
        in capsys.readouterr().out
    )


def test_what_the_model_knows_nothing_of_and_unlabelled_statements_are_noted(here, tiny_encoder_folder, capsys, world):
    write_statements([*world, replace(world[0], relation=None, expresses=None)], "data.parquet")
    assert audit(tiny_encoder_folder, "--show", 0) == 0
    printed = capsys.readouterr()
    assert "1 statements without a label were left out" in printed.err
    assert "22 relations have neither prototype nor description" in printed.err
    assert f"scores are calibrated on {len(world)} statements" in printed.out


def test_an_audit_replaces_one_that_is_there(here, finished_run):
    assert audit(finished_run, "--show", 0) == 0
    first = Audit.read("out").id
    write_statements(read_statements("data.parquet")[:40], "data.parquet")
    assert audit(finished_run, "--show", 0) == 0
    assert Audit.read("out").id != first


def test_hostile_texts_reach_the_terminal_as_text(here, finished_run, capsys, world):
    bad = [replace(one, relation=f"[red]\x1b[31m{one.relation}\u202e") for one in world]
    write_statements(bad, "data.parquet")
    assert audit(finished_run, "--show", 5) == 0
    printed = capsys.readouterr().out
    assert "\x1b[31m" not in printed
    assert "\u202e" not in printed
    assert "[red]" in printed


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda world: world[:1], "data.parquet: expected statements of at least 2 relations, to compare them, got 1"),
        (lambda world: [replace(one, relation="x") for one in world], "statements of one. Add statements of other"),
        (lambda world: [replace(one, relation=None, expresses=None) for one in world], "statements without a label"),
        (lambda world: world[:0], "data.parquet: expected labelled statements, got no statements"),
    ],
)
def test_data_that_cannot_be_audited_are_one_line_and_nothing_is_written(
    here, fails, finished_run, world, rows, message
):
    write_statements(rows(world), "data.parquet")
    assert message in fails("audit", finished_run, "data.parquet", "--out", "out", "--keep", "kept.parquet")
    assert not (here / "out").exists()
    assert not (here / "kept.parquet").exists()


def test_damaged_training_dynamics_are_one_line(here, fails, finished_run, tmp_path):
    shutil.copytree(finished_run, "mine")
    (tmp_path / "mine" / "training_dynamics.parquet").write_bytes(b"PAR1 nothing PAR1")
    assert "training_dynamics.parquet: expected a Parquet file" in fails(
        "audit", "mine", "data.parquet", "--out", "out"
    )


def test_an_audit_never_replaces_its_data(here, fails, finished_run):
    shutil.copy("data.parquet", "audit.parquet")
    line = fails("audit", finished_run, "audit.parquet", "--out", ".")
    assert "audit.parquet: would overwrite or extend audit.parquet. Choose another place." in line
    line = fails("audit", finished_run, "data.parquet", "--out", "out", "--keep", here / "data.parquet")
    assert "would overwrite or extend data.parquet" in line
