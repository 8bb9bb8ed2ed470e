"""Each method with weights learns, beside an encoder from scratch, to tell the relations of small world apart."""

from __future__ import annotations

import json
import shutil

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import evaluate_few_shot
from protorel.statements import DataSet, write_statements
from protorel.training import finetune, load_finetune_recipe

SMALL = [
    "max_length=48", "chunks=1", "checkpoint_every=1000", "cnn.channels=32", "cnn.most_frequent_words=200", "steps=100",
    "episodes=[[4,2]]", "episodes_per_step=4", "learning_rate=0.01",
]  # fmt: skip
SIZES = {
    "gnn": ["method.vector_width=24", "method.features=16"],
    "meta_network": ["method.vector_width=24"],
    "siamese": [],
    "snail": ["method.vector_width=24"],
}


def judged(recipe, tmp_path):
    """Tune by a recipe on two thirds of a small world, and judge by the rest, where chance is 0.25."""
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=20, held_out_per_relation=6)).train
    write_statements(world[::3], tmp_path / "asked.parquet")
    seen = [statement for place, statement in enumerate(world) if place % 3]
    finetune(None, seen, tmp_path / "run", recipe)
    exam = DataSet.at(tmp_path / "asked.parquet")
    return evaluate_few_shot(str(tmp_path / "run"), exam, way=4, shot=2, episodes=200).result


@pytest.mark.parametrize("name", SIZES)
def test_statements_that_it_never_saw_are_told_apart_far_better_than_by_chance(tmp_path, name):
    result = judged(load_finetune_recipe(name, [*SMALL, *SIZES[name]]), tmp_path)
    assert result.method == name
    assert result.accuracy.value - result.accuracy.margin > 0.4


def test_so_does_a_transformer_that_reads_query_and_example_together(tmp_path, tiny_bert):
    still = tmp_path / "bert"
    shutil.copytree(tiny_bert, still)
    config = json.loads((still / "config.json").read_text())
    none = {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}  # so narrow a network has nothing to spare
    (still / "config.json").write_text(json.dumps(config | none))
    given = [
        f"encoder={still}", "max_length=32", "chunks=1", "checkpoint_every=1000", "steps=100", "episodes=[[3,1]]",
        "episodes_per_step=8", "learning_rate=0.003", "head_factor=1",
    ]  # fmt: skip
    result = judged(load_finetune_recipe("pair", given), tmp_path)
    assert result.method == "pair"
    assert result.accuracy.value - result.accuracy.margin > 0.35
