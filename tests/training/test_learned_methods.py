"""Methods with weights of their own: tuned beside the encoder, kept in the run, resumed exactly, judged by default."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from protorel.batches import join_pairs, training_rows
from protorel.encoders import encode_in_chunks
from protorel.evaluation import evaluate_few_shot
from protorel.fewshot import METHODS, make_method, trainable_methods
from protorel.io.files import sha256
from protorel.model import RelationModel, read_record
from protorel.objectives.episode import episode_loss
from protorel.statements import BadInput, DataSet, Interrupted, fingerprint
from protorel.training import finetune, load_finetune_recipe, read_journal
from protorel.training.loop import step_seed
from protorel.training.steps.episode_step import EpisodeStep, padded_states

SMALL = ["max_length=32", "chunks=2", "checkpoint_every=1000", "cnn.channels=12", "cnn.most_frequent_words=200"]
SIZES = {
    "gnn": ["method.vector_width=6", "method.features=4"],
    "meta_network": ["method.vector_width=6"],
    "snail": ["method.vector_width=6", "method.filters=4", "method.attention=[[4,3],[4,3]]"],
}


@pytest.fixture(scope="module")
def small(tiny_bert):
    """Make a recipe for a method by name, with a CNN unless it reads what a CNN cannot give."""

    def of(name: str, *overrides: str):
        encoder = tiny_bert if METHODS[name].needs == "pairs" else "cnn"
        given = [f"encoder={encoder}", f"method.name={name}", *SIZES.get(name, [])]
        return load_finetune_recipe("fewrel", [*SMALL, "steps=4", "episodes=[[4,2],[3,1]]", *given, *overrides])

    return of


@pytest.fixture(scope="module")
def run(data, small, tmp_path_factory):
    """A run of each method by name, made once."""
    made = {}

    def of(name: str):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("runs") / name
            finetune(None, data, made[name], small(name))
        return made[name]

    return of


@pytest.mark.parametrize("name", trainable_methods())
def test_a_run_keeps_its_method_and_is_judged_by_it(run, small, data, name):
    model = RelationModel.from_pretrained(run(name))
    assert model.method.settings.name == name
    assert not model.method.training
    judged = evaluate_few_shot(str(run(name)), DataSet.at(data), way=3, shot=2, episodes=20)
    assert (judged.result.method, judged.result.similarity) == (name, "learned")
    again = evaluate_few_shot(str(run(name)), DataSet.at(data), way=3, shot=2, episodes=20, method=name)
    assert again.result == judged.result
    by_prototypes = evaluate_few_shot(str(run(name)), DataSet.at(data), way=3, shot=2, episodes=20, method="prototype")
    assert (by_prototypes.result.method, by_prototypes.result.similarity) == ("prototype", "cosine")
    assert by_prototypes.result.per_relation != judged.result.per_relation
    assert read_record(run(name))["started_from"]["name"] == small(name).encoder


@pytest.mark.parametrize("name", trainable_methods())
def test_stopping_and_resuming_gives_the_same_weights_of_the_method(run, small, data, tmp_path, name):
    def stop(step, steps, **_):
        if step == 2:
            raise Interrupted("enough")

    with pytest.raises(Interrupted):
        finetune(None, data, tmp_path / "cut", small(name, "checkpoint_every=2"), watch=stop)
    again = finetune(None, data, tmp_path / "cut", small(name, "checkpoint_every=2"), resume=True)
    whole = RelationModel.from_pretrained(run(name))
    assert again.fingerprint == whole.fingerprint
    for key, weight in whole.method.state_dict().items():
        assert torch.equal(again.method.state_dict()[key], weight), key


def test_mlman_learns_in_bf16_beside_an_encoder_of_words_and_what_is_left_is_exact(bf16_works, small, data, tmp_path):
    losses = {}
    for precision in ("fp32", "bf16"):
        model = finetune(None, data, tmp_path / precision, small("mlman", f"precision={precision}"))
        losses[precision] = next(iter(read_journal(tmp_path / precision)))["loss"]
    assert losses["bf16"] != losses["fp32"]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.02)
    assert {weight.dtype for weight in model.method.state_dict().values()} == {torch.float32}
    assert not RelationModel.from_pretrained(tmp_path / "bf16").method.local.trains_in_bf16


@pytest.mark.parametrize(
    "name", [name for name, kind in trainable_methods().items() if not kind.load().rounds and kind.needs != "pairs"]
)
def test_other_methods_are_not_asked_to_learn_in_bf16_beside_an_encoder_of_words(small, data, tmp_path, name):
    with pytest.raises(BadInput, match="precision=bf16: expected a transformer or the method mlman, got"):
        finetune(None, data, tmp_path / "run", small(name, "precision=bf16"))


@pytest.mark.parametrize("name", trainable_methods())
def test_every_weight_of_a_method_starts_by_the_seed_and_moves(run, name):
    tuned = RelationModel.from_pretrained(run(name)).method
    seeds = [step_seed(seed, 0) for seed in (0, 0, 1)]
    start, again, other = (make_method(tuned.settings, width=tuned.width, seed=seed) for seed in seeds)
    for key, weight in start.state_dict().items():
        assert torch.equal(weight, again.state_dict()[key])
        assert not torch.equal(weight, tuned.state_dict()[key]), key
    assert any(not torch.equal(weight, other.state_dict()[key]) for key, weight in start.state_dict().items())


@pytest.mark.parametrize("name", trainable_methods())
def test_a_step_is_the_cross_entropy_of_the_methods_scores_and_its_own_costs(run, small, statements, name):
    model = RelationModel.from_pretrained(run(name))
    rows = training_rows(lambda: statements, model.tokenizer, max_length=32, data_fingerprint=fingerprint(statements))
    model.encoder.eval()
    step = EpisodeStep(
        small(name, "episodes_per_step=2"), model.encoder, rows, torch.device("cpu"), learned=model.method
    )
    result, drawn = step(0), step._draw(0, count=2)
    expected, costs = [], {}
    for episode in range(2):
        scored = model.method(*given(model, rows, drawn.support[episode], drawn.query[episode]))
        also = torch.zeros(1, 4, 4, dtype=torch.bool)
        for place, relation in np.ndindex(4, 4):
            carried = rows.labels([int(drawn.query[episode, place])])[0]
            also[0, place, relation] = carried[int(drawn.relations[episode, relation])]
        expected.append(episode_loss(scored.scores, also))
        for cost, value in scored.costs.items():
            costs.setdefault(cost, []).append(value)
    torch.testing.assert_close(result.terms["examples"], torch.stack(expected).mean(), rtol=1e-4, atol=1e-5)
    assert set(result.terms) == {"examples", *costs}
    for cost, values in costs.items():
        torch.testing.assert_close(result.terms[cost], torch.stack(values).mean(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(result.loss, torch.stack(list(result.terms.values())).sum())


@torch.no_grad()
def given(model, rows, support, query):
    """Encode an episode row by row, or pair by pair, as its method reads it, with one episode in front."""
    if model.method.needs == "pairs":
        each = np.stack([np.repeat(query, support.size), np.tile(support.ravel(), len(query))], axis=1)
        pairs = [join_pairs(rows.rows, pair[:1], pair[1:]) for pair in each]
        states = torch.cat([model.encoder.read_pairs(pair) for pair in pairs])
        return (states.reshape(1, len(query), *support.shape, -1),)
    return tuple(encoded(model, rows, part) for part in (support, query))


def encoded(model, rows, part):
    batch = rows.rows.batch(part.ravel().tolist())
    found = encode_in_chunks(model.encoder, batch, chunks=1, keep=batch.present)
    if model.method.needs == "states":
        return padded_states(batch, found).take(torch.arange(part.size).reshape(1, *part.shape))
    return found.vectors.reshape(1, *part.shape, -1)


def test_the_recipes_encoder_counts_where_no_model_is_given(data, tmp_path):
    with pytest.raises(BadInput, match="recipe fewrel: expected an encoder to start from, got none"):
        finetune(None, data, tmp_path / "run", load_finetune_recipe("fewrel"))
    assert not (tmp_path / "run").exists()


def test_what_does_not_fit_a_method_is_refused(run, small, data, tmp_path):
    for overrides, said in (
        (["objective.text.weight=1"], "the method gnn reads examples only"),
        (["objective.examples.weight=0", "objective.text.weight=1"], "the method gnn reads examples only"),
        (["method.layer=3"], r"unknown key 'method\.layer'; did you mean 'method\.layers'"),
        (["method.layers=0"], r"method\.layers = 0: input should be greater than or equal to 1"),
        (["method.name=magic"], "method = .*magic"),
        (["method.layers=true"], r"method\.layers = True: input should be a number"),
    ):
        with pytest.raises(BadInput, match=said):
            small("gnn", *overrides)
    with pytest.raises(
        BadInput, match=r"expected at most 10 classes per episode, got 12; train it with method\.most_ways=12"
    ):
        finetune(None, data, tmp_path / "run", small("gnn", "episodes=[[4,1],[12,1]]"))
    with pytest.raises(BadInput, match="encoder: expected a transformer to read two statements at once, got cnn"):
        finetune(None, data, tmp_path / "run", small("pair", "encoder=cnn"))
    with pytest.raises(BadInput, match=r"max_length=33: expected at most \d+ tokens for two statements, .* got 65"):
        finetune(None, data, tmp_path / "run", small("pair", "max_length=33"))
    exam = DataSet.at(data)
    for more, said in (
        ({"way": 12}, "expected at most 10 classes per episode, got 12"),
        ({"method": "meta_network"}, "expected 'gnn' or a method without weights for gnn, got 'meta_network'. Tune"),
        ({"similarity": "dot"}, "similarity: expected none, since the method gnn learns its own, got 'dot'"),
        ({"whiten": exam}, "--whiten: expected a method on stored vectors such as --method prototype, got gnn"),
    ):
        with pytest.raises(BadInput, match=said):
            evaluate_few_shot(str(run("gnn")), exam, **{"way": 3, "episodes": 5} | more)


def test_a_run_without_a_method_is_judged_by_the_similarity_that_it_was_tuned_with(data, tiny_bert, tmp_path):
    for similarity in ("euclidean", "cosine"):
        recipe = load_finetune_recipe(
            "fewrel", [*SMALL, "steps=1", "episodes=[[3,1]]", f"similarity={similarity}", "encoder=cnn"]
        )
        finetune(None, data, tmp_path / similarity, recipe)
        result = evaluate_few_shot(str(tmp_path / similarity), DataSet.at(data), way=3, episodes=5).result
        assert (result.method, result.similarity) == ("prototype", similarity)
    result = evaluate_few_shot(str(tiny_bert), DataSet.at(data), way=3, episodes=5).result
    assert (result.method, result.similarity) == ("prototype", "cosine")
    # What tunes the encoder in each episode does so by the cosine, whatever the run was tuned by.
    anew = evaluate_few_shot(str(tmp_path / "euclidean"), DataSet.at(data), way=3, episodes=2, method="setfit").result
    assert (anew.method, anew.similarity) == ("setfit", "cosine")
    with pytest.raises(BadInput, match=r"method: expected a method without weights for .*, got '.*'\. Tune a run"):
        evaluate_few_shot(str(tiny_bert), DataSet.at(data), way=3, episodes=5, method="gnn")


def test_a_damaged_method_is_named(run, data, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run("gnn"), folder)
    weights = load_file(folder / "method.safetensors")
    (folder / "method.safetensors").unlink()
    with pytest.raises(BadInput, match=r"method\.safetensors: this file of the run is missing"):
        RelationModel.from_pretrained(folder)
    weights.pop(next(iter(weights)))
    save_file(weights, folder / "method.safetensors")
    with pytest.raises(BadInput, match=r"method\.safetensors: .*was changed"):
        RelationModel.from_pretrained(folder)
    record = json.loads((folder / "protorel.json").read_text())
    record["files"]["method.safetensors"] = sha256(folder / "method.safetensors")
    (folder / "protorel.json").write_text(json.dumps(record))
    with pytest.raises(
        BadInput, match=r"method\.safetensors: .*expected the shape .* by the sizes in protorel\.json, got none"
    ):
        RelationModel.from_pretrained(folder)


def test_the_journal_tells_each_cost(run):
    assert all(line["terms"]["examples"] > 0 for line in read_journal(run("gnn")))
