"""Few-shot evaluation with descriptions, disjoint entity pairs, and queries that belong to no candidate."""

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from protorel.batches import pair_groups
from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import (
    NoneSettings,
    TextSettings,
    encode_once,
    evaluate_few_shot,
    few_shot_accuracy,
    whiten_by,
)
from protorel.evaluation.few_shot.accuracy import few_shot_result
from protorel.evaluation.few_shot.episodes import draw_exam, episode_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import HubnessCorrection
from protorel.geometry import cosine
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, write_statements
from protorel.statements.types import Relation


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=6, held_out_per_relation=4)).train


@pytest.fixture(scope="module")
def names(world):
    return sorted({statement.relation for statement in world})


@pytest.fixture(scope="module")
def exam(world, names):
    return DataSet.of("exam.parquet", [s for s in world if s.relation in names[:7]])


@pytest.fixture(scope="module")
def others(world):
    """All relations: those under test must be left out of a threshold."""
    return DataSet.of("others.parquet", world)


@pytest.fixture(scope="module")
def descriptions(names):
    return Descriptions.of({name: Relation(name, name.replace("_", " ")) for name in names}, name="words.json")


@pytest.fixture
def evaluate(tiny_encoder_folder, exam):
    def found(**settings):
        return evaluate_few_shot(str(tiny_encoder_folder), exam, **({"way": 3, "episodes": 30} | settings))

    return found


def test_a_plain_result_says_that_nothing_more_was_used(evaluate):
    written = evaluate().as_json
    assert (written["similarity"], written["apart_pairs"]) == ("cosine", False)
    assert written["descriptions"] is written["none_of_these"] is None


def test_texts_are_encoded_by_the_run_and_reported_with_their_weights(
    evaluate, exam, descriptions, tiny_encoder_folder
):
    alone = evaluate(shot=0, texts=TextSettings(descriptions))
    together = evaluate(shot=1, texts=TextSettings(descriptions, weight=0.5))
    model = RelationModel.from_pretrained(str(tiny_encoder_folder))
    statements = list(exam.source())
    relations = [s.relation for s in statements]
    vectors = encode_once(model, statements)
    texts = model.encode_wordings(descriptions.wordings(sorted(set(relations))))
    for found, shot, weight in ((alone, 0, None), (together, 1, 0.5)):
        expected = few_shot_accuracy(vectors, relations, way=3, shot=shot, episodes=30, texts=texts, text_weight=weight)
        assert found.result == expected
    assert alone.as_json["descriptions"] == {
        "name": "words.json",
        "fingerprint": descriptions.fingerprint,
        "phrase": None,
        "weights": {"support": 0.0, "text": 1.0},
    }
    assert together.as_json["descriptions"]["weights"] == {"support": 1.0, "text": 0.5}


def test_relations_are_read_by_the_phrase_that_the_run_has_learned_or_by_the_one_that_is_asked_for(
    exam, descriptions, tiny_encoder_folder, tmp_path
):
    learned, asked_for = "{head} has {name} {tail}", "{tail}: {name}, {head}"
    model = RelationModel.from_pretrained(str(tiny_encoder_folder))
    replace(model, phrase=learned).save_pretrained(tmp_path / "run", record={})
    statements = list(exam.source())
    relations = [s.relation for s in statements]
    vectors = encode_once(model, statements)
    for phrase, used in ((None, learned), (asked_for, asked_for), ("none", None)):
        found = evaluate_few_shot(
            str(tmp_path / "run"), exam, way=3, shot=0, episodes=30, texts=TextSettings(descriptions, phrase=phrase)
        )
        wordings = descriptions.phrased(used).wordings(sorted(set(relations)))
        texts = model.encode_wordings(wordings)
        assert found.result == few_shot_accuracy(vectors, relations, way=3, shot=0, episodes=30, texts=texts)
        assert found.as_json["descriptions"]["phrase"] == used
        assert found.as_json["descriptions"]["fingerprint"] == descriptions.phrased(used).fingerprint


def test_next_to_whitened_statements_texts_keep_their_angles(evaluate, exam, others, descriptions, tiny_encoder_folder):
    found = evaluate(shot=0, whiten=others, texts=TextSettings(descriptions))
    model = RelationModel.from_pretrained(str(tiny_encoder_folder))
    statements = list(exam.source())
    relations = [s.relation for s in statements]
    names = sorted(set(relations))
    whitening = whiten_by(model, list(others.source()), relations).whitening
    plain = model.encode_wordings(descriptions.wordings(names))
    texts = whitening.turned(plain)
    torch.testing.assert_close(cosine(texts, texts), cosine(plain, plain))
    vectors = whitening(encode_once(model, statements))
    assert found.result == few_shot_accuracy(vectors, relations, way=3, shot=0, episodes=30, texts=texts)


