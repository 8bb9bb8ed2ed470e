"""What each term of the objective gives: the CNN on small world, with one thing changed at a time.

    python benchmarks/objectives.py --json results/objectives/small_world.json

Every variant trains on the same noisy statements for as many steps. Judged are few-shot accuracy on relations and on
phrasings that training never saw, and how well the prototypes tell true labels from false ones (AUROC).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world
from protorel.evaluation import few_shot_accuracy, label_truth, labelled, machine
from protorel.io.files import write_json
from protorel.model import RelationModel, versions
from protorel.statements import fingerprint
from protorel.training import load_recipe, pretrain

CNN = ("encoder=cnn", "learning_rate=1e-3", "head_factor=1", "checkpoint_every=100000", "prototype_start=random")
NOTHING = tuple(f"objective.{term}.weight=0" for term in ("s2s", "s2z", "s2z_prime", "cls", "mlm"))
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "whole (equation 7)": (),
    "without S2S": ("objective.s2s.weight=0",),
    "without S2Z": ("objective.s2z.weight=0",),
    "without S2Z'": ("objective.s2z_prime.weight=0",),
    "without CLS": ("objective.cls.weight=0",),
    "S2S alone": (*NOTHING, "objective.s2s.weight=1"),
    "S2Z + S2Z'": ("objective.s2s.weight=0", "objective.cls.weight=0"),
    "softmax form": (*NOTHING, "objective.s2s.weight=1", "objective.softmax.weight=1"),
    "cross-entropy": (*NOTHING, "objective.ce.weight=1"),
    "S2S' by label": (*NOTHING, "objective.s2s_prime.weight=1", "objective.s2s_prime.match=relation"),
    "S2S' by pair (MTB)": (*NOTHING, "objective.s2s_prime.weight=1", "batches_by=pair", "blank_rate=0.7"),
    "whole + uniformity": ("objective.uniformity.weight=0.5",),
    "whole, scales learned": tuple(f"objective.{term}.learn_scale=true" for term in ("s2s", "s2z", "s2z_prime")),
    "whole, prototypes from means": ("prototype_start=means",),
    "whole, names shown": ("blank_rate=0",),
    "whole, names swapped": ("blank_rate=0", "swap_rate=0.5"),
    "literal": ("objective.reading=literal",),
    "released": (
        "objective.reading=released",
        "objective.s2z_prime.weight=0",
        "relations_per_batch=11",
        "statements_per_relation=4",
    ),
}


def judge(model: RelationModel, world: SmallWorld, episodes: int) -> dict[str, float]:
    """Return the figures of one run."""
    figures = {}
    for name, statements in (("new_relations", world.test_relations), ("new_phrasings", world.test_phrasings)):
        kept, relations = labelled(statements)
        result = few_shot_accuracy(model.encode(kept), relations, way=5, shot=1, episodes=episodes)
        figures[name] = result.accuracy.value
    truth = label_truth(model.prototypes, model.encode(world.train), world.train)
    return {**figures, "auroc": truth.by_margin.value}


def measure(variant: tuple[str, ...], seeds: int, steps: int, episodes: int) -> list[dict[str, float]]:
    """Train and judge a variant once for each seed; the world stays the same."""
    world = build_small_world(SmallWorldSettings())
    found = []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            recipe = load_recipe("demo", [*CNN, f"steps={steps}", f"seed={seed}", *variant])
            found.append(judge(pretrain(world.train, Path(folder) / "run", recipe), world, episodes))
    return found


def summary(runs: list[dict[str, float]]) -> dict[str, Any]:
    """Return the mean of each figure over seeds, and its standard deviation."""
    return {
        name: {
            "mean": mean(run[name] for run in runs),
            "deviation": stdev(run[name] for run in runs) if len(runs) > 1 else None,
        }
        for name in runs[0]
    }


def main() -> None:
    """Measure, print a table, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--only", nargs="*", choices=VARIANTS, default=list(VARIANTS), metavar="VARIANT")
    given = parser.parse_args()
    rows = {}
    print(f"{'':30} {'new relations':>15} {'new phrasings':>15} {'AUROC':>15}")
    for name in given.only:
        rows[name] = summary(measure(VARIANTS[name], given.seeds, given.steps, given.episodes))
        cells = (f"{100 * f['mean']:.1f} ± {100 * (f['deviation'] or 0):.1f}" for f in rows[name].values())
        print(f"{name:30} " + " ".join(f"{cell:>15}" for cell in cells), flush=True)
    whole, plain = (rows.get(name) for name in ("whole (equation 7)", "cross-entropy"))
    errors = [1 - row["new_relations"]["mean"] for row in (plain, whole) if row]
    if given.json:
        world = build_small_world(SmallWorldSettings())
        write_json(
            given.json,
            {
                "task": "objectives",
                # How many times the errors on new relations that the whole objective makes cross-entropy makes.
                "ratio": errors[0] / errors[1] if len(errors) == 2 else None,
                "seeds": given.seeds,
                "steps": given.steps,
                "episodes": given.episodes,
                "overrides": {name: [*CNN, *VARIANTS[name]] for name in given.only},
                "figures": rows,
                "data": {
                    "name": "small_world",
                    "fingerprint": fingerprint(world.train),
                    "settings": asdict(world.settings),
                },
                "machine": machine(),
                "versions": versions(),
            },
        )


if __name__ == "__main__":
    main()
