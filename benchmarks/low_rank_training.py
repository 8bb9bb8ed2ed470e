"""A run that was cut down to a low rank against one that was trained in it: few-shot accuracy at the same rank.

    OMP_NUM_THREADS=1 python benchmarks/low_rank_training.py --facts DIR/facts --descriptions pid2name.json \\
        --out RUNS --json results/low_rank/training.json

`DIR/facts` is what benchmarks/protorel_small.py makes: statements of FewRel's training relations and of Re-DocRED. All
runs are of recipe `words` with the settings of protorel-small, on the same statements in the same steps: one of full
rank, which is cut down afterwards, and one with `low_rank` from the start, which is stored in the same form. The 16
development relations (`fewrel_dev`) are left out of training, and all variants answer the same episodes of them.

LoRA takes a higher learning rate than full training: each of `--learning-rate` is tried in a run of `--trial-steps`,
and the one with the lowest training loss at its end is used. `difference` is that to the full run, paired by relation.
Runs that are finished are kept: the command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import runpy
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from protorel.corpora import open_data
from protorel.encoders import MINILM
from protorel.evaluation import FewShotResult, as_numbers, few_shot_accuracy, machine, measure
from protorel.io.files import write_json
from protorel.model import Cut, RelationModel, compress_run, versions
from protorel.recipes import Recipe, load_recipe
from protorel.statements import Statement, fingerprint, relation_list, select, write_statements
from protorel.training import pretrain, read_journal

HERE = Path(__file__).parent
WORDS = runpy.run_path(str(HERE / "protorel_small.py"))["WORDS"]
drawn = runpy.run_path(str(HERE / "low_rank.py"))["drawn"]
HELD_OUT = "fewrel_dev"
SETTINGS = ((5, 1), (10, 1))
"""Way and shot."""
LAST = 20
"""Steps whose mean loss chooses a learning rate."""


class Comparison:
    """The variants measured so far, all by the same episodes."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        source = open_data(given.facts / "fewrel.parquet").source
        every = list(select(source, only=relation_list(given.held_out)).source())
        self.statements: list[Statement] = drawn(every, given.per_relation)
        self.held_out = given.out / "held_out.parquet"
        self.full: dict[str, FewShotResult] = {}
        self.rows: list[dict[str, Any]] = []
        given.out.mkdir(parents=True, exist_ok=True)
        if not self.held_out.exists():
            write_statements(every, self.held_out)

    def train(self, name: str, *more: str) -> tuple[Path, Recipe]:
        """Return a run, trained now unless it is there, and its recipe."""
        held_out = f"without_relations={self.given.held_out}"
        recipe = load_recipe("words", [*WORDS, held_out, *self.given.settings, *more])
        run: Path = self.given.out / name
        print(f"{run}: {' '.join(more) or 'full rank'}")
        pretrain(
            self.given.facts,
            run,
            recipe,
            decontaminate=[self.held_out],
            descriptions=self.given.descriptions,
            resume=run.exists(),
        )
        return run, recipe

    def tested(self, run: Path) -> dict[str, FewShotResult]:
        """Return the few-shot accuracy of a run."""
        model = RelationModel.from_pretrained(run)
        with torch.inference_mode():
            vectors = model.encode(self.statements)
        relations = [str(one.relation) for one in self.statements]
        return {
            f"{way}w{shot}s": few_shot_accuracy(vectors, relations, way=way, shot=shot, episodes=self.given.episodes)
            for way, shot in self.given.episode
        }

    def add(self, name: str, run: Path, recipe: Recipe, *, size: int | None = None) -> None:
        """Measure a run and print its row; the first is the one that others are compared with."""
        found = self.tested(run)
        self.full = self.full or found
        row = {
            "name": name,
            "low_rank": recipe.low_rank,
            "learning_rate": recipe.learning_rate,
            "prototype_rate": recipe.learning_rate * recipe.head_factor,
            "seed": recipe.seed,
            "bytes": size or (run / "model.safetensors").stat().st_size,
            "accuracy": {key: as_numbers(one.accuracy) for key, one in found.items()},
            "over_relations": {key: as_numbers(one.over_relations) for key, one in found.items()},
            "difference": {key: as_numbers(paired(one, self.full[key])) for key, one in found.items()},
        }
        self.rows.append(row)
        print(
            f"{name}  {row['bytes'] / 1e6:.2f} MB  " + "  ".join(f"{key} {one.accuracy}" for key, one in found.items())
        )

    def add_cut(self, name: str, run: Path, recipe: Recipe, rank: int) -> None:
        """Measure a run as a low-rank difference to its encoder."""
        small = self.given.out / f"{run.name}-cut-{rank}"
        if not small.exists():
            compress_run(run, small, base=self.given.base, cut=Cut(rank=rank))
        self.add(name, small, recipe, size=sum(path.stat().st_size for path in small.iterdir()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, cut down, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--facts", type=Path, required=True, help="folder of statements, with FewRel's fewrel.parquet")
    parser.add_argument("--descriptions", type=Path, required=True, help="FewRel's pid2name.json")
    parser.add_argument("--held-out", default=HELD_OUT, help="relations to leave out and evaluate on")
    parser.add_argument("--base", default=MINILM, help="the encoder to start from")
    parser.add_argument("--rank", type=int, nargs="+", default=[Cut().rank])
    parser.add_argument("--learning-rate", type=float, nargs="+", default=[5e-4, 1e-3])
    parser.add_argument("--trial-steps", type=int, default=100)
    parser.add_argument("--settings", nargs="*", default=[], help="key=value, in addition to those of protorel-small")
    parser.add_argument("--episode", type=int, nargs=2, action="append", help="way and shot; by default 5 1 and 10 1")
    parser.add_argument("--per-relation", type=int, default=200, help="statements of each relation, drawn at random")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    given.episode = given.episode or SETTINGS
    given.settings = [f"encoder={given.base}", *given.settings]
    all_variants, trials = Comparison(given), []
    full, recipe = all_variants.train("full")
    all_variants.add("full rank", full, recipe)
    for rank in given.rank:
        all_variants.add_cut(f"full rank, cut down to {rank}", full, recipe, rank)
        rate, tried = best_rate(all_variants, rank)
        trials += tried
        low, own = all_variants.train(f"rank-{rank}", f"low_rank={rank}", f"learning_rate={rate}")
        all_variants.add(f"trained in rank {rank}", low, own)
        all_variants.add_cut(f"trained in rank {rank}, stored", low, own, rank)
    if given.json:
        write_json(given.json, as_json(all_variants, recipe, trials))


def best_rate(comparison: Comparison, rank: int) -> tuple[float, list[dict[str, Any]]]:
    """Return the learning rate of the best short run, and the loss of each; a single rate is not tried."""
    rates, steps = comparison.given.learning_rate, comparison.given.trial_steps
    if len(rates) == 1:
        return rates[0], []
    found = []
    for rate in rates:
        name = f"rank-{rank}-rate-{rate:g}-steps-{steps}"
        run, _ = comparison.train(name, f"low_rank={rank}", f"learning_rate={rate}", f"steps={steps}")
        loss = fmean([line["loss"] for line in read_journal(run)][-LAST:])
        found.append({"low_rank": rank, "learning_rate": rate, "steps": steps, "loss": loss})
        print(f"learning_rate={rate:g}: loss {loss:.3f}")
    return min(found, key=lambda one: one["loss"])["learning_rate"], found


def paired(one: FewShotResult, other: FewShotResult) -> Any:
    """Return the mean difference of two results over relations, with an interval for new relations."""
    return measure([one.per_relation[name] - value for name, value in other.per_relation.items()])


def as_json(comparison: Comparison, recipe: Recipe, trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Return everything that was measured, with settings and data."""
    return {
        "task": "low_rank_training",
        "recipe": {"name": "words", "steps": recipe.steps, "seed": recipe.seed, "settings": list(WORDS)},
        "data": {
            "held_out": comparison.given.held_out,
            "relations": len({one.relation for one in comparison.statements}),
            "statements": len(comparison.statements),
            "fingerprint": fingerprint(comparison.statements),
        },
        "episodes": comparison.given.episodes,
        "variants": comparison.rows,
        "trials": trials,
        "machine": machine(),
        "versions": versions(),
    }


if __name__ == "__main__":
    main()
