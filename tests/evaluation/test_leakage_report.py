"""Every result says whether overlap with its test set was removed from training, and how much it was."""

import dataclasses
import json
import shutil

import pytest

from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import evaluate_few_shot
from protorel.model import RelationModel
from protorel.statements import DataSet, find_leakage, fingerprint, write_statements
from protorel.training import load_recipe, pretrain


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=4)).train


@pytest.fixture(scope="module")
def exam(world):
    names = sorted({statement.relation for statement in world})[:5]
    return [statement for statement in world if statement.relation in names]


@pytest.fixture(scope="module")
def recipe(tiny_encoder_folder):
    small = [f"encoder={tiny_encoder_folder}", "steps=1", "relations_per_batch=4", "max_length=96"]
    return load_recipe("smoke", small)


@pytest.fixture(scope="module")
def careful(world, exam, recipe, tmp_path_factory):
    """A run that was decontaminated against the exam."""
    folder = tmp_path_factory.mktemp("runs") / "careful"
    pretrain(world, folder, recipe, decontaminate=[DataSet.of("exam.parquet", exam)])
    return folder


@pytest.fixture(scope="module")
def careless(world, recipe, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "careless"
    pretrain(world, folder, recipe)
    return folder


def judge(model, statements, **more):
    return evaluate_few_shot(str(model), DataSet.of("exam.parquet", statements), episodes=5, **more)


def test_a_decontaminated_run_carries_the_counts_and_gives_no_note(careful, world, exam):
    judged = judge(careful, exam)
    leakage = judged.as_json["leakage"]
    found = find_leakage(world, exam)
    assert (leakage["trained"], leakage["checked"], leakage["remaining"]) == (True, True, 0)
    assert leakage["known_relations"] == []
    assert leakage["removed"]["shared"] == found.counts()["shared"]
    assert leakage["removed"]["fingerprint"] == fingerprint(exam)
    assert judged.notes == ()


def test_a_part_of_the_test_set_is_decontaminated_too(careful, exam, tmp_path):
    (tmp_path / "only.txt").write_text("\n".join(sorted({s.relation for s in exam})[:2]))
    assert judge(careful, exam, way=2, only=str(tmp_path / "only.txt")).as_json["leakage"]["checked"]


def test_a_run_that_was_not_decontaminated_gets_a_note(careless, exam):
    judged = judge(careless, exam)
    leakage = judged.as_json["leakage"]
    assert (leakage["trained"], leakage["checked"]) == (True, False)
    assert (leakage["removed"], leakage["remaining"]) == (None, None)
    assert leakage["known_relations"] == sorted({s.relation for s in exam})
    known, apart = judged.notes
    assert known == "the run was trained on 5 of these 5 relations"
    assert "overlap with exam.parquet was not removed" in apart


def test_another_test_set_than_the_decontaminated_one_gets_a_note(careful, exam):
    judged = judge(careful, exam[1:])
    assert not judged.as_json["leakage"]["checked"]
    assert len(judged.notes) == 1


def test_relations_are_known_by_meaning(careful, world, exam, recipe, tmp_path):
    names = sorted({s.relation for s in exam})
    renamed = dict(zip(names, ["spouse", "birthPlace", "x", "y", "z"], strict=True))
    train = [
        dataclasses.replace(s, relation={names[0]: "P26", names[1]: "P19"}.get(s.relation, s.relation)) for s in world
    ]
    pretrain(train, tmp_path / "run", recipe)
    judged = judge(tmp_path / "run", [dataclasses.replace(s, relation=renamed[s.relation]) for s in exam])
    assert judged.as_json["leakage"]["known_relations"] == ["birthPlace", "spouse"]


def test_an_encoder_that_is_no_run_has_nothing_to_warn_of(tiny_encoder_folder, exam):
    judged = judge(tiny_encoder_folder, exam)
    assert judged.notes == ()
    assert judged.as_json["leakage"] == {
        "trained": False, "checked": False, "known_relations": [], "removed": None, "remaining": None,
    }  # fmt: skip


def test_a_run_is_no_further_apart_than_the_run_that_it_started_from(world, exam, careless, careful, recipe, tmp_path):
    for before, checked in ((careless, False), (careful, True)):
        folder = tmp_path / before.name
        started = recipe.model_copy(update={"encoder": str(before)})
        pretrain(world, folder, started, decontaminate=[DataSet.of("exam.parquet", exam)])
        leakage = judge(folder, exam).as_json["leakage"]
        assert leakage["checked"] is checked
        assert len(leakage["known_relations"]) == (0 if checked else 5)


def test_a_run_of_before_there_was_a_record_of_it_is_warned_of(careful, exam, tmp_path):
    shutil.copytree(careful, tmp_path / "old")
    record = json.loads((tmp_path / "old" / "protorel.json").read_text())
    del record["leakage"]
    (tmp_path / "old" / "protorel.json").write_text(json.dumps(record))
    assert "was not removed from the run's training data" in judge(tmp_path / "old", exam).notes[0]


def test_the_command_gives_each_note_a_line_and_the_json_its_counts(careless, careful, exam, tmp_path, capsys):
    write_statements(exam, tmp_path / "exam.parquet")
    arguments = ["fewshot", str(careless), str(tmp_path / "exam.parquet"), "--episodes", "5"]
    assert run(["evaluate", *arguments]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line[:25] for line in lines] == ["note: the run was trained", "note: overlap with exam.p"]
    arguments[1] = str(careful)
    assert run(["evaluate", *arguments, "--json", str(tmp_path / "result.json")]) == 0
    assert capsys.readouterr().err == ""
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["leakage"]["removed"]["shared"]["relations"]["shared"] == 5
    assert result["data"]["name"] == "exam.parquet"
    assert str(tmp_path) not in (tmp_path / "result.json").read_text()


def test_a_background_relation_that_means_the_same_is_left_out(tiny_encoder_folder, exam, world):
    names = sorted({s.relation for s in exam})
    tested = [dataclasses.replace(s, relation="spouse" if s.relation == names[0] else s.relation) for s in exam]
    background = [dataclasses.replace(s, relation="P26" if s.relation == names[0] else s.relation) for s in world]
    judged = judge(tiny_encoder_folder, tested, whiten=DataSet.of("train.parquet", background))
    assert judged.as_json["background"]["relations_left_out"] == 5


def test_a_run_by_its_hub_id_or_loaded_or_just_trained_has_the_same_notes(
    careless, world, exam, recipe, tmp_path, monkeypatch
):
    snapshot = tmp_path / "hub" / "models--org--careless" / "snapshots" / "abc"
    shutil.copytree(careless, snapshot)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs" / "main").write_text("abc")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    data = DataSet.of("exam.parquet", exam)
    by_folder = judge(careless, exam)
    trained = pretrain(world, tmp_path / "careless", recipe)
    for model in ("org/careless", RelationModel.from_pretrained(careless), trained):
        found = evaluate_few_shot(model, data, episodes=5)
        assert found.notes == by_folder.notes
        assert found.as_json["leakage"] == by_folder.as_json["leakage"]
        assert found.as_json["run"]["name"] == "careless"
        assert found.as_json["run"]["recipe"] == by_folder.as_json["run"]["recipe"]
