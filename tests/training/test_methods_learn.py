"""Each method with weights learns, beside a CNN from scratch, to tell the relations of small world apart."""

from __future__ import annotations

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import judge_few_shot
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


@pytest.mark.parametrize("name", SIZES)
def test_statements_that_it_never_saw_are_told_apart_far_better_than_by_chance(tmp_path, name):
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=20, held_out_per_relation=6)).train
    write_statements(world[::3], tmp_path / "asked.parquet")
    seen = [statement for place, statement in enumerate(world) if place % 3]
    finetune(None, seen, tmp_path / "run", load_finetune_recipe(name, [*SMALL, *SIZES[name]]))
    exam = DataSet.at(tmp_path / "asked.parquet")
    result = judge_few_shot(str(tmp_path / "run"), exam, way=4, shot=2, episodes=200).result
    assert result.method == name
    assert result.accuracy.value - result.accuracy.margin > 0.4  # chance is 0.25
