"""Does it pay to leave out labels that an audit finds wrong? Pretraining on the rest, on all, and on random rests.

    OMP_NUM_THREADS=1 python benchmarks/audit_pays.py --json results/audit/pays.json

Per seed (of small world, the training and the random choice) and share of wrong labels: a model is pretrained on all
statements; an audit by it, without the truth, finds wrong labels; then one model is pretrained on what `Audit.keep`
keeps, and one on as many statements chosen at random. All trainings have equal steps. Figures are 5-way 1-shot accuracy
on held-out relations and on held-out phrasings, and the AUROC of the prototypes' margin for true labels among all
training statements. Differences are paired by seed, with Student's 95 % interval.

The file is written after each seed and share. What it already has with the same settings is not trained again.
"""

from __future__ import annotations

import argparse
import json
import runpy
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from protorel.audit import AuditSettings, audit_labels
from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world
from protorel.evaluation import as_numbers, machine, measure
from protorel.io.files import write_json
from protorel.model import RelationModel, versions
from protorel.statements import Statement, fingerprint
from protorel.training import load_recipe, pretrain

HERE = Path(__file__).parent
judge = runpy.run_path(str(HERE / "objectives.py"))["judge"]
FIGURES = ("new_relations", "new_phrasings", "auroc")
Arms = dict[str, dict[str, float]]
"""The figures of each training."""


def kept_rows(model: RelationModel, statements: Sequence[Statement], min_score: float) -> list[int]:
    """Return the rows of the statements that an audit by this model keeps."""
    audit = audit_labels(model, statements, settings=AuditSettings(reverse=False))
    dropped = len(audit.keep(min_score=min_score).dropped)
    return sorted(audit.table["row"].to_pylist()[dropped:])


def pretrained(statements: Sequence[Statement], settings: Sequence[str], seed: int) -> RelationModel:
    """Return a model that is pretrained on these statements."""
    with tempfile.TemporaryDirectory() as folder:
        return pretrain(statements, Path(folder) / "run", load_recipe("demo", [*settings, f"seed={seed}"]))


def trained_arms(world: SmallWorld, given: argparse.Namespace, seed: int) -> Arms:
    """Pretrain on all statements, on the kept and on random ones; return the figures of each."""
    statements = [replace(one, expresses=None) for one in world.train]  # neither training nor audit has the truth
    everything = pretrained(statements, given.settings, seed)
    kept = kept_rows(everything, statements, given.min_score)
    others = np.random.default_rng(seed).choice(len(statements), len(kept), replace=False)
    found = {"all": figures(everything, world, range(len(statements)), given.episodes)}
    for name, rows in (("kept", kept), ("random", sorted(others.tolist()))):
        model = pretrained([statements[row] for row in rows], given.settings, seed)
        found[name] = figures(model, world, rows, given.episodes)
    return found


def figures(model: RelationModel, world: SmallWorld, rows: Sequence[int], episodes: int) -> dict[str, float]:
    """Return what a training on some rows gave, with their number and their share of wrong labels."""
    wrong = fmean(not world.train[row].expresses for row in rows)
    return {"statements": len(rows), "wrong": wrong, **judge(model, world, episodes)}


def table(runs: Sequence[Arms]) -> dict[str, Any]:
    """Return the mean of each figure over seeds and, from two seeds on, the paired differences with intervals."""
    means = {arm: {name: fmean(run[arm][name] for run in runs) for name in runs[0][arm]} for arm in runs[0]}
    if len(runs) < 2:
        return {"seeds": len(runs), "means": means}
    differences = {
        f"kept - {other}": {
            name: as_numbers(measure([run["kept"][name] - run[other][name] for run in runs])) for name in FIGURES
        }
        for other in ("all", "random")
    }
    return {"seeds": len(runs), "means": means, "differences": differences}


def main() -> None:
    """Train, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.1, 0.3, 0.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--statements", type=int, default=120, help="Statements of each relation in the world.")
    parser.add_argument("--min-score", type=float, default=0.5, help="The lowest score of a kept label.")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--settings", nargs="*", default=["steps=50"], help="key=value, for recipe demo")
    given = parser.parse_args()
    settings = {name: getattr(given, name) for name in ("statements", "min_score", "episodes", "settings")}
    before = json.loads(given.json.read_text()) if given.json.exists() else {}
    runs: dict[str, Arms] = before["runs"] if before.get("settings") == settings else {}
    data = {}
    for seed in range(given.seeds):
        for noise in given.noise:
            world = build_small_world(SmallWorldSettings(seed, noise, statements_per_relation=given.statements))
            key = f"noise {noise}, seed {seed}"
            data[key] = fingerprint(world.train)
            if key not in runs:
                runs[key] = trained_arms(world, given, seed)
            for arm, one in runs[key].items():
                print(f"{key}, {arm:6}  " + "  ".join(f"{name} {value:.3f}" for name, value in one.items()), flush=True)
            rows = {
                f"{share}": table([run for name, run in runs.items() if name.startswith(f"noise {share},")])
                for share in given.noise
                if any(name.startswith(f"noise {share},") for name in runs)
            }
            about = {
                "data": {"name": "small_world", "fingerprints": data},
                "machine": machine(),
                "versions": versions(),
            }
            write_json(given.json, {"task": "audit_pays", "noise": rows, "settings": settings, "runs": runs, **about})


if __name__ == "__main__":
    main()