def test_hubness_is_corrected_where_candidates_are_compared(
    evaluate, exam, others, descriptions, tiny_encoder_folder, monkeypatch
):
    # So heavy that it decides alone: all queries of an episode go to one candidate.
    monkeypatch.setattr("protorel.evaluation.few_shot.plan.HubnessCorrection", partial(HubnessCorrection, weight=1e4))
    found = evaluate(shot=0, whiten=others, hubness=others, texts=TextSettings(descriptions))
    model = RelationModel.from_pretrained(str(tiny_encoder_folder))
    statements = list(exam.source())
    relations = [s.relation for s in statements]
    background = whiten_by(model, list(others.source()), relations)
    settings = EpisodeSettings(way=3, shot=0, episodes=30, described=True)
    drawn = draw_exam(relations, settings)
    scores = episode_scores(
        background.whitening(encode_once(model, statements)),
        drawn.episodes,
        settings,
        texts=background.whitening.turned(model.encode_wordings(descriptions.wordings(drawn.names))),
        hubness=HubnessCorrection(background.whitening(encode_once(model, background.others.statements)), weight=1e4),
    )
    assert found.result == few_shot_result(scores, drawn, settings)
    assert found.result.accuracy.value == pytest.approx(1 / 3)
    assert (scores.argmax(-1) == scores.argmax(-1)[:, :1]).all()


def test_a_candidate_without_a_description_is_named_before_anything_is_loaded(exam, names, descriptions):
    fewer = Descriptions.of({name: descriptions.relations[name] for name in names[1:]}, name="words.json")
    with pytest.raises(
        BadInput, match=f"words.json: expected a name or a description for each relation, got none for '{names[0]}'"
    ):
        evaluate_few_shot(ModelSource("no such run"), exam, shot=0, episodes=5, texts=TextSettings(fewer))


def test_queries_and_examples_share_no_entity_pair(evaluate, exam, tiny_encoder_folder):
    found = evaluate(apart_pairs=True)
    statements = list(exam.source())
    vectors = encode_once(RelationModel.from_pretrained(str(tiny_encoder_folder)), statements)
    relations = [s.relation for s in statements]
    expected = few_shot_accuracy(vectors, relations, way=3, shot=1, episodes=30, groups=pair_groups(statements))
    assert found.result == expected
    assert found.as_json["apart_pairs"] is True


def test_too_few_statements_name_the_file_and_the_relation(exam):
    with pytest.raises(
        BadInput, match=r"exam.parquet: relation '\w+': expected at least 100 statements for 99 shots and a query"
    ):
        evaluate_few_shot(ModelSource("no such run"), exam, shot=99)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_threshold_comes_from_relations_that_are_not_under_test(evaluate, others, names, share):
    found = evaluate(none=NoneSettings(share, others))
    written = found.as_json["none_of_these"]
    held_out = written["held_out"]
    assert (held_out["left_out"], held_out["relations"] + held_out["unusable"]) == (7, len(names) - 7)
    assert held_out["name"] == "others.parquet"
    assert held_out["trained_on"] == 0
    assert written["share"] == share
    if share == 0:
        assert held_out["rule"]["threshold"] is None
        assert written["accuracy"]["value"] == pytest.approx(found.as_json["accuracy"])
        assert written["curve"][-1][1] == pytest.approx(1 - found.as_json["accuracy"])
    else:
        assert written["recall"]["count"] == 30
        assert written["always_answering"]["value"] <= 0.5
    assert "NaN" not in json.dumps(written)
    assert "Infinity" not in json.dumps(written)


def test_what_is_learned_does_not_change_with_statements_under_test_in_the_file(evaluate, others, names):
    strict = DataSet.of("others.parquet", [s for s in others.source() if s.relation not in names[:7]])
    rules = [evaluate(none=NoneSettings(0.3, data)).as_json["none_of_these"]["held_out"] for data in (others, strict)]
    assert [rule.pop("left_out") for rule in rules] == [7, 0]
    assert rules[0] == rules[1]


def test_the_statements_to_whiten_by_serve_where_no_other_file_is_named(evaluate, others, descriptions):
    found = evaluate(shot=0, none=NoneSettings(0.3), whiten=others, texts=TextSettings(descriptions))
    assert found.as_json["none_of_these"]["held_out"]["name"] == "others.parquet"


