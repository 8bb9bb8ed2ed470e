"""Figures over natural pairs, against plain loops on pairs that are small enough to count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from protorel.evaluation.extraction.baselines import type_pair_majority
from protorel.evaluation.extraction.document_samples import DocumentSamples
from protorel.evaluation.extraction.figures import spread_over
from protorel.evaluation.extraction.pair_figures import answer_calibration, direction, false_positives_at
from protorel.evaluation.extraction.precision_target import precision_target
from protorel.evaluation.extraction.scored_pairs import ScoredPairs, label_table, natural_pairs, scored
from protorel.evaluation.extraction.triples import (
    best_f1_threshold,
    calibrated_f1_threshold,
    merged_by_document,
    micro_scores,
    missing_facts,
)
from protorel.model import Calibration, answered, calibration_error
from protorel.model.answers.calibration_file import Curve
from protorel.statements import BadInput, DataSet, LabelSets, Statement

NAMES = ("born_in", "died_in", "P26")
DOCUMENTS = 12


@pytest.fixture
def rows() -> list[Statement]:
    """Both orders of a pair in two sentences of each document; one pair in three holds a relation."""
    found = []
    for document in range(DOCUMENTS):
        for sentence in range(3):
            text = f"Ada {sentence} met Lunsk {document}."
            head, tail = (0, 3), (10, 15)
            ends = {
                "document": f"d{document}",
                "head_id": f"f:{document}#0",
                "tail_id": f"f:{document}#{sentence // 2}1",
            }
            turned = {"document": f"d{document}", "head_id": ends["tail_id"], "tail_id": ends["head_id"]}
            held = NAMES[document % 3] if sentence < 2 and document % 4 else "no_relation"
            found.append(Statement(text, head, tail, held, head_type="PER", tail_type="LOC", **ends))
            if held != "no_relation" and document % 5 == 0:
                found.append(replace(found[-1], relation="unheard_of"))
            found.append(Statement(text, tail, head, "no_relation", head_type="LOC", tail_type="PER", **turned))
    return found


@pytest.fixture
def label_sets(rows) -> LabelSets:
    return natural_pairs(rows, name="mine")


@pytest.fixture
def pairs(label_sets) -> ScoredPairs:
    """Probabilities that are right more often than not."""
    labels, _ = label_table(label_sets, NAMES)
    noise = np.random.default_rng(1).random(labels.shape)
    return scored(NAMES, (0.35 * labels + 0.65 * noise).clip(0, 1).astype(np.float32), label_sets)


@pytest.fixture
def samples(pairs) -> DocumentSamples:
    return DocumentSamples.draw(DOCUMENTS, seed=0)


def with_curve(probability: list[float], right: list[int], labels: int) -> Calibration:
    start = Calibration.unmeasured(NAMES, "", np.full(3, np.nan), np.full(3, np.nan))
    documents = list(range(len(right)))
    return replace(start, curve=Curve(probability=probability, right=right, document=documents, labels=labels))


def test_each_pair_of_a_document_has_all_its_labels(rows, label_sets):
    assert len(label_sets) == 6 * DOCUMENTS
    assert label_sets.labels[6 * 5] == {"P26", "unheard_of"}
    assert sum(map(len, label_sets.labels)) == sum(row.relation != "no_relation" for row in rows)


def test_equal_sentences_of_two_documents_are_two_pairs(rows):
    again = replace(rows[0], document="other", head_id="f:99#0", relation="born_in")
    assert len(natural_pairs([*rows, again], name="mine")) == 6 * DOCUMENTS + 1


def test_only_the_first_documents_are_read_if_asked(rows):
    assert {one.document for one in natural_pairs(rows, name="mine", most_documents=2).statements} == {"d0", "d1"}


def test_data_without_pairs_that_hold_none_are_refused(rows):
    with pytest.raises(BadInput, match=r"mine: expected pairs with and without a relation, got only pairs"):
        natural_pairs([one for one in rows if one.relation != "no_relation"], name="mine")
    with pytest.raises(BadInput, match=r"got no pair that holds one"):
        natural_pairs([one for one in rows if one.relation == "no_relation"], name="mine")


def test_the_calibration_error_is_that_of_the_answers_and_its_interval_that_of_redrawn_documents(pairs, samples):
    sure, right = answered(pairs.relations.astype(float), pairs.none, pairs.labels)
    found = answer_calibration(pairs, samples)
    assert found.value == pytest.approx(calibration_error(sure, right))
    drawn = []
    for weights in samples.weights:
        rows = np.concatenate([np.flatnonzero(pairs.documents == d).repeat(int(w)) for d, w in enumerate(weights)])
        drawn.append(calibration_error(sure[rows], right[rows]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.margin == pytest.approx((high - low) / 2)
    assert found.count == DOCUMENTS


@pytest.mark.parametrize("right_relation", [False, True])
def test_false_positives_are_counted_where_half_of_the_related_pairs_are_found(pairs, samples, right_relation):
    found = false_positives_at(pairs, samples, right_relation=right_relation)
    related = pairs.related
    best = pairs.relations.max(axis=1)
    own = (pairs.relations * pairs.labels).max(axis=1) if right_relation else best
    tried = sorted({*best[~related].tolist(), *own[related].tolist()}, reverse=True)
    threshold = next(one for one in tried if (own[related] >= one).mean() >= 0.5)
    assert found.threshold == pytest.approx(threshold)
    assert found.recall == pytest.approx((own[related] >= threshold).mean())
    assert found.share.value == pytest.approx((best[~related] >= threshold).mean())
    assert found.share.margin > 0


def test_a_recall_that_no_threshold_reaches_has_no_false_positives(pairs, samples):
    blind = replace(pairs, labels=np.zeros_like(pairs.labels), unknown=pairs.related.astype(np.int64))
    found = false_positives_at(blind, samples, right_relation=True)
    assert np.isnan(found.share.value)
    assert found.as_json() == {
        "share": {"value": None, "margin": None, "count": DOCUMENTS},
        "threshold": None,
        "recall": None,
    }


def test_direction_counts_relations_that_hold_in_one_order_and_are_not_symmetric(pairs, samples):
    relations = np.zeros_like(pairs.relations)
    truth = np.argwhere(pairs.labels)
    relations[truth[:, 0], truth[:, 1]] = 0.9  # all that is true
    place = {(one.text, one.head, one.tail): row for row, one in enumerate(pairs.statements)}
    turned = [place[one.text, one.tail, one.head] for one in pairs.statements]
    backwards = [(turned[row], column) for row, column in truth.tolist()][:3]
    for row, column in backwards:
        relations[row, column] = 0.8  # and three relations the wrong way round, too
    one_way = int((truth[:, 1] != 2).sum())
    wrong = sum(column != 2 for _, column in backwards)
    found = direction(replace(pairs, relations=relations), samples, threshold=0.5, symmetric=("P26",))
    assert found.asserted == one_way + wrong
    assert found.right.value == pytest.approx(one_way / (one_way + wrong))
    surer = direction(replace(pairs, relations=relations), samples, threshold=0.85, symmetric=("P26",))
    assert surer.right.value == 1


def test_a_relation_that_holds_in_both_orders_has_no_direction(pairs, samples):
    both = replace(pairs, labels=np.ones_like(pairs.labels), relations=np.ones_like(pairs.relations))
    found = direction(both, samples, threshold=0.5, symmetric=())
    assert found.asserted == 0
    assert np.isnan(found.right.value)


def test_a_precision_that_is_asked_for_is_checked_at_the_threshold_of_the_calibration(pairs, samples):
    calibration = with_curve([0.9, 0.7, 0.6, 0.5], [1, 1, 1, 0], 3)
    found = precision_target(calibration, pairs, samples, asked=0.8)
    assert found.threshold == 0.6
    asserted = pairs.relations >= np.float32(0.6)
    right = asserted & pairs.labels
    assert found.precision.value == pytest.approx(right.sum() / asserted.sum())
    assert found.pairs_asserted.value == pytest.approx(right.any(axis=1).sum() / pairs.related.sum())
    assert found.labels_asserted.value == pytest.approx(right.sum() / (pairs.labels.sum() + pairs.unknown.sum()))
    assert 0 <= found.held_by_value <= found.held <= found.resamples == 20


def test_a_target_holds_in_all_resamples_if_all_is_right_and_in_none_if_too_little_is_asserted(pairs, samples):
    calibration = with_curve([0.5] * 20, [1] * 20, 20)
    truth = replace(pairs, relations=pairs.labels.astype(np.float32))
    assert precision_target(calibration, truth, samples, asked=0.9).held == 20
    assert precision_target(calibration, truth, samples, asked=0.9).held_by_value == 20
    little = np.zeros_like(truth.relations)
    row, column = np.argwhere(pairs.labels)[0]
    little[row, column] = 1
    assert precision_target(calibration, replace(pairs, relations=little), samples, asked=0.9).held == 0


def test_a_refusal_is_a_miss_in_every_resample(pairs, samples):
    found = precision_target(with_curve([0.9, 0.8], [0, 0], 3), pairs, samples, asked=0.9)
    assert (found.held, found.held_by_value, found.threshold) == (0, 0, None)
    assert "min_precision: expected held-out answers that reach a precision" in found.refused
    assert found.as_json()["precision"] is None


def test_micro_scores_count_labels_of_unknown_relations_as_missed(pairs, samples):
    found = micro_scores(pairs, samples, threshold=0.5)
    asserted = pairs.relations >= 0.5
    right = int((asserted & pairs.labels).sum())
    gold = int(pairs.labels.sum() + pairs.unknown.sum())
    assert pairs.unknown.sum() > 0
    assert (found.right, found.asserted, found.gold) == (right, int(asserted.sum()), gold)
    assert found.precision.value == pytest.approx(right / asserted.sum())
    assert found.recall.value == pytest.approx(right / gold)
    assert found.f1.value == pytest.approx(2 * right / (asserted.sum() + gold))


def test_a_triple_has_the_highest_score_of_its_sentences(pairs):
    merged = merged_by_document(pairs)
    wanted: dict[tuple[str, str, str, str], float] = {}
    truth = set()
    for row, one in enumerate(pairs.statements):
        for column, name in enumerate(NAMES):
            key = (one.document, one.head_id, one.tail_id, name)
            wanted[key] = max(wanted.get(key, 0.0), float(pairs.relations[row, column]))
            if pairs.labels[row, column]:
                truth.add(key)
    got = {
        (one.document, one.head_id, one.tail_id, name): float(merged.relations[row, column])
        for row, one in enumerate(merged.statements)
        for column, name in enumerate(NAMES)
    }
    assert got == wanted
    assert merged.labels.sum() == len(truth) < pairs.labels.sum()
    assert len(merged) == 4 * DOCUMENTS


def test_facts_without_a_sentence_lower_recall_to_its_ceiling(pairs, samples):
    truth = merged_by_document(replace(pairs, relations=pairs.labels.astype(np.float32), unknown=0 * pairs.unknown))
    reachable = int(truth.labels.sum())
    by_document = missing_facts(truth, {"f:1": 3, "f:2": 4, "elsewhere:1": 100})
    assert by_document.sum() == 7
    for missing in (by_document, spread_over(truth, samples, all_facts=reachable + 7)):
        found = micro_scores(truth, samples, threshold=0.5, missing=missing)
        assert found.recall.value == pytest.approx(reachable / (reachable + 7))
        assert found.precision.value == 1


def test_the_threshold_of_the_highest_f1_asserts_equal_probabilities_together():
    probability, right = np.array([0.9, 0.5, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0, 0])
    assert best_f1_threshold(probability, right, gold=1) == 0.9
    assert best_f1_threshold(probability, right, gold=4) == 0.5
    assert calibrated_f1_threshold(with_curve(probability.tolist(), right.tolist(), 4)) == 0.5
    assert calibrated_f1_threshold(Calibration.unmeasured(NAMES, "", np.ones(3), np.zeros(3))) is None


def test_the_type_pair_baseline_asserts_the_relations_that_are_frequent_for_two_types(rows, label_sets):
    train = [replace(one, relation="born_in") if one.head_type == "PER" else one for one in rows]
    train.append(replace(rows[0], relation="no_relation", head_id="x", document="x", head_type="PER"))
    found = type_pair_majority(DataSet.of("train", train), label_sets)
    persons = np.asarray([one.head_type == "PER" for one in found.pairs.statements])
    assert found.pairs.names == ("born_in",)
    assert ((found.pairs.relations[:, 0] >= found.threshold) == persons).all()
    assert found.threshold == pytest.approx(36 / 37)


def test_the_type_pair_baseline_needs_types(rows, label_sets):
    train = [replace(one, head_type=None) for one in rows]
    with pytest.raises(BadInput, match=r"train: expected entity types for the type-pair baseline, got none"):
        type_pair_majority(DataSet.of("train", train), label_sets)


def test_the_same_seed_draws_the_same_documents():
    first, second = DocumentSamples.draw(9, seed=4, draws=5), DocumentSamples.draw(9, seed=4, draws=5)
    assert (first.weights == second.weights).all()
    assert (first.weights.sum(axis=1) == 9).all()
    assert (DocumentSamples.draw(9, seed=5, draws=5).weights != first.weights).any()
