"""Classification evaluated: the figures are those of the answers, and what a reader must know is said."""

from __future__ import annotations

import dataclasses
import json

import pytest

from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import class_scores, evaluate_classification, read_answers, score_semeval
from protorel.evaluation.classification.semeval_counts import SEMEVAL_LABELS
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput, DataSet, fingerprint, write_statements
from protorel.training import finetune, load_finetune_recipe

SMALL = [
    "max_length=48",
    "chunks=2",
    "cnn.channels=16",
    "cnn.most_frequent_words=200",
    "learning_rate=0.005",
    "head_factor=2",
]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def world():
    """A small world whose labels are those of SemEval 2010 task 8."""
    settings = SmallWorldSettings(noise=0, statements_per_relation=12, held_out_per_relation=1)
    statements = build_small_world(settings).train
    names = dict(zip(sorted({s.relation for s in statements}), [*SEMEVAL_LABELS, *["Other"] * 9], strict=False))
    return [dataclasses.replace(s, relation=names[s.relation], id=str(number)) for number, s in enumerate(statements)]


@pytest.fixture(scope="module")
def tuned(world, tmp_path_factory):
    """A run that was tuned on all but 60 statements, and decontaminated against none."""
    folder = tmp_path_factory.mktemp("runs") / "tuned"
    finetune("cnn", world[60:], folder, load_finetune_recipe("semeval", [*SMALL, "epochs=8", "hold_out=0"]))
    return folder


@pytest.fixture
def exam(world):
    return DataSet.of("exam.parquet", world[:60])


def test_the_official_figure_is_that_of_the_answers_which_are_those_of_the_classifier(tuned, world, exam, tmp_path):
    found = evaluate_classification(tuned, exam, scorer="semeval", answers=tmp_path / "answers.txt")
    model = RelationModel.from_pretrained(tuned)
    wanted = dict(zip([s.id for s in world], model.classifier.answers(model.encode(world[:60])), strict=False))
    assert found.answers == read_answers(tmp_path / "answers.txt") == wanted
    score = score_semeval({s.id: s.relation for s in world[:60]}, wanted)
    assert (found.f1, found.result.report()) == (score.macro_f1, score.report())
    assert found.as_json["f1"] == score.f1 > 0
    assert len(set(wanted.values())) > 3


def test_a_loaded_model_and_one_that_was_looked_up_give_the_figures_of_the_folder(tuned, exam):
    by_folder = evaluate_classification(tuned, exam)
    assert evaluate_classification(ModelSource.find(tuned), exam).as_json == by_folder.as_json
    found = evaluate_classification(RelationModel.from_pretrained(tuned), exam)
    assert (found.result, found.answers) == (by_folder.result, by_folder.answers)


@pytest.mark.parametrize("scorer", ["micro", "macro"])
def test_other_figures_leave_out_no_relation(tuned, world, exam, scorer):
    found = evaluate_classification(tuned, exam, scorer=scorer, seed=3)
    gold = [s.relation for s in world[:60]]
    scores = class_scores(gold, list(found.answers.values()), no_relation="Other", seed=3)
    assert found.f1 == getattr(scores, f"{scorer}_f1")
    assert found.as_json["accuracy"]["value"] == scores.accuracy.value
    assert found.as_json["no_relation"] == "Other"


def test_the_json_tells_all_that_made_the_figure_and_no_path(tuned, world, exam):
    as_json = evaluate_classification(tuned, exam, scorer="semeval").as_json
    assert (as_json["task"], as_json["scorer"], as_json["seed"]) == ("classify", "semeval", 0)
    assert as_json["data"] == {
        "name": "exam.parquet", "fingerprint": fingerprint(world[:60]), "statements": 60, "unlabelled": 0,
        "relations": len({s.relation for s in world[:60]}),
    }  # fmt: skip
    assert as_json["run"]["recipe"]["kind"] == "supervised"
    assert as_json["run"]["fingerprint"] == RelationModel.from_pretrained(tuned).fingerprint
    assert as_json["labels"] == list(RelationModel.from_pretrained(tuned).classifier.labels.ids)
    assert 0 <= as_json["f1"] <= 1
    assert 0 <= as_json["margin"] <= 1
    assert {"machine", "versions", "leakage"} <= as_json.keys()
    assert str(tuned.parent) not in json.dumps(as_json)


