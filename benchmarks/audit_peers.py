"""How well label scores find wrong labels: the audit next to cleanlab and other scores on the same vectors and folds.

    python benchmarks/audit_peers.py small-world --kind distant --noise 0.3 --seed 2 --json FILE
    python benchmarks/audit_peers.py noisy fewrel.parquet --rate 0.3 --per-relation 200 --out noisy.parquet
    python benchmarks/audit_peers.py labels RUN noisy.parquet --descriptions pid2name.json --json FILE
    python benchmarks/audit_peers.py table results/audit/peers --page results/README.md

The truth (`expresses`) is hidden from the audit. cleanlab gets cross-fitted probabilities of a logistic regression on
the same reduced vectors and folds, at two strengths of regularisation, and has five methods; its best of these ten
settings on each data set, chosen by the truth, is compared with one fixed score of ours. AUROC is the mean over
relations that have right and wrong labels; differences are bootstrapped over relations, both scores on the same draws.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from protorel.audit import Audit, AuditSettings, audit_labels
from protorel.audit.cross_fitting import fit_logistic_prior
from protorel.audit.encoded_statements import encode_statements
from protorel.audit.labelled_rows import LabelledRows
from protorel.audit.neighbours import neighbour_agreement
from protorel.audit.relation_anchors import RelationAnchors
from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.evaluation import environment
from protorel.evaluation.fuzzyred.score_quality import average_precision
from protorel.evaluation.true_labels import area_under_curve
from protorel.io import write_json
from protorel.model import RelationModel
from protorel.statements import (
    DataSet,
    Descriptions,
    Statement,
    find_leakage,
    fingerprint,
    load_descriptions,
    load_equivalents,
    read_statements,
    write_statements,
)

Numbers = NDArray[np.float64]
OURS = "audit"
DRAWS = 1000
EPOCHS = 30
SETTINGS = AuditSettings(reverse=False)


def small_world(kind: str, noise: float, seed: int) -> list[Statement]:
    """Return small world's labels: its own distant noise, or a share of clean ones changed to other relations."""
    if kind == "distant":
        return list(build_small_world(SmallWorldSettings(seed=seed, noise=noise)).train)
    from protorel_paper.experiments.label_noise.wrong_labels import (
        confusable_choices,
        uniform_choices,
        with_wrong_labels,
    )

    clean = [one for one in build_small_world(SmallWorldSettings(seed=seed, noise=0.0)).train if one.expresses]
    by_relation: dict[str, list[Statement]] = defaultdict(list)
    for one in clean:
        by_relation[str(one.relation)].append(one)
    if kind == "uniform":
        choices = uniform_choices(sorted(by_relation))
    else:
        choices = confusable_choices(RelationModel.from_pretrained("minilm"), by_relation)
    return list(with_wrong_labels(clean, noise, choices, seed=seed).statements)


def noisy(statements: list[Statement], rate: float, per_relation: int, seed: int) -> list[Statement]:
    """Return some statements of each relation, a share of them with the label of another relation."""
    by_relation: dict[str, list[Statement]] = defaultdict(list)
    for one in statements:
        by_relation[str(one.relation)].append(one)
    rng = random.Random(seed)
    names = sorted(by_relation)
    rows = [one for name in names for one in rng.sample(by_relation[name], per_relation)]
    order = list(range(len(rows)))
    rng.shuffle(order)
    wrong = set(order[: round(rate * len(rows))])
    changed = []
    for row, one in enumerate(rows):
        was = str(one.relation)
        label = rng.choice([name for name in names if name != was]) if row in wrong else was
        changed.append(replace(one, relation=label, expresses=row not in wrong, source=was))
    rng.shuffle(changed)
    return changed


def apart(statements: list[Statement], tests: list[Path]) -> list[Statement]:
    """Return the statements that share no pair and no sentence with the test sets; shared relations stay."""
    for path in tests:
        kinds = ("pairs", "sentences", "near_duplicates")
        statements = list(find_leakage(statements, read_statements(path), kinds=kinds).remainder(statements))
    return statements


