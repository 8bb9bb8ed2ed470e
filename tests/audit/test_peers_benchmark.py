"""The comparison with cleanlab and others: its figures by plain loops, its noise, and its tables on the page."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from protorel import SmallWorldSettings, build_small_world

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "results" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def benchmark():
    return runpy.run_path(str(ROOT / "benchmarks" / "audit_peers.py"))


def test_the_tables_on_the_page_are_those_of_the_files(benchmark):
    results = benchmark["read_results"](ROOT / "results" / "audit" / "peers")
    assert len(results) >= 12
    for name, made in benchmark["TABLES"].items():
        shown = PAGE.partition(f"<!-- audit {name} -->\n")[2].partition(f"\n<!-- /audit {name} -->")[0]
        assert shown == made(results)


def test_the_auroc_is_the_mean_over_relations_with_both_kinds_of_labels(benchmark):
    rng = np.random.default_rng(0)
    labels, truth = rng.integers(0, 4, 80), rng.random(80) < 0.6
    truth[labels == 3] = True
    scores = rng.normal(size=80) + truth
    areas = []
    for relation in range(3):
        right = scores[(labels == relation) & truth]
        wrong = scores[(labels == relation) & ~truth]
        areas.append(np.mean([[float(one > other) for other in wrong] for one in right]))
    figures = benchmark["Quality"](labels, truth).figures(scores)
    assert figures["auroc"]["value"] == pytest.approx(np.mean(areas))
    lowest = np.argsort(scores)[:50]
    assert figures["precision_at"]["50"] == pytest.approx(np.mean(~truth[lowest]))


def test_a_score_is_level_with_itself_and_ahead_of_its_opposite(benchmark):
    rng = np.random.default_rng(1)
    labels, truth = rng.integers(0, 6, 300), rng.random(300) < 0.5
    scores = rng.normal(size=300) + 2 * truth
    quality = benchmark["Quality"](labels, truth)
    assert quality.difference(scores, scores)["auroc"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    ahead = quality.difference(scores, -scores)
    assert ahead["auroc"]["low"] > 0
    assert ahead["auroc_pooled"]["low"] > 0


def test_noise_changes_the_asked_share_of_labels_and_says_which(benchmark):
    clean = [one for one in build_small_world(SmallWorldSettings(noise=0.0)).train if one.expresses]
    noisy = benchmark["noisy"](clean, 0.25, 20, 0)
    assert len(noisy) == 20 * 22
    changed = [one for one in noisy if one.relation != one.source]
    assert len(changed) == round(0.25 * len(noisy))
    assert all(one.expresses is False for one in changed)
    assert noisy == benchmark["noisy"](clean, 0.25, 20, 0)


def test_small_worlds_other_kinds_of_noise_change_clean_labels(benchmark):
    noisy = benchmark["small_world"]("uniform", 0.3, 2)
    assert np.mean([not one.expresses for one in noisy]) == pytest.approx(0.3, abs=0.01)