def test_labels_that_the_classifier_does_not_know_are_counted_and_wrong(tuned, world):
    strange = [dataclasses.replace(s, relation="strange, (new)") for s in world[:9]]
    found = evaluate_classification(tuned, DataSet.of("exam", [*strange, *world[9:60]]))
    note = "9 of 60 statements carry 1 labels that the classifier does not know ('strange, (new)'); they count as wrong"
    assert found.notes[0] == note
    assert found.as_json["unknown_labels"] == {"strange, (new)": 9}
    plain = evaluate_classification(tuned, DataSet.of("exam", world[9:60]))
    right = round(plain.result.accuracy.value * 51)
    assert found.result.accuracy.value == pytest.approx(right / 60)


def test_whether_the_run_was_decontaminated_is_said_but_not_that_it_knows_its_labels(tuned, world, exam, tmp_path):
    (note,) = evaluate_classification(tuned, exam).notes
    assert note.startswith("overlap with exam.parquet was not removed from the run's training data (--decontaminate)")
    recipe = load_finetune_recipe("semeval", [*SMALL, "epochs=1", "hold_out=0"])
    finetune("cnn", world, tmp_path / "apart", recipe, decontaminate=[exam])
    found = evaluate_classification(tmp_path / "apart", exam)
    assert not any("apart" in note or "trained on" in note for note in found.notes)
    leakage = found.as_json["leakage"]
    assert (leakage["checked"], leakage["removed"]["may_share"]) == (True, ["relations"])
    assert leakage["known_relations"]


def test_unlabelled_statements_are_left_out_and_counted(tuned, world):
    bare = [dataclasses.replace(s, relation=None) for s in world[:5]]
    found = evaluate_classification(tuned, DataSet.of("exam", [*bare, *world[5:60]]))
    assert (found.as_json["data"]["statements"], found.as_json["data"]["unlabelled"]) == (55, 5)
    with pytest.raises(BadInput, match="expected labelled statements, got none with a label"):
        evaluate_classification(tuned, DataSet.of("exam", bare))


def test_ids_that_do_not_tell_statements_apart_are_refused_where_answers_go_by_id(tuned, world, tmp_path):
    twice = DataSet.of("exam", [dataclasses.replace(s, id="7") for s in world[:2]])
    bare = DataSet.of("exam", [dataclasses.replace(s, id="") for s in world[:2]])
    for data, message in (
        (twice, "exam: expected each id once, got '7' 2 times"),
        (bare, "exam: expected an id for each statement, got 2 without"),
    ):
        with pytest.raises(BadInput, match=message):
            evaluate_classification(tuned, data, scorer="semeval")
        with pytest.raises(BadInput, match=message):
            evaluate_classification(tuned, data, answers=tmp_path / "answers.txt")
        assert evaluate_classification(tuned, data).result.accuracy.count == 2
    assert not (tmp_path / "answers.txt").exists()


def test_a_label_that_is_not_the_tasks_is_refused_before_anything_is_encoded(tuned, world, monkeypatch):
    monkeypatch.setattr(RelationModel, "load", lambda *_, **__: pytest.fail("loaded"))
    strange = DataSet.of("exam", [dataclasses.replace(world[0], relation="Cause-Effekt(e1,e2)")])
    with pytest.raises(BadInput, match=r"exam: expected one of the task's 19 labels, got 'Cause-Effekt\(e1,e2\)'; did"):
        evaluate_classification(tuned, strange, scorer="semeval")


def test_a_model_without_a_classifier_is_refused_with_the_remedy(tiny_encoder_folder, exam):
    with pytest.raises(BadInput, match=r"a model with a classifier, got one without\. `protorel finetune … --model"):
        evaluate_classification(tiny_encoder_folder, exam)


def test_the_command_prints_the_official_report_and_writes_answers_and_json(tuned, world, tmp_path, capsys):
    write_statements(world[:60], tmp_path / "exam.parquet")
    files = ["--answers", str(tmp_path / "answers.txt"), "--json", str(tmp_path / "result.json")]
    arguments = ["evaluate", "classify", str(tuned), str(tmp_path / "exam.parquet")]
    assert run([*arguments, "--scorer", "semeval", *files]) == 0
    printed = capsys.readouterr()
    result = json.loads((tmp_path / "result.json").read_text())
    assert f"macro-averaged F1 = {100 * result['f1']:.2f}%" in printed.out
    assert "note: official macro-averaged F1 with its 95 % interval" in printed.err
    # The answer file is one that the official scorer takes.
    assert run(["evaluate", "answers", str(tmp_path / "answers.txt"), str(tmp_path / "exam.parquet")]) == 0
    assert capsys.readouterr().out == printed.out
    assert run([*arguments, "--scorer", "micro"]) == 0
    assert capsys.readouterr().out.startswith("micro F1 ")