def all_scores(
    model: Any, statements: list[Statement], descriptions: Descriptions | None
) -> tuple[dict[str, Numbers], LabelledRows, Audit]:
    """Return every score of every statement, in the order of the data; higher means that the label looks right."""
    hidden = [replace(one, expresses=None) for one in statements]
    found = audit_labels(model, hidden, settings=SETTINGS, descriptions=descriptions)
    back = np.argsort(found.table["row"].to_numpy())
    columns = {
        name: np.asarray(found.table[name].to_numpy(zero_copy_only=False), dtype=np.float64)[back]
        for name in ("cross_fitted_probability", "in_sample_margin", "description_fit", "pair_relations")
    }
    labelled = LabelledRows.of(DataSet.of("labels", hidden))
    held = model if isinstance(model, RelationModel) else RelationModel.from_pretrained(model)
    anchors = RelationAnchors.of(held, labelled.relations, descriptions, load_equivalents())
    encoded = encode_statements(held, labelled.statements, labelled.labels, anchors, reverse=False)
    vectors, labels = encoded.vectors, labelled.labels
    folds = labelled.folds(SETTINGS.folds, seed=SETTINGS.seed)
    scores = {
        OURS: back.astype(np.float64),  # the place in the ranking
        "cross-fitted probability alone": columns["cross_fitted_probability"],
        "in-sample margin": columns["in_sample_margin"],
        "description alone": columns["description_fit"],
        "number of relations of the pair": -columns["pair_relations"],
        "relation prior": labelled.counts[labels].astype(np.float64),
        "k nearest neighbours": neighbour_agreement(vectors, labels, labelled.sentences, neighbours=20).astype(float),
    }
    for strength in (1.0, 10.0):
        chances = probabilities(vectors, labels, folds, len(labelled.relations), strength)
        scores |= {f"cleanlab {name}, C={strength:g}": one for name, one in cleanlab_scores(labels, chances).items()}
    scores |= dynamics(vectors, labels, len(labelled.relations))
    return {name: one for name, one in scores.items() if np.isfinite(one).any()}, labelled, found


def probabilities(
    vectors: NDArray[np.float32], labels: NDArray[np.int64], folds: NDArray[np.int64], relations: int, strength: float
) -> Numbers:
    """Return cross-fitted probabilities of all relations."""
    # A penalty of 1/C on the weights is the same as vectors that are √C as long.
    scaled = vectors * np.float32(np.sqrt(strength))
    chances = np.empty((len(labels), relations))
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        prior = torch.zeros(vectors.shape[1], relations)
        weights = fit_logistic_prior(scaled[train], labels[train], prior).numpy()
        logits = scaled[test] @ weights[:-1] + weights[-1]
        chances[test] = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances = np.clip(chances, 1e-12, None)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def cleanlab_scores(labels: NDArray[np.int64], chances: Numbers) -> dict[str, Numbers]:
    """Return cleanlab's label quality scores by all its methods."""
    from cleanlab.rank import get_label_quality_scores

    scores = {}
    for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
        for adjusted in (False, True):
            if adjusted and method == "confidence_weighted_entropy":
                continue  # cleanlab refuses it
            name = f"{method}{', adjusted' if adjusted else ''}"
            scores[name] = get_label_quality_scores(labels, chances, method=method, adjust_pred_probs=adjusted)
    return scores


