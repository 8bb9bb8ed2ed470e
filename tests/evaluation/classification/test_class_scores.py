from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from protorel.evaluation import class_scores
from protorel.evaluation.measurement import bootstrap_counts, bootstrap_measurement
from protorel.statements import BadInput

LABELS = ["born in (a, b)", "none", "spouse", "生まれた"]
labels = st.sampled_from(LABELS)
rows = st.lists(st.tuples(labels, labels), min_size=1, max_size=25)


@settings(max_examples=40)  # each redraws statements for its intervals
@given(rows, st.sampled_from([None, "none"]))
def test_figures_agree_with_scikit_learn(rows, no_relation):
    gold, answers = map(list, zip(*rows, strict=True))
    relations = sorted({*gold, *answers} - {no_relation})
    if not relations:
        return
    found = class_scores(gold, answers, no_relation=no_relation)
    for average in ("micro", "macro"):
        wanted = precision_recall_fscore_support(gold, answers, labels=relations, average=average, zero_division=0)
        for figure, value in zip(("precision", "recall", "f1"), wanted, strict=False):
            assert getattr(found, f"{average}_{figure}").value == pytest.approx(value, abs=1e-12)
    each = precision_recall_fscore_support(gold, answers, labels=relations, zero_division=0)
    for name, *wanted in zip(relations, *each, strict=True):
        score = found.per_relation[name]
        assert (score.precision, score.recall, score.f1, score.gold) == pytest.approx(tuple(wanted))
        assert score.answered == answers.count(name)
    assert found.accuracy.value == pytest.approx(np.mean([a == b for a, b in rows]))
    matrix = confusion_matrix(gold, answers, labels=LABELS)
    assert [[found.confusion.get(a, {}).get(b, 0) for b in LABELS] for a in LABELS] == matrix.tolist()


def test_a_right_none_earns_nothing_and_a_wrong_one_loses_a_relation():
    found = class_scores(["a", "a", "none", "none"], ["a", "none", "none", "a"], no_relation="none")
    assert found.micro_precision.value == 0.5
    assert found.micro_recall.value == 0.5
    assert "none" not in found.per_relation
    assert class_scores(["a", "a", "none", "none"], ["a", "none", "none", "a"]).micro_f1.value == 0.5
    assert class_scores(["a", "none"], ["none", "none"], no_relation="none").micro_f1.value == 0


def test_the_intervals_are_those_of_redrawing_statements_one_by_one():
    rng = np.random.default_rng(1)
    gold = rng.choice(["a", "b", "c", "none"], size=300, p=[0.5, 0.2, 0.05, 0.25])
    answers = np.where(rng.random(300) < 0.7, gold, rng.choice(["a", "b", "c", "none"], size=300))
    found = class_scores(gold.tolist(), answers.tolist(), no_relation="none", seed=2)
    slow = {"micro": [], "macro": []}
    for _ in range(300):
        drawn = rng.integers(300, size=300)
        for average, values in slow.items():
            present = sorted({*gold[drawn], *answers[drawn]} - {"none"})
            scored = precision_recall_fscore_support(
                gold[drawn], answers[drawn], labels=present, average=average, zero_division=0
            )
            values.append(scored[2])
    for average, values in slow.items():
        low, high = np.quantile(values, [0.025, 0.975])
        assert getattr(found, f"{average}_f1").margin == pytest.approx((high - low) / 2, rel=0.2)
    assert class_scores(gold.tolist(), answers.tolist(), no_relation="none", seed=2) == found
    other = class_scores(gold.tolist(), answers.tolist(), no_relation="none", seed=3)
    assert other.micro_f1.margin != found.micro_f1.margin


def test_redrawn_counts_are_of_as_many_things_with_the_spread_of_a_lottery():
    drawn = bootstrap_counts(np.array([30, 60, 10]), seed=0, draws=4000)
    assert (drawn.sum(1) == 100).all()
    assert drawn.mean(0) == pytest.approx([30, 60, 10], rel=0.02)
    assert drawn.std(0) == pytest.approx([math.sqrt(100 * p * (1 - p)) for p in (0.3, 0.6, 0.1)], rel=0.05)


def test_a_margin_is_half_the_span_of_95_percent_and_draws_without_a_value_are_left_out():
    values = np.append(np.linspace(0, 1, 1001), [np.nan] * 50)
    assert bootstrap_measurement(0.4, values, count=9).margin == pytest.approx(0.475)
    assert bootstrap_measurement(0.4, np.array([np.nan]), count=9).margin == math.inf
    assert bootstrap_measurement(0.4, values, count=1).margin == math.inf


def test_scores_go_into_json_one_statement_or_many():
    one = class_scores(["a"], ["b"]).as_json()
    assert json.loads(json.dumps(one, allow_nan=False))["micro_f1"] == {"value": 0.0, "margin": None, "count": 1}
    many = class_scores(["a", "a", "b"], ["b", "a", "b"], seed=7).as_json()
    assert json.loads(json.dumps(many, allow_nan=False)) == many
    assert many["confusion"] == {"a": {"a": 1, "b": 1}, "b": {"b": 1}}
    assert many["per_relation"]["a"] == {
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
        "gold": 2,
        "answered": 1,
    }
    assert (many["seed"], many["no_relation"]) == (7, None)


def test_nothing_to_score_is_refused():
    with pytest.raises(BadInput, match="2 gold labels and 1 answers"):
        class_scores(["a", "b"], ["a"])
    with pytest.raises(BadInput, match="0 gold labels"):
        class_scores([], [])
    with pytest.raises(BadInput, match="expected at least one relation to score, got only 'none'"):
        class_scores(["none"], ["none"], no_relation="none")
