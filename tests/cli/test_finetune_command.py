"""`protorel finetune`: what it prints, what it refuses, and how it goes on."""

from __future__ import annotations

import dataclasses

import pytest

from protorel.cli import run
from protorel.model import read_record
from protorel.statements import Interrupted, read_statements, write_statements

SMALL = ["epochs=2", "batch_size=64", "chunks=2"]


@pytest.fixture
def tune(data, finished_run, tmp_path):
    """Tune the finished run by the command line."""

    def tune(*more: object, recipe: str = "supervised", out: str = "tuned") -> int:
        given = ["--model", finished_run, "--data", data, "--out", tmp_path / out]
        return run([str(part) for part in ("finetune", recipe, *SMALL, *given, *more)])

    return tune


def test_it_says_what_was_used_and_which_epoch_was_the_best(tune, tmp_path, capsys):
    assert tune("hold_out=40", "metric=accuracy") == 0
    out = capsys.readouterr().out
    record = read_record(tmp_path / "tuned")
    used, results = record["data"], record["results"]
    assert f"{used['statements']} statements used, 0 rejected, 0 unlabelled; 22 labels" in out
    each = " ".join(f"{100 * score:.1f}" for score in results["dev_scores"])
    best = f"epoch {results['best_epoch']} of 2 was the best by accuracy on 40 dev statements: {each} %"
    assert best in out
    assert f"the tuned run is in {tmp_path / 'tuned'}" in out.replace("\n", "")


def test_what_was_dropped_for_a_test_set_is_printed(tune, data, tmp_path, capsys):
    write_statements(read_statements(data)[:20], tmp_path / "exam.parquet")
    assert tune("--decontaminate", tmp_path / "exam.parquet") == 0
    removed = read_record(tmp_path / "tuned")["leakage"]["removed"]
    assert f"overlap with exam.parquet removed: {removed} statements (pairs " in capsys.readouterr().out


def test_a_warning_is_one_line_that_begins_with_note(tune, data, tmp_path, capsys):
    dev = [dataclasses.replace(s, relation="new") for s in read_statements(data)[:3]]
    write_statements(dev, tmp_path / "dev.parquet")
    assert tune("--dev", tmp_path / "dev.parquet") == 0
    notes = capsys.readouterr().err.strip().splitlines()
    assert [note[:26] for note in notes] == ["note: 3 of the 3 dev state"] * 2


def test_any_format_can_be_tuned_on(jsonl, finished_run, tmp_path):
    rows = [
        {"tokens": ["Ada", name, "was", how, "in", "Lunsk", "."], "head": [0, 2], "tail": [5, 6], "relation": how}
        for name in ("Kroll", "Tarn", "Berg", "Holm")
        for how in ("born", "buried")
    ]
    path = jsonl(*rows)
    given = ["--model", finished_run, "--data", path, "--format", "jsonl", "--out", tmp_path / "tuned"]
    assert run([str(part) for part in ("finetune", "supervised", *SMALL, *given)]) == 0
    assert read_record(tmp_path / "tuned")["data"]["labels"] == {"born": 4, "buried": 4}


@pytest.mark.parametrize(
    ("verb", "named", "told"),
    [
        (
            "pretrain",
            "semeval",
            "recipe semeval: expected a recipe for pretraining, got one of kind 'supervised'. Use `protorel finetune`",
        ),
        ("finetune", "col_final", "Use `protorel pretrain`"),
        ("finetune", "semevel", "recipe 'semevel' is not known; did you mean 'semeval'?"),
    ],
)
def test_a_recipe_for_another_verb_is_refused_in_one_line(fails, data, finished_run, tmp_path, verb, named, told):
    model = ["--model", finished_run] if verb == "finetune" else []
    assert told in fails(verb, named, *model, "--data", data, "--out", tmp_path / "run")


def test_a_setting_that_does_not_fit_the_data_is_refused_in_one_line(fails, data, finished_run, tmp_path):
    given = ["--model", finished_run, "--data", data, "--out", tmp_path / "run"]
    told = fails("finetune", "semeval", *given)
    assert (
        "no_relation: expected one of the data's 22 labels, got 'Other'. Name one of them, or set no_relation=null"
        in told
    )
    assert "hold_out=1500" in fails("finetune", "semeval", "no_relation=null", *given)
    assert "no such file" in fails("finetune", "supervised", *given, "--dev", tmp_path / "absent.parquet")


def test_a_tuning_that_was_stopped_names_the_command_that_goes_on(
    tune, data, finished_run, tmp_path, capsys, monkeypatch
):
    def interrupted(*_, **__):
        raise Interrupted("stopped")

    with monkeypatch.context() as patch:
        patch.setattr("protorel.training.finetune", interrupted)
        assert tune("seed=3", "--decontaminate", data, "--dev", data, "--keep-statements", "all", out="my run") == 130
    line = capsys.readouterr().err
    assert (
        f"Continue with: protorel finetune supervised {' '.join(SMALL)} seed=3 --model {finished_run} --data {data} "
        f"--out '{tmp_path / 'my run'}' --dev {data} --decontaminate {data} "
        "--keep-statements all --resume"
    ) in line


def test_a_tuning_that_lost_its_record_goes_on_by_resume(tune, tmp_path):
    assert tune("--keep-state") == 0
    (tmp_path / "tuned" / "protorel.json").unlink()
    assert tune("--resume") == 0
    assert read_record(tmp_path / "tuned")["results"]["epochs"] == 2


def test_a_model_for_text_is_tuned_on_pairs_without_a_relation(tune, data, tmp_path, capsys):
    statements = read_statements(data)
    none = sorted({s.relation for s in statements})[:5]
    pairs = [dataclasses.replace(s, relation="no_relation") if s.relation in none else s for s in statements]
    write_statements(pairs[:150], tmp_path / "pairs.parquet")
    trained = {s.key for s in pairs[:150]}
    write_statements([s for s in pairs[150:] if s.key not in trained], tmp_path / "dev.parquet")
    given = ("--data", tmp_path / "pairs.parquet", "--dev", tmp_path / "dev.parquet")
    assert tune(*given, recipe="extraction") == 0
    record = read_record(tmp_path / "tuned")
    out = capsys.readouterr().out
    assert f"was the best by micro F1 at the best threshold on {record['dev']['statements']} dev statements" in out
    assert record["data"]["pairs"]["none"] > 0
