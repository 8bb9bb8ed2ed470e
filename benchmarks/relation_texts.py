"""CPU seconds of a step that reads relations in words: as it was, with padding and by MKL, against the recipe.

    OMP_NUM_THREADS=1 python benchmarks/relation_texts.py --json found.json
    OMP_NUM_THREADS=1 python benchmarks/relation_texts.py without_relations=fewrel_dev --data union \\
        --descriptions pid2name.json --json results/relation_texts/words.json

All variants take turns on the same batches, forward, backward and optimiser, by the clock of the process, so that other
work on the machine counts little. Without `--data`, the statements are those of the small world, whose relations are
read by their names in words. The ratio is the mean seconds of `recipe`, with the settings given, over those of
`padded`: all wordings, each kind in a pass of its own, with padding, and products by torch's default library. It is the
mean, since a step that draws descriptions takes longer than one that draws names.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.encoders import products
from protorel.evaluation import machine
from protorel.io.files import write_json
from protorel.model import versions
from protorel.statements import Descriptions, Relation, Statement, as_data_set, load_descriptions
from protorel.training import load_recipe
from protorel.training.data.labelled_data import select_labelled
from protorel.training.pretraining import Pretraining
from protorel.training.steps.pretraining_step import PretrainingStep

VARIANTS: dict[str, tuple[str, ...]] = {
    "padded": ("objective.text.wordings_per_step=all", "padding_free=false"),
    "recipe": (),
    "recipe by the default library": (),
    "two wordings": ("objective.text.wordings_per_step=2",),
    "one wording": ("objective.text.wordings_per_step=1",),
    "statements alone": ("objective.text.weight=0", "phrase=null"),
}
"""What is set on top of the recipe, by the name of the variant."""
FASTER = products.onednn_is_faster()
BY_DEFAULT_LIBRARY = ("padded", "recipe by the default library")
"""Variants whose products are taken by torch's default library, whatever is faster."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings to measure")
    parser.add_argument("--recipe", default="words")
    parser.add_argument("--data", help="Parquet file or folder of statements (default: small world)")
    parser.add_argument("--descriptions", help="names and descriptions of the relations of --data")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    if (given.data is None) != (given.descriptions is None):
        parser.error("expected --data and --descriptions together, got one of them")
    statements = build_small_world(SmallWorldSettings()).train
    described = load_descriptions(given.descriptions) if given.descriptions else small_world_in_words(statements)
    with tempfile.TemporaryDirectory() as folder:
        steps = {
            name: Step(
                given.recipe,
                [*given.overrides, *more],
                given.data or statements,
                described,
                Path(folder),
                fast=name not in BY_DEFAULT_LIBRARY,
            )
            for name, more in VARIANTS.items()
        }
        seconds = measured(steps, rounds=given.rounds)
    ratio = fmean(seconds["recipe"]) / fmean(seconds["padded"])
    for name, found in seconds.items():
        print(f"{name}: {fmean(found):.2f} CPU seconds per step")
    print(f"ratio {ratio:.2f}")
    if given.json:
        training = steps["recipe"].training
        write_json(
            given.json,
            {
                "task": "relation texts",
                "ratio": ratio,
                "recipe": training.recipe.model_dump(mode="json"),
                "variants": {name: list(more) for name, more in VARIANTS.items()},
                "seconds": seconds,
                "onednn_is_faster": FASTER,
                "data": {
                    "name": Path(given.data).name if given.data else "small world",
                    "statements": len(training.rows.rows),
                    "relations": len(training.rows.names),
                    "fingerprint": training.selection.fingerprint,
                },
                "descriptions": training.texts.as_json() if training.texts else None,
                "machine": machine(),
                "versions": versions(),
            },
        )


class Step:
    """Whole steps of a training with its own encoder and optimiser, none of which is written."""

    def __init__(
        self,
        recipe: str,
        overrides: Sequence[str],
        data: str | Sequence[Statement],
        descriptions: Descriptions,
        folder: Path,
        *,
        fast: bool,
    ) -> None:
        self.fast = fast
        settings = load_recipe(recipe, overrides)
        reads = settings.objective.text.weight > 0
        self.training = Pretraining(
            settings, select_labelled(as_data_set(data).source, settings), folder, None, descriptions if reads else None
        )
        self.training.module.train()
        parts = self.training
        self.take = PretrainingStep(settings, parts.encoder, parts.objective, parts.rows, parts.dynamics, parts.texts)

    def seconds(self, number: int) -> float:
        """Take a step, and return the CPU seconds that it took."""
        products.onednn_is_faster = lambda: self.fast and FASTER  # type: ignore[assignment]
        began = time.process_time()
        self.training.state.optimiser.step(self.take(number).loss)
        return time.process_time() - began


def measured(steps: dict[str, Step], *, rounds: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each round by variant; the first of each warms up and is left out."""
    found: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(rounds + 1):
        for name in steps if turn % 2 else reversed(steps):
            took = steps[name].seconds(turn)
            if turn:
                found[name].append(took)
    return found


def small_world_in_words(statements: Sequence[Statement]) -> Descriptions:
    """Describe the relations of the small world by their names."""
    names = sorted({statement.relation for statement in statements if statement.relation})
    told = {
        name: Relation(name, name.replace("_", " "), f"what holds where one {name.replace('_', ' ')} the other")
        for name in names
    }
    return Descriptions.of(told, name="small world")


if __name__ == "__main__":
    main()
