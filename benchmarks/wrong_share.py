"""Coverage and width of the interval of the share of wrong labels, on small world, where the truth is known.

    python benchmarks/wrong_share.py --json results/audit/wrong_share.json

Each row is 1,000 simulated judgings of 150 statements: a sample is drawn, every verdict is the truth, and the interval
is compared with the true share and with Wilson's interval of a plain random sample of 150, both with the correction for
a finite population. Scores are those of an audit by a model that was pretrained on these very labels, recipe `demo`;
neither is given the truth. They are used as they are and distorted, since coverage must not depend on calibration;
simulated scores of known AUROC show what better or worse scores would give. Estimates per relation are from 300 judged
statements. The ratio is the width over that of the plain sample, the widest of the audit's undistorted scores.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.audit import AuditSettings, audit_labels, draw_sample, estimate_wrong_share, wilson_interval
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation.evaluated_model import environment
from protorel.io.files import write_json
from protorel.statements import Statement, fingerprint
from protorel.training import load_recipe, pretrain

Scores = NDArray[np.float64]
NOISE = (0.1, 0.3, 0.5)
DISTORTIONS: dict[str, Callable[[Scores], Scores]] = {
    "as they are": lambda scores: scores,
    "squared": np.square,
    "0.3 lower": lambda scores: np.clip(scores - 0.3, 0, 1),
    "0.3 higher": lambda scores: np.clip(scores + 0.3, 0, 1),
    "0 or 1": np.round,
    "random": lambda scores: np.random.default_rng(0).random(len(scores)),
}


def audit_scores(statements: Sequence[Statement], settings: Sequence[str], seed: int) -> Scores:
    """Return the label scores of an audit by a model that was pretrained on these labels, in the order of the data."""
    blind = [replace(one, expresses=None) for one in statements]  # where it is known, an audit calibrates on it
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        pretrain(blind, run, load_recipe("demo", [*settings, f"seed={seed}"]))
        audit = audit_labels(run, blind, settings=AuditSettings(reverse=False))
    scores = np.empty(len(blind))
    scores[audit.table["row"].to_numpy()] = audit.scores
    return scores


def simulated(wrong: NDArray[np.bool_], auroc: float) -> Scores:
    """Return calibrated scores of this AUROC: the posterior of two normal distributions of equal variance."""
    distance = np.sqrt(2) * NormalDist().inv_cdf(auroc)
    seen = np.random.default_rng(0).normal(size=len(wrong)) + np.where(wrong, distance, 0)
    share = wrong.mean()
    odds = np.log(share / (1 - share)) + distance * seen - distance**2 / 2
    return np.asarray(1 / (1 + np.exp(odds)), dtype=np.float64)


def auroc(scores: Scores, wrong: NDArray[np.bool_]) -> float:
    """Return the probability that a right label has a higher score than a wrong one."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(~wrong, scores))


def judged(scores: Scores, wrong: NDArray[np.bool_], *, size: int, times: int) -> dict[str, float]:
    """Simulate judgings with the seeds from 0 and return coverage and width, stratified and plain."""
    truth = float(wrong.mean())
    covered, widths, errors, more, plain_covered, plain_widths = [], [], [], [], [], []
    for seed in range(times):
        sample = draw_sample(scores, size, seed=seed)
        found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist())
        covered.append(found.low <= truth <= found.high)
        widths.append(found.width)
        errors.append(found.value - truth)
        more.append(found.more_to_halve)
        plain = draw_sample(scores, size, seed=seed, strata=1)
        low, high = wilson_interval(int(wrong[plain.places].sum()), len(plain), statements=len(wrong))
        plain_covered.append(low <= truth <= high)
        plain_widths.append(high - low)
    low, high = wilson_interval(sum(covered), times)
    return {
        "auroc": auroc(scores, wrong),
        "coverage": float(np.mean(covered)),
        "coverage_low": low,
        "coverage_high": high,
        "width": float(np.mean(widths)),
        "plain_width": float(np.mean(plain_widths)),
        "width_ratio": float(np.mean(widths) / np.mean(plain_widths)),
        "plain_coverage": float(np.mean(plain_covered)),
        "bias": float(np.mean(errors)),
        "more_to_halve": float(np.mean(more)),
    }