def dynamics(vectors: NDArray[np.float32], labels: NDArray[np.int64], relations: int) -> dict[str, Numbers]:
    """Return scores from the training of a linear classifier on all labels: loss, AUM, cartography's confidence."""
    torch.manual_seed(0)
    features, targets = torch.from_numpy(vectors), torch.from_numpy(labels)
    layer = torch.nn.Linear(vectors.shape[1], relations)
    optimiser = torch.optim.AdamW(layer.parameters(), lr=1e-2)
    margins, confidence = np.zeros(len(labels)), np.zeros(len(labels))
    for epoch in range(EPOCHS):
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(epoch))
        for rows in order.split(128):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(10 * layer(features[rows]), targets[rows]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            logits = 10 * layer(features)
            own = logits.gather(1, targets[:, None])[:, 0]
            margins += (own - logits.scatter(1, targets[:, None], -torch.inf).amax(1)).double().numpy() / EPOCHS
            chance = logits.log_softmax(1).gather(1, targets[:, None])[:, 0].double().numpy()
            confidence += np.exp(chance) / EPOCHS
    return {"loss": chance, "AUM": margins, "dataset cartography": confidence}


class Quality:
    """Figures of scores on statements with known truth, and their differences over bootstrap draws of relations."""

    def __init__(self, labels: NDArray[np.int64], truth: NDArray[np.bool_], *, seed: int = 0) -> None:
        self.truth = truth
        self.rows = [np.flatnonzero(labels == one) for one in np.unique(labels)]
        self.both = [place for place, rows in enumerate(self.rows) if 0 < truth[rows].sum() < len(rows)]
        self.lots = np.random.default_rng([seed, len(self.rows)]).integers(len(self.both), size=(DRAWS, len(self.both)))

    def areas(self, scores: Numbers) -> Numbers:
        """Return the AUROC of each relation that has right and wrong labels."""
        return np.asarray([area_under_curve(scores[self.rows[one]], self.truth[self.rows[one]]) for one in self.both])

    def figures(self, scores: Numbers) -> dict[str, Any]:
        """Return AUROC by relation and over all, average precision of wrong labels, and precision at the lowest."""
        filled = np.where(np.isfinite(scores), scores, np.nanmedian(scores))
        areas = self.areas(filled)
        low, high = np.quantile(areas[self.lots].mean(axis=1), [0.025, 0.975])
        order = np.argsort(filled, kind="stable")
        wrong = ~self.truth
        return {
            "auroc": {"value": float(areas.mean()), "low": float(low), "high": float(high)},
            "auroc_pooled": area_under_curve(filled, self.truth),
            "average_precision": average_precision(-filled, wrong),
            "precision_at": {str(n): float(wrong[order[:n]].mean()) for n in (50, 100, 200) if n <= len(order)},
        }

    def difference(self, one: Numbers, other: Numbers) -> dict[str, Any]:
        """Return how much higher the AUROC of one score is than that of another, by relation and over all."""
        gap = self.areas(one) - self.areas(other)
        low, high = np.quantile(gap[self.lots].mean(axis=1), [0.025, 0.975])
        pooled = []
        everything = np.random.default_rng([1, len(self.rows)]).integers(len(self.rows), size=(200, len(self.rows)))
        for lot in everything:
            rows = np.concatenate([self.rows[place] for place in lot])
            if 0 < self.truth[rows].sum() < len(rows):
                truth = self.truth[rows]
                pooled.append(area_under_curve(one[rows], truth) - area_under_curve(other[rows], truth))
        least, most = np.quantile(pooled, [0.025, 0.975])
        whole = area_under_curve(one, self.truth) - area_under_curve(other, self.truth)
        return {
            "auroc": {"value": float(gap.mean()), "low": float(low), "high": float(high)},
            "auroc_pooled": {"value": float(whole), "low": float(least), "high": float(most)},
        }


def measured(
    model: Any, statements: list[Statement], descriptions: Descriptions | None, **about: Any
) -> dict[str, Any]:
    """Return the figures of every score, on all relations and on those that the model has a prototype of or not."""
    scores, labelled, found = all_scores(model, statements, descriptions)
    truth = np.asarray([bool(one.expresses) for one in statements])
    kinds = dict(zip(found.relations["relation"].to_pylist(), found.relations["scored_by"].to_pylist(), strict=True))
    seen = np.asarray([kinds[labelled.relations[label]] == "prototype" for label in labelled.labels])
    groups = {"every": np.ones(len(seen), dtype=bool)}
    if seen.any() and not seen.all():
        groups |= {"seen": seen, "unseen": ~seen}
    results = {}
    for name, rows in groups.items():
        quality = Quality(labelled.labels[rows], truth[rows])
        within = {key: one[rows] for key, one in scores.items() if np.isfinite(one[rows]).any()}
        figures = {key: quality.figures(one) for key, one in within.items()}
        peers = [key for key in figures if key.startswith("cleanlab")]
        best = max(peers, key=lambda key: figures[key]["auroc"]["value"])
        pooled = max(peers, key=lambda key: figures[key]["auroc_pooled"])
        results[name] = {
            "statements": int(rows.sum()),
            "wrong": int((~truth[rows]).sum()),
            "relations": len(quality.rows),
            "relations_with_both": len(quality.both),
            "scores": figures,
            "best_cleanlab": best,
            "best_cleanlab_pooled": pooled,
            "ahead_of_cleanlab": quality.difference(within[OURS], within[best])["auroc"],
            "ahead_of_cleanlab_pooled": quality.difference(within[OURS], within[pooled])["auroc_pooled"],
        }
    return {
        "task": "audit_peers",
        **about,
        "groups": results,
        "estimated_wrong_share": found.summary["estimated_wrong_share"],
        "settings": SETTINGS.as_json(),
        "bootstrap_draws": DRAWS,
        "data": {"statements": len(statements), "fingerprint": fingerprint(statements)},
        "run": found.summary["run"],
        "descriptions": found.summary["descriptions"],
        **environment(),
    }


NAMES = {
    "small_world_distant": "small world, distant",
    "small_world_lookalike": "small world, look-alike",
    "small_world_uniform": "small world, uniform",
    "redocred_evidence": "Re-DocRED evidence",
    "fuzzyred": "FuzzyRED",
    "fewrel_uniform": "FewRel, uniform",
}
OTHERS = (
    "cross-fitted probability alone",
    "description alone",
    "in-sample margin",
    "k nearest neighbours",
    "loss",
    "AUM",
    "dataset cartography",
    "relation prior",
    "number of relations of the pair",
)


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of each data set and group of relations, by its name in the tables."""
    found = {}
    for key, name in NAMES.items():
        for path in sorted(folder.glob(f"{key}*.json")):
            groups = json.loads(path.read_text(encoding="utf-8"))["groups"]
            for group, one in groups.items():
                rate = f" {path.stem.rpartition('_')[2]} %" if path.stem.rpartition("_")[2].isdecimal() else ""
                found[f"{name}{rate}{'' if group == 'every' else f', {group} relations'}"] = one
    return found


def against_cleanlab(results: dict[str, dict[str, Any]]) -> str:
    """Return the table of our score next to cleanlab's at its best settings, in Markdown."""
    lines = [
        "| AUROC, mean over relations | wrong | ours | cleanlab | difference | pooled: ours | cleanlab | difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in results.items():
        peer, pooled = one["scores"][one["best_cleanlab"]], one["scores"][one["best_cleanlab_pooled"]]
        ours = one["scores"][OURS]
        cells = (
            f"{one['wrong']:,} of {one['statements']:,}",
            f"{ours['auroc']['value']:.3f} ({ours['auroc']['low']:.3f} to {ours['auroc']['high']:.3f})",
            f"{peer['auroc']['value']:.3f}",
            interval(one["ahead_of_cleanlab"]),
            f"{ours['auroc_pooled']:.3f}",
            f"{pooled['auroc_pooled']:.3f}",
            interval(one["ahead_of_cleanlab_pooled"]),
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def interval(difference: dict[str, float]) -> str:
    """Return a difference with its interval, in bold where it is beyond chance."""
    text = "{value:+.3f} ({low:+.3f} to {high:+.3f})".format(**difference)
    text = text.replace("-", "−")
    return f"**{text}**" if difference["low"] > 0 or difference["high"] < 0 else text


def lowest_scores(results: dict[str, dict[str, Any]]) -> str:
    """Return average precision, and the share of wrong labels among the lowest scores, of both, in Markdown."""
    lines = [
        "| ours / cleanlab, % | by chance | average precision | of 50 | of 100 | of 200 |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in results.items():
        both = one["scores"][OURS], one["scores"][one["best_cleanlab_pooled"]]
        cells = [" / ".join(f"{100 * each['average_precision']:.1f}" for each in both)]
        cells += [
            " / ".join(f"{100 * each['precision_at'][count]:.0f}" for each in both) for count in ("50", "100", "200")
        ]
        lines.append(f"| {name} | {100 * one['wrong'] / one['statements']:.1f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def other_scores(results: dict[str, dict[str, Any]]) -> str:
    """Return the AUROC of single pieces of evidence and of other published scores, in Markdown."""
    lines = [f"| AUROC, mean over relations | ours | {' | '.join(OTHERS)} |", "|---" * (len(OTHERS) + 2) + "|"]
    for name, one in results.items():
        scores = one["scores"]
        cells = [f"{scores[key]['auroc']['value']:.3f}" if key in scores else "–" for key in (OURS, *OTHERS)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


TABLES = {"cleanlab": against_cleanlab, "lowest": lowest_scores, "others": other_scores}
"""The tables of results/README.md, between `<!-- audit NAME -->` and `<!-- /audit NAME -->`."""


def write_tables(folder: Path, page: Path) -> None:
    """Put the tables into a page that has their marks."""
    text = page.read_text(encoding="utf-8")
    results = read_results(folder)
    for name, made in TABLES.items():
        start, stop = f"<!-- audit {name} -->\n", f"<!-- /audit {name} -->"
        before, _, rest = text.partition(start)
        if rest:
            text = f"{before}{start}{made(results)}\n{stop}{rest.partition(stop)[2]}"
    page.write_text(text, encoding="utf-8")


def main() -> None:
    """Measure one data set, make a noisy one, or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    world = commands.add_parser("small-world")
    world.add_argument("--kind", choices=("distant", "uniform", "lookalike"), required=True)
    world.add_argument("--noise", type=float, required=True)
    world.add_argument("--seed", type=int, default=2)
    world.add_argument("--recipe", default="demo")
    world.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    made = commands.add_parser("noisy")
    made.add_argument("data", type=Path)
    made.add_argument("--rate", type=float, required=True)
    made.add_argument("--per-relation", type=int, default=200)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--out", type=Path, required=True)
    kept = commands.add_parser("apart")
    kept.add_argument("data", type=Path)
    kept.add_argument("--from", dest="tests", type=Path, nargs="+", required=True)
    kept.add_argument("--out", type=Path, required=True)
    labels = commands.add_parser("labels")
    labels.add_argument("model")
    labels.add_argument("data", type=Path)
    labels.add_argument("--descriptions", type=Path)
    gathered = commands.add_parser("table")
    gathered.add_argument("folder", type=Path)
    gathered.add_argument("--page", type=Path, required=True)
    for one in (world, labels):
        one.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "noisy":
        write_statements(noisy(read_statements(given.data), given.rate, given.per_relation, given.seed), given.out)
    elif given.command == "apart":
        write_statements(apart(read_statements(given.data), given.tests), given.out)
    elif given.command == "table":
        write_tables(given.folder, given.page)
    elif given.command == "labels":
        texts = load_descriptions(given.descriptions) if given.descriptions else None
        statements = read_statements(given.data)
        write_json(given.json, measured(given.model, statements, texts, source=given.data.name))
    else:
        from protorel import load_recipe, pretrain

        statements = small_world(given.kind, given.noise, given.seed)
        about = {"source": "small world", "kind": given.kind, "noise": given.noise, "seed": given.seed}
        with tempfile.TemporaryDirectory() as folder:
            recipe = load_recipe(given.recipe, [*given.set, f"seed={given.seed}"])
            model = pretrain(statements, Path(folder) / "run", recipe)
            write_json(given.json, measured(model, statements, None, **about))
    if given.command in ("labels", "small-world"):
        for group, one in json.loads(given.json.read_text(encoding="utf-8"))["groups"].items():
            ours, ahead, pooled = one["scores"][OURS], one["ahead_of_cleanlab"], one["ahead_of_cleanlab_pooled"]
            print(
                f"{group}: AUROC {ours['auroc']['value']:.3f}, pooled {ours['auroc_pooled']:.3f}; ahead of cleanlab by "
                f"{ahead['value']:+.3f} ({ahead['low']:+.3f} to {ahead['high']:+.3f}), pooled {pooled['value']:+.3f} "
                f"({pooled['low']:+.3f} to {pooled['high']:+.3f})"
            )


if __name__ == "__main__":
    main()
