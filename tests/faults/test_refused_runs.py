"""What cannot be trained, or cannot be gone on with, is refused in one line before anything is lost."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from protorel.model import read_record
from protorel.statements import BadInput
from protorel.training import finetune, pretrain
from protorel.training.checkpoint import load_checkpoint


def refused(data, out: Path, recipe, *, resume: bool = False, match: str) -> str:
    with pytest.raises(BadInput, match=match) as found:
        pretrain(data, out, recipe, resume=resume)
    assert "\n" not in str(found.value)
    return str(found.value)


@pytest.fixture
def run(data, recipe, tmp_path) -> Path:
    pretrain(data, tmp_path / "run", recipe("steps=1"))
    return tmp_path / "run"


@pytest.fixture
def stopped(data, recipe, tmp_path) -> Path:
    """A run that was killed after its last step, before it had a record."""
    pretrain(data, tmp_path / "run", recipe("steps=1"), keep_state=True)
    (tmp_path / "run" / "protorel.json").unlink()
    return tmp_path / "run"


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_is_never_written_over(run, data, recipe):
    before = files_of(run)
    refused(data, run, recipe("steps=1"), match=r"run: exists already. .*--resume")
    assert files_of(run) == before


def test_a_folder_that_holds_anything_else_is_not_taken_for_a_run(data, recipe, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("dear")
    refused(data, tmp_path / "letters", recipe(), match="letters: exists already")
    refused(data, tmp_path / "letters", recipe(), resume=True, match="letters: expected a run to resume, got none")
    (tmp_path / "file").write_text("dear")
    refused(data, tmp_path / "file", recipe(), match="file: exists already")


def test_a_folder_that_does_not_exist_cannot_be_resumed(data, recipe, tmp_path):
    refused(data, tmp_path / "absent", recipe(), resume=True, match="absent: expected a run to resume, got none")
    assert not (tmp_path / "absent").exists()


def test_an_empty_folder_is_a_good_place_for_a_run(data, recipe, tmp_path):
    (tmp_path / "empty").mkdir()
    pretrain(data, tmp_path / "empty", recipe("steps=1"))
    assert (tmp_path / "empty" / "protorel.json").is_file()


def test_a_place_that_cannot_be_written_is_refused_at_once(data, recipe, tmp_path):
    (tmp_path / "file").write_text("")
    refused(data, tmp_path / "file" / "run", recipe(), match=r"run: cannot write here \(Not a directory\)")


def test_after_a_refusal_the_same_folder_can_be_used(data, recipe, tmp_path):
    refused(tmp_path / "absent.parquet", tmp_path / "run", recipe("steps=1"), match=r"absent\.parquet: no such file")
    refused(data, tmp_path / "run", recipe("steps=1", "max_length=65"), match="max_length: expected at most 64 tokens")
    pretrain(data, tmp_path / "run", recipe("steps=1"))
    assert (tmp_path / "run" / "protorel.json").is_file()


def test_a_run_cannot_be_resumed_on_other_data(stopped, statements, recipe):
    before = files_of(stopped)
    refused(statements[1:], stopped, recipe("steps=1"), resume=True, match="started on other data")
    other = [dataclasses.replace(statements[0], id="other"), *statements[1:]]
    refused(other, stopped, recipe("steps=1"), resume=True, match="started on other data")
    assert files_of(stopped) == before


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("learning_rate=0.5", r"started with learning_rate=0\.\d+, got 0\.5"),
        ("seed=7", "started with seed=0, got 7"),
        ("steps=2", "started with steps=1, got 2"),
        ("objective.s2z.bias=-3", r"started with objective\.s2z\.bias=-5\.0, got -3\.0"),
        ("cnn.dropout=0", r"started with cnn\.dropout=0\.2, got 0\.0"),
        ("chunks=3", "started with chunks=2, got 3"),
    ],
)
def test_a_run_cannot_be_resumed_with_another_recipe_and_the_key_is_named(stopped, data, recipe, override, told):
    refused(data, stopped, recipe("steps=1", override), resume=True, match=told)


def test_how_often_to_save_may_change_from_one_resume_to_the_next(stopped, data, recipe):
    pretrain(data, stopped, recipe("steps=1", "checkpoint_every=1"), resume=True)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("steps=2", r"run: this run was made with recipe\.steps=1, now it is 2; use the same settings"),
        ("objective.s2z.bias=-3", r"made with recipe\.objective\.s2z\.bias=-5\.0, now it is -3\.0"),
        ("encoder=cnn", "made with encoder=.*, got 'cnn'"),
    ],
)
def test_a_finished_run_is_not_taken_for_one_of_another_recipe(run, data, recipe, override, told):
    before = files_of(run)
    refused(data, run, recipe("steps=1", override), resume=True, match=told)
    assert files_of(run) == before


def test_a_finished_run_is_not_taken_for_a_tuned_one(run, data, tuning):
    with pytest.raises(
        BadInput, match=r"run: this run was made by `protorel pretrain`\. Resume it with the same command"
    ):
        finetune("cnn", data, run, tuning("epochs=1"), resume=True)


def test_a_folder_whose_record_tells_of_no_training_cannot_be_gone_on_with(run, data, recipe):
    record = json.loads((run / "protorel.json").read_text())
    del record["recipe"]
    (run / "protorel.json").write_text(json.dumps(record))
    refused(data, run, recipe("steps=1"), resume=True, match="not made by `protorel pretrain` or")


def test_a_finished_run_with_a_damaged_file_is_named_when_it_is_resumed(run, data, recipe):
    (run / "model.safetensors").unlink()
    refused(data, run, recipe("steps=1"), resume=True, match=r"model\.safetensors: this file of the run is missing")


@pytest.mark.parametrize("out", ["run", "new/runs/run"])
@pytest.mark.parametrize("kind", ["pretrain", "finetune"])
def test_a_refused_run_leaves_no_folder_that_was_not_there_before(recipe, tuning, data, tmp_path, out, kind):
    absent, nothing = tmp_path / "absent.parquet", tmp_path / "no-encoder"
    nothing.mkdir()

    def train(data: Path, encoder: str) -> None:
        if kind == "pretrain":
            pretrain(data, tmp_path / out, recipe(f"encoder={encoder}"))
        else:
            finetune(encoder, data, tmp_path / out, tuning("epochs=1"))

    for bad_data, encoder in ((absent, "cnn"), (data, str(nothing))):
        with pytest.raises(BadInput):
            train(bad_data, encoder)
        assert [path.name for path in tmp_path.iterdir()] == ["no-encoder"]


def test_a_refused_run_leaves_a_user_s_own_folders_as_they_were(recipe, tmp_path):
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "letter.txt").write_text("dear")
    for out in ("mine", "other/deep"):
        refused(tmp_path / "absent.parquet", tmp_path / "runs" / out, recipe(), match="no such file")
        assert sorted(path.name for path in (tmp_path / "runs").rglob("*")) == ["letter.txt", "mine"]


def test_a_failure_of_ours_before_the_first_checkpoint_leaves_nothing_either(recipe, data, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("protorel.training.run.save_checkpoint", broken)
    with pytest.raises(ZeroDivisionError):
        pretrain(data, tmp_path / "new" / "run", recipe("steps=1"))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_can_be_made_in_part_only_is_not_left_in_part(recipe, data, tmp_path):
    refused(data, tmp_path / "new" / ("x" * 300), recipe(), match=r"cannot write here \(File name too long\)")
    assert not list(tmp_path.iterdir())


def test_a_run_that_fails_after_its_first_checkpoint_keeps_it(recipe, data, tmp_path):
    def fail(step: int, steps: int, *, loss: float, statements: int) -> None:
        raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        pretrain(data, tmp_path / "run", recipe("steps=2"), watch=fail)
    assert load_checkpoint(tmp_path / "run" / "state").step == 0
    with pytest.raises(BadInput, match="no such file"):
        pretrain(tmp_path / "absent.parquet", tmp_path / "run", recipe("steps=2"), resume=True)
    assert load_checkpoint(tmp_path / "run" / "state").step == 0


def one_of_its_kind(statements):
    lone = statements[0].relation
    kept = [s for s in statements if s.relation != lone]
    return lone, [statements[0], *kept]


def test_a_relation_with_a_single_statement_is_named_with_the_remedy(statements, recipe, tmp_path):
    lone, few = one_of_its_kind(statements)
    told = refused(few, tmp_path / "run", recipe("steps=1"), match="min_statements=2")
    assert f"relation {lone!r}: expected at least 2 statements, got 1" in told


def test_the_remedy_for_a_single_statement_works(statements, recipe, tmp_path):
    lone, few = one_of_its_kind(statements)
    model = pretrain(few, tmp_path / "run", recipe("steps=1", "min_statements=2"))
    assert lone not in [relation.id for relation in model.relations]
    assert len(model.relations) == 21


def test_data_without_labels_or_without_statements_are_refused(statements, recipe, tmp_path):
    bare = [dataclasses.replace(statement, relation=None) for statement in statements[:9]]
    for nothing in (bare, []):
        refused(nothing, tmp_path / "run", recipe(), match="no labelled statement")


def test_data_whose_every_relation_is_left_out_are_refused(statements, recipe, tmp_path):
    (tmp_path / "all.txt").write_text("\n".join({statement.relation for statement in statements}))
    left_out = recipe(f"without_relations={tmp_path / 'all.txt'}")
    refused(statements, tmp_path / "run", left_out, match=r"got 0\. without_relations=.*all\.txt leaves out 22 of 22")


def test_statements_of_which_none_fits_are_refused_with_the_reason(statements, recipe, tmp_path):
    wide = [s for s in statements if s.head.of(s.text).count(" ")]
    refused(wide, tmp_path / "run", recipe("max_length=8"), match="none of the statements.*max_length is 8")


def test_unlabelled_statements_among_labelled_ones_are_counted_and_passed_over(statements, recipe, tmp_path):
    bare = [dataclasses.replace(statement, relation=None) for statement in statements[:5]]
    pretrain([*bare, *statements], tmp_path / "run", recipe("steps=1"))
    told = read_record(tmp_path / "run")["data"]
    assert (told["statements"], told["unlabelled"], told["relations"]) == (len(statements), 5, 22)


def test_an_objective_with_no_term_is_refused(data, recipe, tmp_path):
    none = [f"objective.{name}.weight=0" for name in ("s2s", "s2z", "s2z_prime", "cls", "mlm")]
    refused(data, tmp_path / "run", recipe(*none), match="every weight is 0")


def test_rows_longer_than_the_encoder_can_read_are_refused(data, recipe, tmp_path):
    refused(
        data, tmp_path / "run", recipe("max_length=65"), match="max_length: expected at most 64 tokens for .*, got 65"
    )


def test_a_folder_without_an_encoder_is_refused(data, recipe, tmp_path):
    (tmp_path / "bare").mkdir()
    refused(data, tmp_path / "run", recipe(f"encoder={tmp_path / 'bare'}"), match=r"bare: .*without config\.json")
