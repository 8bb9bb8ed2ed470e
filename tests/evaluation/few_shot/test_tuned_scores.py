"""Episodes that tune the encoder: each begins with the same weights, and nothing of one is left in the next."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.batches import Episodes, tokenise_all
from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.evaluation import evaluate_few_shot
from protorel.evaluation.few_shot.encoder_scores import tuned_scores
from protorel.evaluation.few_shot.episodes import draw_exam
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import METHODS, FewShotMethod, SetFit, SetFitSettings
from protorel.fewshot.linear_probe import linear_probe
from protorel.fewshot.setfit import tune_on_examples
from protorel.geometry import Prototypes
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput, DataSet, write_statements

QUICK = SetFitSettings(pairs=12, learning_rate=0.02)


def setfit(settings: SetFitSettings) -> FewShotMethod:
    return replace(METHODS["setfit"], code=SetFit(settings))


@pytest.fixture(autouse=True)
def quick(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(METHODS, "setfit", setfit(QUICK))


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(noise=0, statements_per_relation=8, held_out_per_relation=4)).train


@pytest.fixture
def model(world) -> RelationModel:
    """A CNN with dropout, in training, that was not trained."""
    words = sorted({word for statement in world for word in statement.text.lower().split()})
    tokenizer = word_tokenizer(words)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=16, channels=24, dropout=0.3)
    return RelationModel(encoder.train(), tokenizer, Prototypes.none(encoder.width), 48, "cnn")


@pytest.fixture
def drawn(world):
    return draw_exam([s.relation for s in world], EpisodeSettings(way=3, shot=2, episodes=4)).episodes


def only(drawn: Episodes, chosen: list[int]) -> Episodes:
    return replace(drawn, **{name: getattr(drawn, name)[chosen] for name in ("relations", "support", "query")})


def test_an_episodes_answer_does_not_depend_on_those_before_it(model, world, drawn):
    together = tuned_scores(model, setfit(QUICK), world, drawn, seed=3)
    for chosen in ([2], [3, 1], [0, 0]):
        torch.rand(5)  # nor on a caller's own randomness
        assert torch.equal(tuned_scores(model, setfit(QUICK), world, only(drawn, chosen), seed=3), together[chosen])
    assert not torch.equal(tuned_scores(model, setfit(QUICK), world, drawn, seed=4), together)


def test_scores_are_those_of_a_logistic_regression_on_an_encoder_tuned_by_hand(model, world, drawn):
    found = tuned_scores(model, setfit(QUICK), world, only(drawn, [1]), seed=3)[0]
    support, query = drawn.support[1], drawn.query[1]
    seed = int(np.random.SeedSequence([3, *support.ravel().tolist()]).generate_state(1)[0])
    rows = tokenise_all(world, model.tokenizer, max_length=48)
    tune_on_examples(model.encoder, rows, support, QUICK, seed=seed)
    examples = torch.stack([model.encode([world[row] for row in way]) for way in support])
    torch.testing.assert_close(found, linear_probe(examples, model.encode([world[row] for row in query])))


def test_the_encoder_is_left_as_it_was_even_where_an_evaluation_breaks_off(model, world, drawn):
    model.encoder.eval()
    before, told = model.fingerprint, []

    def watch(done: int, of: int) -> None:
        told.append((done, of, model.fingerprint == before))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tuned_scores(model, setfit(QUICK), world, drawn, seed=0, watch=watch)
    assert told == [(1, 4, True), (2, 4, True)]
    with pytest.raises(IndexError):
        tuned_scores(model, setfit(QUICK), world, replace(drawn, query=drawn.query + 10**6), seed=0)
    assert model.fingerprint == before
    assert not model.encoder.training


def test_tuning_tells_relations_of_small_world_apart_better_than_the_encoder_as_it_is(model):
    slower = setfit(SetFitSettings(pairs=64, learning_rate=0.03))
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=25, held_out_per_relation=4)).train
    names = sorted({statement.relation for statement in world})
    rows = [[row for row, statement in enumerate(world) if statement.relation == name][:20] for name in names]
    relations = np.arange(12).reshape(3, 4)
    given = np.array([[rows[relation][:5] for relation in episode] for episode in relations])
    asked = np.array([[rows[relation][5:] for relation in episode] for episode in relations]).reshape(3, -1)
    tuned = tuned_scores(model, slower, world, Episodes(relations, given, asked), seed=0)
    vectors = model.encode(world)
    frozen = linear_probe(vectors[torch.from_numpy(given)], vectors[torch.from_numpy(asked)])
    truth = torch.arange(4).repeat_interleave(15)
    right_tuned, right_frozen = ((scores.argmax(-1) == truth).float().mean() for scores in (tuned, frozen))
    assert right_tuned > 0.5  # chance is 0.25
    assert right_tuned > right_frozen + 0.05


def test_an_encoder_without_weights_to_tune_is_refused(model, world, drawn):
    for parameter in model.encoder.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(BadInput, match="cnn: expected an encoder with weights for setfit to tune, got one without"):
        tuned_scores(model, setfit(QUICK), world, drawn, seed=0)
    with pytest.raises(BadInput, match="the encoder: expected an encoder with weights for setfit to tune"):
        tuned_scores(replace(model, name="", encoder=object()), setfit(QUICK), world, drawn, seed=0)


def test_what_a_tuned_method_cannot_do_is_refused_before_anything_is_loaded(world):
    exam = DataSet.of("exam.parquet", world)
    for more, said in (
        (
            {"whiten": exam},
            "--whiten: expected a method on stored vectors such as --method prototype, got setfit",
        ),
        ({"hubness": exam}, "--hubness: expected a method on stored vectors"),
        ({"texts": object()}, "--descriptions: expected a method on stored vectors"),
        ({"none": object()}, "--none-share: expected a method on stored vectors .*, got setfit"),
        ({"similarity": "dot"}, "similarity: expected cosine, by which setfit tunes the encoder, got 'dot'"),
        ({"way": 1}, "way: expected 2 or more for the method setfit, got 1"),
        ({"shot": 0}, "shot: expected 1 or more, .*, got 0"),
    ):
        with pytest.raises(BadInput, match=said):
            evaluate_few_shot(ModelSource("no such run"), exam, method="setfit", **more)


def test_the_command_line_says_how_far_it_is_and_all_that_made_the_figure(
    world, tiny_encoder_folder, tmp_path, capsys, monkeypatch
):
    write_statements(world, tmp_path / "exam.parquet")
    asked = ["evaluate", "fewshot", str(tiny_encoder_folder), str(tmp_path / "exam.parquet"), "--way", "2"]
    asked += ["--method", "setfit", "--similarity", "cosine", "--json", str(tmp_path / "found.json")]
    assert run([*asked, "--episodes", "2"]) == 0
    said = capsys.readouterr()
    assert "episode 1/2" in said.err
    assert "episode 2/2  0 s left" in said.err
    assert "2-way 1-shot" in said.out
    assert "evaluated on" not in said.err
    told = json.loads((tmp_path / "found.json").read_text())
    assert (told["method"], told["similarity"], told["episodes"]) == ("setfit", "cosine", 2)
    assert told["tuning"]["learning_rate"] == 0.02
    assert told["tuning"].keys() == {"pairs", "batch_size", "learning_rate", "warmup", "weight_decay"}

    monkeypatch.setattr("protorel.fewshot.registry.SLOW_EPISODES", 3)
    assert run(asked) == 0
    assert "note: evaluated on 3 episodes, not 10,000: setfit tunes the encoder in each" in capsys.readouterr().err
    assert json.loads((tmp_path / "found.json").read_text())["episodes"] == 3


def test_by_default_other_methods_are_evaluated_on_many_more_episodes(tiny_encoder_folder, world):
    judged = evaluate_few_shot(str(tiny_encoder_folder), DataSet.of("exam.parquet", world), way=2)
    assert judged.result.episodes == 10_000
    assert judged.as_json["tuning"] is None
    assert not judged.notes or "episodes" not in judged.notes[0]
