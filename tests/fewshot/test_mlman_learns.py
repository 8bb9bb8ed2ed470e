"""MLMAN is shown to learn: small world, a few seconds of training, phrasings never seen."""

from __future__ import annotations

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import evaluate_few_shot
from protorel.statements import DataSet
from protorel.training import finetune, load_finetune_recipe

CHANCE = 0.2
RECIPE = [
    "learning_rate=0.01", "episodes=[[6,1],[4,2]]", "checkpoint_every=1000", "cnn.channels=24",
    "cnn.most_frequent_words=200", "method.width=12",
]  # fmt: skip


def test_training_lifts_few_shot_accuracy_far_over_chance(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=20, held_out_per_relation=10))
    unseen = DataSet.of("test_phrasings", world.test_phrasings)
    accuracy = {}
    for steps in (1, 80):
        run = tmp_path / f"{steps}"
        finetune(None, world.train, run, load_finetune_recipe("mlman", [*RECIPE, f"steps={steps}"]))
        accuracy[steps] = evaluate_few_shot(str(run), unseen, way=5, shot=1, episodes=100).result.accuracy.value
    print(accuracy)
    assert accuracy[80] > accuracy[1] + 0.1
    assert accuracy[80] > CHANCE + 0.2