def judged_relations(
    scores: Scores, wrong: NDArray[np.bool_], relations: list[str], *, size: int, times: int
) -> dict[str, float]:
    """Simulate judgings and return coverage and width of the estimates per relation, where the sample allows any."""
    names = np.array(relations)
    truth = {name: float(wrong[names == name].mean()) for name in set(relations)}
    found: list[tuple[bool, float]] = []
    for seed in range(times):
        sample = draw_sample(scores, size, seed=seed)
        share = estimate_wrong_share(scores, sample, wrong[sample.places].tolist(), relations=relations)
        given = {name: one for name, one in share.relations.items() if one is not None}
        found += [(one.low <= truth[name] <= one.high, one.width) for name, one in given.items()]
    coverage, width = np.mean(found or [(False, 1.0)], axis=0).tolist()
    return {"size": size, "estimated": len(found) / (times * len(truth)), "coverage": coverage, "width": width}


def measured(given: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows, one per share of wrong labels, source of scores and distortion, and rows of single relations."""
    for noise in NOISE:
        world = SmallWorldSettings(seed=given.seed, noise=noise, statements_per_relation=given.statements)
        statements = build_small_world(world).train
        wrong = np.array([not one.expresses for one in statements])
        own = audit_scores(statements, given.settings, given.seed)
        about = {"wrong": float(wrong.mean()), "statements": len(wrong), "data": fingerprint(statements)}
        about["audit_estimate"] = float(1 - own.mean())
        scores = {("audit", name): distort(own) for name, distort in DISTORTIONS.items()}
        scores |= {(f"simulated {target}", "as they are"): simulated(wrong, target) for target in (0.85, 0.9, 0.95)}
        for (source, distortion), values in scores.items():
            found = judged(values, wrong, size=given.size, times=given.times)
            yield "rows", {**about, "scores": source, "distortion": distortion, **found}
        names = [str(one.relation) for one in statements]
        found = judged_relations(own, wrong, names, size=2 * given.size, times=max(given.times // 5, 1))
        yield "relations", {**about, "scores": "audit", **found}


def main() -> None:
    """Simulate the judgings, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seed", type=int, default=0, help="Random seed of the small world and the training.")
    parser.add_argument("--settings", nargs="*", default=[], help="key=value, for recipe demo")
    parser.add_argument("--statements", type=int, default=120, help="Statements of each relation in the world.")
    parser.add_argument(
        "--size", type=int, default=150, help="Judgements in each simulation; twice that for relations."
    )
    parser.add_argument(
        "--times", type=int, default=1000, help="Simulations of each row; a fifth of that for relations."
    )
    given = parser.parse_args()
    found: dict[str, list[dict[str, Any]]] = {"rows": [], "relations": []}
    for kind, row in measured(given):
        found[kind].append(row)
        named = row.get("distortion", f"per relation ({100 * row.get('estimated', 1):.0f} % of them)")
        wide = f"{row['width_ratio']:.2f} times as wide as plain" if kind == "rows" else f"{row['width']:.2f} wide"
        coverage = f"coverage {100 * row['coverage']:.1f} %"
        print(f"{100 * row['wrong']:.0f} % wrong, {row['scores']} scores, {named}: {coverage}, {wide}", flush=True)
    if given.json:
        own = [row for row in found["rows"] if (row["scores"], row["distortion"]) == ("audit", "as they are")]
        data = {"name": "small_world", "fingerprints": [row["data"] for row in found["relations"]]}
        settings = {key: value for key, value in vars(given).items() if key != "json"}
        ratio = max(row["width_ratio"] for row in own)
        about = {"data": data, "settings": settings, **environment()}
        write_json(given.json, {"task": "wrong_share", "ratio": ratio, **found, **about})


if __name__ == "__main__":
    main()
