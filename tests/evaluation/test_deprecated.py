"""Old names of evaluation work for one release, and say the new ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import protorel
from protorel import evaluation
from protorel.evaluation import FuzzyRedSettings, PairSettings, evaluate_fuzzyred, evaluate_pairs, score_pairs
from protorel.statements import DataSet, Span, Statement

TEXTS = {"Ada was born in Lunsk.": True, "Ada, born in Lunsk.": True, "Ada never saw Lunsk.": False}
STATEMENTS = [
    Statement(text, Span(0, 3), Span(len(text) - 6, len(text) - 1), "born_in", expresses=true)
    for text, true in TEXTS.items()
]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AnswersJudgement", "AnswersEvaluation"),
        ("ClassifyJudgement", "ClassificationEvaluation"),
        ("FewShotJudgement", "FewShotEvaluation"),
        ("PairJudgement", "PairEvaluation"),
        ("JudgedSpace", "EmbeddingSpace"),
        ("Background", "HeldOutWhitening"),
        ("learn_background", "whiten_by"),
        ("measured", "bootstrap_measurement"),
        ("redrawn_counts", "bootstrap_counts"),
        ("judge_answers", "evaluate_answers"),
        ("judge_classify", "evaluate_classification"),
    ],
)
def test_an_old_name_gives_the_new_thing_and_says_its_name(old, new):
    with pytest.warns(FutureWarning, match=f"^protorel.evaluation.{old} is now protorel.evaluation.{new}$"):
        assert getattr(evaluation, old) is getattr(evaluation, new)
    assert old not in evaluation.__all__


def test_the_old_name_at_the_top_works_too():
    with pytest.warns(FutureWarning, match=r"^protorel.judge_classify is now protorel.evaluate_classification$"):
        from protorel import judge_classify
    assert judge_classify is protorel.evaluate_classification


def test_old_functions_take_their_old_arguments(tiny_encoder_folder):
    with pytest.warns(FutureWarning, match="is now protorel.evaluation.score_pairs"):
        judge_by_pair = evaluation.judge_by_pair
    probabilities = np.array([[0.9, 0.1]] * 3)
    found = judge_by_pair(probabilities, ["born_in", "spouse"], STATEMENTS, combine="mean", at=[1], seed=2)
    settings = PairSettings("mean", at=(1,), seed=2)
    assert found == score_pairs(probabilities, ["born_in", "spouse"], STATEMENTS, settings)
    with pytest.warns(FutureWarning, match="is now protorel.evaluation.evaluate_fuzzyred"):
        judge_fuzzyred = evaluation.judge_fuzzyred
    data, folder = DataSet.of("mine", STATEMENTS), str(tiny_encoder_folder)
    old = judge_fuzzyred(folder, data, shots=[1], draws=3, seed=5, readout="mean")
    assert old.as_json == evaluate_fuzzyred(folder, data, FuzzyRedSettings((1,), 3, 5, "mean")).as_json
    with pytest.warns(FutureWarning, match="is now protorel.evaluation.evaluate_pairs"):
        judge_pairs = evaluation.judge_pairs
    messages = []
    for evaluate in (
        lambda: judge_pairs(folder, data, combine="mean", at=[1]),
        lambda: evaluate_pairs(folder, data, PairSettings("mean", at=(1,))),
    ):
        with pytest.raises(protorel.BadInput, match="expected a classifier or prototypes") as problem:
            evaluate()
        messages.append(str(problem.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("room", [protorel, evaluation])
def test_few_shot_takes_its_old_arguments(room, some_statements, tiny_encoder_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path))
    everything = DataSet.of("all", some_statements)
    tested = DataSet.of("test", some_statements[:4])
    with pytest.warns(
        FutureWarning, match=f"^{room.__name__}.judge_few_shot is now {room.__name__}.evaluate_few_shot$"
    ):
        old = room.judge_few_shot
    found = old(str(tiny_encoder_folder), tested, way=2, episodes=5, background=everything, crowd=everything)
    settings = evaluation.FewShotSettings(way=2, episodes=5, whiten=everything)
    new = room.evaluate_few_shot(str(tiny_encoder_folder), tested, settings, hubness=everything)
    assert found.as_json == new.as_json
    assert found.as_json["background"]["relations"] == found.as_json["crowd"]["relations"] == 1


def test_the_old_name_of_the_highest_error_works_too():
    with pytest.warns(FutureWarning, match="^NoneSettings: wanted_error is now max_error$") as warned:
        old = evaluation.NoneSettings(0.3, wanted_error=0.1)
    assert warned[0].filename == __file__
    assert old == evaluation.NoneSettings(0.3, max_error=0.1)
    assert replace(old, share=0.2).max_error == 0.1
