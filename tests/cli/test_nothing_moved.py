"""The twin of benchmarks/nothing_moved.py: losses and few-shot figures of fixed seeds, with a tiny encoder.

The figures were written down before the house was rebuilt. A change that means to move them says so and replaces them.
"""

from __future__ import annotations

import json
import random

import pytest
import torch
from transformers import AutoModel

from protorel.cli import run
from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.statements import write_statements

LOSSES = {
    "col_final": [8.938216, 7.970581, 7.828933],
    "words": [12.899863, 11.652289, 11.699200],
    "semeval": [3.199063, 3.283583, 3.072006],
    "fewrel": [2.862435, 1.812829, 1.858572],
}
"""At steps 1, 10 and 20."""
ACCURACY = {(5, 1): 0.2264, (5, 5): 0.2744, (10, 1): 0.1256, (10, 5): 0.1414}
SETTINGS = ("checkpoint_every=100", "precision=fp32")


@pytest.fixture(scope="module")
def runs(tmp_path_factory, make_tiny_encoder):
    """Twenty steps of each recipe, by the command line."""
    folder = tmp_path_factory.mktemp("runs")
    world = build_small_world(SmallWorldSettings(statements_per_relation=40, held_out_per_relation=10))
    write_statements(world.train, folder / "train.parquet")
    write_statements(world.test_phrasings, folder / "test.parquet")
    names = sorted({one.relation for one in world.train})
    (folder / "texts.json").write_text(json.dumps({name: [name.replace("_", " "), ""] for name in names}))
    texts = sorted({one.text for one in world.train})
    encoder = _with_own_weights(make_tiny_encoder(texts, folder / "encoder"))
    train = ("--data", str(folder / "train.parquet"))
    for recipe, more in {
        "col_final": (),
        "words": ("min_statements=1", "--descriptions", str(folder / "texts.json")),
    }.items():
        chosen = (f"encoder={encoder}", "steps=20", "dropout=0", "relations_per_batch=16", *SETTINGS)
        assert run(["pretrain", recipe, *chosen, *more, *train, "--out", str(folder / recipe)]) == 0
    tuned = ("--model", str(folder / "col_final"), *train)
    own = ("epochs=1", "hold_out=200", "dropout=0", "metric=accuracy", "no_relation=null", *SETTINGS)
    assert run(["finetune", "semeval", *own, *tuned, "--out", str(folder / "semeval")]) == 0
    wide = ("steps=20", "episodes=[[10, 1], [5, 5]]", *SETTINGS)
    assert run(["finetune", "fewrel", *wide, *tuned, "--out", str(folder / "fewrel")]) == 0
    return folder


def _with_own_weights(folder):
    """Give an encoder weights that no library draws, so that they are the same with every version."""
    model, chance = AutoModel.from_pretrained(folder), random.Random(0)
    with torch.no_grad():
        for weight in (one for one in model.parameters() if one.dim() > 1):
            weight.copy_(torch.tensor([chance.gauss(0, 0.3) for _ in range(weight.numel())]).reshape(weight.shape))
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("recipe", LOSSES)
def test_the_losses_of_fixed_seeds_are_what_they_were(runs, recipe):
    lines = [json.loads(line) for line in (runs / recipe / "journal.jsonl").read_text().splitlines()]
    losses = {line["step"]: line["loss"] for line in lines if "loss" in line}
    assert [losses[step] for step in (1, 10, 20)] == pytest.approx(LOSSES[recipe], rel=1e-3)


@pytest.mark.parametrize(("way", "shot"), ACCURACY)
def test_few_shot_accuracy_of_a_fixed_run_is_what_it_was(runs, way, shot, tmp_path):
    asked = ["--way", str(way), "--shot", str(shot), "--episodes", "500", "--json", str(tmp_path / "found.json")]
    assert run(["evaluate", "fewshot", str(runs / "col_final"), str(runs / "test.parquet"), *asked]) == 0
    assert json.loads((tmp_path / "found.json").read_text())["accuracy"] == pytest.approx(
        ACCURACY[way, shot], abs=0.004
    )
