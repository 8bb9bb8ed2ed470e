"""Every kind of word encoder is shown to learn: small world, a few seconds of training, phrasings never seen."""

from __future__ import annotations

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import few_shot_accuracy, labelled
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.training import build_encoder, load_recipe, pretrain

CHANCE = 0.2
RECIPE = [
    "steps=60", "learning_rate=0.015", "relations_per_batch=11", "head_factor=1", "blank_rate=0.5", "chunks=2",
    "checkpoint_every=1000", "objective.mlm.weight=0",
]  # fmt: skip
SIZES = {
    "pcnn": ["pcnn.channels=32"],
    "rnn": ["rnn.hidden=24"],
    "self_attention": ["self_attention.hidden=48", "self_attention.position_width=8", "learning_rate=0.006"],
}


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(noise=0, statements_per_relation=20, held_out_per_relation=10))


@pytest.mark.parametrize("kind", SIZES)
def test_training_lifts_few_shot_accuracy_over_the_untrained_encoder_and_chance(kind, world, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    recipe = load_recipe("smoke", [f"encoder={kind}", *RECIPE, f"{kind}.most_frequent_words=200", *SIZES[kind]])
    statements, relations = labelled(world.test_phrasings)

    def judge(model: RelationModel) -> float:
        return few_shot_accuracy(model.encode(statements), relations, way=5, shot=1, episodes=1000).accuracy.value

    encoder, tokenizer = build_encoder(recipe, lambda: world.train)
    untrained = judge(RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), recipe.max_length))
    trained = judge(pretrain(world.train, tmp_path / "run", recipe))
    print(f"{kind}: untrained {untrained:.3f}, trained {trained:.3f}")
    assert trained > untrained + 0.08
    assert trained > CHANCE + 0.2
