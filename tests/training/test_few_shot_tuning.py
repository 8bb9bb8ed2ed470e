"""Tuning on few-shot episodes: it learns, it can be stopped and resumed, and what it cannot use is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.batches import training_rows
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import few_shot_accuracy
from protorel.fewshot import described_ways, vector_method
from protorel.model import RelationModel, read_record
from protorel.statements import ENGLISH, BadInput, Descriptions, Interrupted, Relation, fingerprint
from protorel.training import finetune, load_finetune_recipe, read_journal
from protorel.training.steps.episode_step import EpisodeStep
from protorel.training.steps.relation_texts import TextsOfRelations

TEXTS = ["objective.text.weight=1", "objective.both.weight=1"]
CPU = torch.device("cpu")


def recipe(*overrides: str):
    small = ["steps=4", "max_length=48", "chunks=2", "episodes=[[6,1],[4,2]]", "checkpoint_every=1000"]
    return load_finetune_recipe("fewrel", [*small, *overrides])


@pytest.fixture(scope="module")
def words(statements) -> Descriptions:
    names = sorted({statement.relation for statement in statements})
    return Descriptions.of({name: Relation(name, name.replace("_", " ")) for name in names}, name="words.yaml")


@pytest.fixture
def step_of(statements, tiny_bert):
    """Make the step function of a recipe on the small world, with dropout off."""

    def make(*overrides: str, words: Descriptions | None = None) -> EpisodeStep:
        model = RelationModel.from_pretrained(tiny_bert, readout="start")
        rows = training_rows(
            lambda: statements, model.tokenizer, max_length=48, data_fingerprint=fingerprint(statements)
        )
        texts = TextsOfRelations(words, rows.names, model.tokenizer, max_length=48) if words is not None else None
        model.encoder.eval()
        return EpisodeStep(recipe(*overrides), model.encoder, rows, CPU, texts)

    return make


def test_tuning_on_episodes_teaches_to_tell_new_relations_apart(tmp_path):
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=14, held_out_per_relation=1))
    names = sorted({statement.relation for statement in world.train})
    new = set(names[::4])
    seen = [statement for statement in world.train if statement.relation not in new]
    asked = [statement for statement in world.train if statement.relation in new]

    def judged(model: RelationModel) -> float:
        labels = [statement.relation for statement in asked]
        return few_shot_accuracy(model.encode(asked), labels, way=4, shot=1, episodes=400).accuracy.value

    settings = recipe(
        "steps=60", "learning_rate=0.005", "episodes=[[12,1],[6,2]]", "cnn.channels=32", "cnn.most_frequent_words=200"
    )
    first = finetune("cnn", seen, tmp_path / "first", recipe("steps=1", "learning_rate=1e-9", "cnn.channels=32"))
    tuned = finetune("cnn", seen, tmp_path / "run", settings)
    assert judged(tuned) > judged(first) + 0.08
    lines = [line["terms"]["examples"] for line in read_journal(tmp_path / "run")]
    assert sum(lines[-10:]) < 0.8 * sum(lines[:10])
    assert set(tuned.relations.ids) == {statement.relation for statement in seen}
    assert RelationModel.from_pretrained(tmp_path / "run").fingerprint == tuned.fingerprint


@pytest.mark.parametrize("combine", ["mean", "nearest", "prototype"])
@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_a_step_is_the_cross_entropy_of_the_methods_scores_in_plain_loops(step_of, combine, similarity):
    step = step_of(f"combine={combine}", f"similarity={similarity}", "scale=3", "episodes_per_step=2")
    result = step(1)
    drawn = step._draw(1, count=2)
    assert drawn.support.shape == (2, 4, 2)
    method = vector_method(combine, similarity)
    expected = []
    for episode in range(2):
        support, query = (encoded(step, rows[episode]) for rows in (drawn.support, drawn.query))
        scores = 3 * method(support, query)
        for way in range(4):
            row = int(drawn.query[episode, way])
            carried = step.rows.labels([row])[0]
            rivals = [k for k in range(4) if k == way or not carried[int(drawn.relations[episode, k])]]
            expected.append(-(scores[way, way] - scores[way, rivals].logsumexp(0)))
    torch.testing.assert_close(result.loss, torch.stack(expected).mean(), rtol=1e-4, atol=1e-5)


def encoded(step: EpisodeStep, rows: np.ndarray) -> torch.Tensor:
    with torch.no_grad():
        vectors = [step.encoder(step.rows.rows.batch([int(row)]))[0] for row in rows.ravel()]
    return torch.stack(vectors).reshape(*rows.shape, -1)


def test_texts_are_asked_of_examples_and_queries_and_stand_beside_the_examples(step_of, words):
    step = step_of(*TEXTS, "scale=3", words=words)
    result = step(1)
    drawn = step._draw(1, count=1)
    texts = step.texts.encode_all(step.encoder, torch.from_numpy(drawn.relations[0]), chunks=1, device=CPU)
    support, query = encoded(step, drawn.support[0]), encoded(step, drawn.query[0])
    method = vector_method("prototype", "cosine")
    by_text = [(support[way, shot], way, drawn.support[0, way, shot]) for way in range(4) for shot in range(2)]
    by_text += [(query[way], way, drawn.query[0, way]) for way in range(4)]

    def costs(vector, way, row, ways):
        scores = 3 * method(ways, vector[None])[0]
        carried = step.rows.labels([int(row)])[0]
        rivals = [k for k in range(4) if k == way or not carried[int(drawn.relations[0, k])]]
        return scores[rivals].logsumexp(0) - scores[way]

    expected = torch.stack([costs(vector, way, row, texts[:, None]) for vector, way, row in by_text]).mean()
    torch.testing.assert_close(result.terms["text"], expected, rtol=1e-4, atol=1e-5)
    both = described_ways(support, texts)
    expected = torch.stack([costs(query[way], way, drawn.query[0, way], both) for way in range(4)]).mean()
    torch.testing.assert_close(result.terms["both"], expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(result.loss, sum(result.terms.values()))


def test_settings_take_turns_and_every_step_draws_anew(step_of):
    step = step_of()
    shapes = [step._draw(number, count=1).support.shape[1:] for number in range(4)]
    assert shapes == [(6, 1), (4, 2), (6, 1), (4, 2)]
    assert not np.array_equal(step._draw(0, count=1).query, step._draw(2, count=1).query)
    assert np.array_equal(step._draw(2, count=1).query, step._draw(2, count=1).query)


def test_pairs_are_kept_apart_where_the_recipe_says_so(step_of):
    step = step_of("apart_pairs=true")
    for number in range(20):
        drawn = step._draw(number, count=1)
        assert not set(step.rows.pairs[drawn.query.ravel()]) & set(step.rows.pairs[drawn.support.ravel()])


def test_stopping_and_resuming_gives_the_same_weights(data, tiny_bert, words, tmp_path):
    settings = recipe(*TEXTS, "checkpoint_every=2")

    def stop(step, steps, **_):
        if step == 2:
            raise Interrupted("enough")

    whole = finetune(tiny_bert, data, tmp_path / "whole", settings, descriptions=words)
    with pytest.raises(Interrupted):
        finetune(tiny_bert, data, tmp_path / "cut", settings, descriptions=words, watch=stop)
    with pytest.raises(BadInput, match=r"steps=4, got 5\. Resume it"):
        finetune(tiny_bert, data, tmp_path / "cut", recipe(*TEXTS, "steps=5"), descriptions=words, resume=True)
    again = finetune(tiny_bert, data, tmp_path / "cut", settings, descriptions=words, resume=True)
    assert again.fingerprint == whole.fingerprint
    record = read_record(tmp_path / "cut")
    assert record["descriptions"]["name"] == "words.yaml"
    assert set(record["results"]["last_terms"]) == {"examples", "text", "both"}


def test_a_run_is_tuned_by_the_phrase_that_it_learned_with_unless_the_recipe_has_another(
    data, tiny_bert, words, tmp_path
):
    replace(RelationModel.from_pretrained(tiny_bert, readout="start"), phrase=ENGLISH).save_pretrained(
        tmp_path / "start", record={}
    )
    other = "{head} has {name} {tail}"
    for asked_for, used in (([], ENGLISH), ([f"phrase='{other}'"], other)):
        out = tmp_path / used[:6]
        tuned = finetune(tmp_path / "start", data, out, recipe(*TEXTS, "steps=1", *asked_for), descriptions=words)
        assert tuned.phrase == RelationModel.from_pretrained(out).phrase == used
        assert read_record(out)["descriptions"]["phrase"] == used


def test_what_tuning_on_episodes_cannot_use_is_refused_before_any_work(data, statements, tiny_bert, words, tmp_path):
    out = tmp_path / "run"
    few = Descriptions.of(dict(list(words.relations.items())[:3]), name="few.yaml")
    for settings, more, said in (
        (recipe(*TEXTS), {}, "Give their names and descriptions with --descriptions"),
        (recipe(), {"descriptions": words}, "words.yaml: no term of the objective reads descriptions"),
        (recipe(), {"dev": data}, "no epochs to choose from. Leave --dev out"),
        (
            recipe("episodes=[[3,1],[3,500]]"),
            {},
            r"at least 501 statements, 500 shots and a query, got '\w+' with \d+ ",
        ),
        (recipe(*TEXTS), {"descriptions": few}, "few.yaml: expected a name or a description for each relation"),
        (recipe(f"phrase='{ENGLISH}'"), {}, "no term of the objective reads the names of relations"),
        (
            load_finetune_recipe("semeval", [f"phrase='{ENGLISH}'"]),
            {},
            "no term of the objective reads the names of relations",
        ),
    ):
        with pytest.raises(BadInput, match=said):
            finetune(tiny_bert, data, out, settings, **more)
    with pytest.raises(BadInput, match="supervised tuning reads no descriptions"):
        finetune(tiny_bert, data, out, "semeval", descriptions=words)
    with pytest.raises(BadInput, match="every weight of the objective is 0"):
        recipe("objective.examples.weight=0")
    with pytest.raises(BadInput, match=r"episodes\.0\.0 = 1"):
        recipe("episodes=[[1,1]]")
