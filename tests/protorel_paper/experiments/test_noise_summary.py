"""Label noise put together: what each recipe loses, compared relation by relation."""

import pytest

from protorel_paper.experiments.label_noise.summary import summarise_noise


def judged(value):
    return {"accuracy": value, "per_relation": {"p": value - 0.01, "q": value + 0.01, "r": value, "s": value}}


def point(recipe, kind, rate, fewshot, recognised, auroc=None, seed=0):
    return {
        "settings": {
            "experiment": {"test": {"task": "5w1s"}},
            "recipe_name": recipe,
            "start_name": "bert",
            "kind": kind,
            "rate": rate,
            "seed": seed,
        },
        "fewshot": {"5w1s": judged(fewshot)},
        "recognised": {"by_prototypes": judged(recognised), "by_class_means": judged(recognised)},
        "wrong_labels_found": auroc and {"statements": 100, "by_margin": {"auroc": auroc, "margin": 0.02}},
        "data": {"name": "train"},
        "test": {"name": "test"},
    }


POINTS = [
    point("col", "none", 0, 0.80, 0.30),
    point("col", "uniform", 0.6, 0.75, 0.25, 0.9),
    point("ce", "none", 0, 0.80, 0.90),
    point("ce", "uniform", 0.6, 0.65, 0.80, 0.8),
]


def test_a_loss_is_counted_from_each_recipe_s_own_clean_figure():
    better, less, *_ = summarise_noise(POINTS, "col").claims
    assert better.comparisons[0].difference.value == pytest.approx(0.75 - 0.65)
    assert less.comparisons[0].difference.value == pytest.approx(0.15 - 0.05)
    assert (better.verdict, less.verdict) == ("holds", "holds")
    assert "col loses less than ce under uniform wrong labels (few-shot accuracy, from bert)" in less.words


def test_who_knows_little_has_little_to_lose_so_that_losses_are_not_compared():
    *_, better, less = summarise_noise(POINTS, "col").claims
    assert better.verdict == "does not hold"
    assert less.verdict == "cannot be said"


def test_without_clean_points_no_loss_is_claimed_and_without_a_rival_nothing():
    claims = summarise_noise([POINTS[1], POINTS[3]], "col").claims
    assert [claim.verdict for claim in claims] == ["holds", "cannot be said", "does not hold", "cannot be said"]
    alone = summarise_noise(POINTS[:2], "col")
    assert alone.claims == []
    assert "Only one recipe was trained" in alone.as_markdown()


def test_the_table_has_every_measure_and_a_dash_where_there_is_none():
    lines = summarise_noise(POINTS, "col").as_markdown().splitlines()
    assert "| bert | col | 0 | 80.0 ± 1.3 | 30.0 ± 1.3 | 30.0 ± 1.3 | – |" in lines
    assert "| bert | ce | 60 uniform | 65.0 ± 1.3 | 80.0 ± 1.3 | 80.0 ± 1.3 | 80.0 ± 2.0 |" in lines


def test_seeds_are_put_together():
    summary = summarise_noise([*POINTS, point("col", "uniform", 0.6, 0.65, 0.60, 0.7, seed=1)], "col")
    row = next(row for row in summary.rows if (row.recipe, row.kind) == ("col", "uniform"))
    assert row.seeds == (0, 1)
    assert row.figures["fewshot"].value == pytest.approx(0.70)
    assert row.figures["wrong_labels_found"].value == pytest.approx(0.8)
    assert row.figures["wrong_labels_found"].over_seeds.count == 2
    told = summary.as_json()
    assert {"task", "data", "machine", "versions"} <= told.keys()
    clean = next(one for one in told["rows"] if one["kind"] == "none")
    assert clean["figures"]["wrong_labels_found"] is None
