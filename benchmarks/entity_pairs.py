"""Tuning on noisy, distantly labelled statements, judged by entity pair: which rule of combining finds most facts?

    python benchmarks/entity_pairs.py --json results/entity_pairs/small_world.json
    python benchmarks/entity_pairs.py --wikigender wikigender.parquet --json results/entity_pairs/wikigender.json

A classifier on the PCNN is tuned on distant labels as they are, kept apart from the test pairs, and judged on further
distantly labelled statements. In the small world the truth is known too. The ratio is the area under the
precision-recall curve by the mean over a pair's statements, over that by its best statement.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import PairSettings, evaluate_pairs, machine
from protorel.io.files import write_json
from protorel.model import versions
from protorel.statements import DataSet, Statement, iter_statements, write_statements
from protorel.training import finetune, load_finetune_recipe

RULES = ("one", "mean", "attention")


def main(arguments: Sequence[str] | None = None) -> None:
    """Tune, judge by every rule, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wikigender", type=Path, help="WikiGenderBias, converted; without it, the small world")
    parser.add_argument("--encoder", default="pcnn")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    train, test, none = wikigender(given.wikigender) if given.wikigender else small_world(given.seed)
    settings = [f"epochs={given.epochs}", f"seed={given.seed}", "learning_rate=1e-3", "head_factor=1"]
    recipe = load_finetune_recipe("supervised", [*settings, *([f"no_relation={none}"] if none else [])])
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "test.parquet"
        write_statements(test, path)
        finetune(given.encoder, train, Path(scratch) / "run", recipe, decontaminate=[path])
        data = DataSet.at(path)
        run = Path(scratch) / "run"
        judged = {rule: evaluate_pairs(run, data, PairSettings(rule)).as_json for rule in RULES}
    report(judged)
    if given.json:
        write_json(
            given.json,
            {
                "task": "entity_pairs",
                "ratio": ratio(judged),
                "encoder": given.encoder,
                "recipe": recipe.model_dump(mode="json"),
                "data": {"name": "small world" if not given.wikigender else "WikiGenderBias", "statements": len(train)},
                "rules": judged,
                "machine": machine(),
                "versions": versions(),
            },
        )


def small_world(seed: int) -> tuple[list[Statement], list[Statement], str | None]:
    """Return the distant statements of two worlds that share no entity."""
    worlds = [build_small_world(SmallWorldSettings(seed=number)) for number in (2 * seed, 2 * seed + 1)]
    return list(worlds[0].train), list(worlds[1].train), None


def wikigender(path: Path) -> tuple[list[Statement], list[Statement], str | None]:
    """Return the data set's own parts: train and dev, and both tests."""
    statements = list(iter_statements(path))
    test = [statement for statement in statements if statement.source.endswith("_test")]
    return [statement for statement in statements if not statement.source.endswith("_test")], test, "NA"


def ratio(judged: dict[str, Any]) -> float:
    """Return how much more area the mean has than the best statement alone."""
    areas = {rule: found["labelled"]["area"]["value"] for rule, found in judged.items()}
    return float(areas["mean"] / areas["one"])


def report(judged: dict[str, Any]) -> None:
    """Print a line for each rule."""
    for rule, found in judged.items():
        for gold in ("labelled", "expressed"):
            if figures := found[gold]:
                at = ", ".join(f"P@{number} {100 * p['value']:.1f}" for number, p in figures["precision_at"].items())
                area = figures["area"]
                print(f"{rule}, {gold}: area {100 * area['value']:.1f} ± {100 * area['margin']:.1f} %, {at}")


if __name__ == "__main__":
    main()