def test_held_out_relations_without_a_text_or_enough_pairs_are_not_used(evaluate, exam, others, names, descriptions):
    fewer = Descriptions.of({name: descriptions.relations[name] for name in names[:13]}, name="words.json")
    written = evaluate(none=NoneSettings(0.3, others), texts=TextSettings(fewer), apart_pairs=True).as_json
    held_out = written["none_of_these"]["held_out"]
    assert held_out["relations"] <= 6
    assert held_out["relations"] + held_out["unusable"] == len(names) - 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"none": NoneSettings(0.3)}, "Name them by --threshold-from FILE or --whiten FILE"),
        ({"way": 7}, "exam.parquet: expected at least 8 relations for 7-way episodes with queries from out"),
    ],
)
def test_rejecting_without_what_it_needs_is_refused(evaluate, others, settings, message):
    with pytest.raises(BadInput, match=message):
        evaluate(**{"none": NoneSettings(0.3, others), **settings})


def test_a_file_of_nothing_but_tested_relations_gives_no_threshold(evaluate, exam):
    with pytest.raises(BadInput, match=r"exam.parquet: expected at least 4 relations that are not under test.*, got 0"):
        evaluate(none=NoneSettings(0.3, exam))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"share": 1.0}, "got 1.0"), ({"share": math.nan}, "got nan"), ({"share": 0.1, "max_error": 1.5}, "got 1.5")],
)
def test_shares_outside_0_and_1_are_refused(arguments, message):
    with pytest.raises(BadInput, match=message):
        NoneSettings(**arguments)


def test_the_command_line_does_all_of_it_at_once(exam, others, names, tiny_encoder_folder, tmp_path, capsys):
    for data in (exam, others):
        write_statements(data.source(), tmp_path / data.name)
    (tmp_path / "words.json").write_text(json.dumps({name: [name, "said in words"] for name in names}))
    arguments = ["evaluate", "fewshot", str(tiny_encoder_folder), str(tmp_path / "exam.parquet"), "--way", "3"]
    arguments += ["--episodes", "20", "--similarity", "dot", "--apart-pairs", "--json", str(tmp_path / "result.json")]
    arguments += ["--descriptions", str(tmp_path / "words.json"), "--text-weight", "0.7", "--none-share", "0.3"]
    arguments += ["--threshold-from", str(tmp_path / "others.parquet"), "--max-error", "0.4"]
    arguments += ["--phrase", "{tail} is {name} of {head}"]
    assert run(arguments) == 0
    printed = capsys.readouterr().out
    assert "3-way 1-shot" in printed
    assert "30% from outside" in printed
    written = json.loads((tmp_path / "result.json").read_text())
    assert (written["similarity"], written["apart_pairs"]) == ("dot", True)
    assert written["descriptions"]["weights"] == {"support": 1.0, "text": 0.7}
    assert written["descriptions"]["phrase"] == "{tail} is {name} of {head}"
    assert written["none_of_these"]["held_out"]["rule"]["rule"] in {"best", "margin", "above_mean", "probability"}
    assert str(tmp_path) not in json.dumps(written)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--shot", "0"], "shot: expected 1 or more, or 0 with descriptions of relations, got 0"),
        (["--text-weight", "1"], "Name them by --descriptions FILE"),
        (["--phrase", "{tail} {name} {head}"], "Name them by --descriptions FILE"),
        (["--max-error", "0.1"], "expected --none-share SHARE with them, got none"),
        (["--none-share", "0.3"], "Name them by --threshold-from FILE or --whiten FILE"),
        (["--method", "magic"], "expected one of prototype, mean, nearest, linear_probe, tuned_head, "),
        (["--similarity", "taxi"], "'taxi' is not one of 'cosine', 'dot', 'euclidean'"),
        (["--descriptions", "nothing.json"], "nothing.json: no such file"),
        (["--descriptions", "words.json", "--phrase", "{name}"], "expected {head}, {name} and {tail}, each once"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    exam, names, tiny_encoder_folder, tmp_path, monkeypatch, capsys, more, message
):
    monkeypatch.chdir(tmp_path)
    Path("words.json").write_text(json.dumps({name: [name, "said in words"] for name in names}))
    write_statements(exam.source(), tmp_path / "exam.parquet")
    arguments = ["evaluate", "fewshot", str(tiny_encoder_folder), str(tmp_path / "exam.parquet"), "--episodes", "5"]
    assert run([*arguments, *more]) == 2
    problem = capsys.readouterr().err
    assert message in problem
    assert problem.count("\n") == 1
