from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.model.answers.background import Background
from protorel.model.answers.calibrating import Pairs, answered, calibration_error, fit_calibration, fit_line
from protorel.model.answers.calibration import Calibration, _lower_precision, independent_none, sigmoid
from protorel.model.answers.calibration_file import Curve, HeldOut, Interval
from protorel.statements import BadInput

NAMES = ("born_in", "spouse", "lives_in", "founded")


def start(count: int = 4) -> Calibration:
    unknown = np.full(count, np.nan)
    return Calibration.unmeasured(NAMES[:count], "abc", unknown, unknown)


def drawn(pairs: int = 4000, *, seed: int = 0, slope: float = 9.0, offset: float = -6.0) -> Pairs:
    """Pairs whose labels are drawn with the probabilities that a sigmoid of their cosines gives."""
    rng = np.random.default_rng(seed)
    cosines = rng.normal(0.2, 0.3, size=(pairs, 4)).clip(-1, 1)
    labels = rng.random((pairs, 4)) < sigmoid(slope * cosines + offset)
    return Pairs(cosines, labels, np.arange(pairs) // 10)


def held_out(name: str = "dev") -> HeldOut:
    none = Interval(value=0.0, low=0.0, high=0.0)
    return HeldOut(
        name=name, fingerprint="f", pairs=1, related=0, labels=0, documents=1, none_share=0.0, calibration_error=none
    )


@pytest.fixture(scope="module")
def fitted() -> Calibration:
    return fit_calibration(start(), drawn(), held_out())


def test_the_slopes_and_offsets_that_drew_the_labels_are_found_again(fitted):
    np.testing.assert_allclose(fitted.slope, 9.0, rtol=0.25)
    np.testing.assert_allclose(fitted.offset, -6.0, rtol=0.2)


def test_probabilities_on_new_pairs_are_the_shares_of_true_labels(fitted):
    new = drawn(40_000, seed=1)
    found = fitted.probabilities(new.cosines)
    for low in (0.0, 0.2, 0.4, 0.6):
        inside = (found.relations >= low) & (found.relations < low + 0.2)
        assert abs(found.relations[inside].mean() - new.labels[inside].mean()) < 0.05
    assert abs(found.none.mean() - (~new.labels.any(axis=1)).mean()) < 0.02
    assert calibration_error(*answered(found.relations, found.none, new.labels)) < 0.03


def test_the_reported_error_is_that_of_answers_to_documents_that_were_not_fitted_to(fitted):
    error = fitted.held_out.calibration_error
    assert 0 < error.low <= error.value <= error.high < 0.1
    assert fitted.held_out.none_share == pytest.approx((~drawn().labels.any(axis=1)).mean())
    assert fitted.calibrated
    assert not start().calibrated


def test_a_relation_with_few_held_out_statements_keeps_almost_the_pooled_map():
    pairs = drawn()
    rare = pairs.labels.copy()
    rare[:, 3] = False
    rare[np.argmax(pairs.cosines[:, 3]), 3] = True
    few = fit_calibration(start(), Pairs(pairs.cosines, rare, pairs.documents), held_out())
    assert few.positives.tolist()[3] == 1
    assert abs(few.slope[3] / few.slope[:3].mean() - 1) < 0.6
    absent = rare.copy()
    absent[:, 3] = False
    none = fit_calibration(start(), Pairs(pairs.cosines, absent, pairs.documents), held_out())
    assert np.isfinite(none.slope).all()
    assert none.positives[3] == 0


def test_none_is_the_product_of_the_complements_where_relations_are_independent():
    logits = np.random.default_rng(0).normal(size=(5, 4))
    for row, found in zip(logits, sigmoid(independent_none(logits)), strict=True):
        expected = 1.0
        for value in row:
            expected *= 1 - 1 / (1 + math.exp(-value))
        assert found == pytest.approx(expected, rel=1e-9)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_another_share_of_none_follows_bayes_rule(before, now):
    odds = Calibration(
        ("r",), "", np.array([1.0]), np.array([0.0]), np.array([1]), measured_share=before, none_share=now
    )
    [[p]], [none] = odds.probabilities(np.array([[0.3]]))
    plain = Calibration(("r",), "", np.array([1.0]), np.array([0.0]), np.array([1]))
    [[was]], [was_none] = plain.probabilities(np.array([[0.3]]))
    weight, against = (1 - now) / (1 - before), now / before
    whole = (1 - was_none) * weight + was_none * against
    assert none == pytest.approx(was_none * against / whole)
    assert p == pytest.approx(min(1.0, was * weight / whole))
    assert 0 <= none <= 1


def test_the_measured_share_itself_changes_nothing(fitted):
    cosines = drawn(20, seed=2).cosines
    for one, other in zip(
        fitted.at(fitted.measured_share).probabilities(cosines), fitted.probabilities(cosines), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_more_none_makes_every_relation_less_probable(fitted):
    cosines = drawn(50, seed=3).cosines
    more, less = (fitted.at(share).probabilities(cosines) for share in (0.95, 0.3))
    assert (more.relations < less.relations).all()
    assert (more.none > less.none).all()


def test_a_precision_is_reached_by_the_answers_above_its_threshold_and_its_coverage_is_said(fitted):
    threshold, coverage = fitted.threshold_for(0.7)
    curve = fitted.curve
    above = [right for p, right in zip(curve.probability, curve.right, strict=True) if p >= threshold]
    assert sum(above) / len(above) > 0.7
    assert coverage == pytest.approx(sum(above) / curve.labels)
    stricter, fewer = fitted.threshold_for(0.8)
    assert stricter > threshold
    assert fewer < coverage


def test_equal_probabilities_are_asserted_together():
    curve = Curve(probability=[0.9, 0.8, 0.8], right=[1, 1, 0], document=[0, 0, 0], labels=3)
    found = Calibration(("r",), "", np.ones(1), np.zeros(1), np.ones(1, dtype=np.int64), curve=curve)
    assert found.threshold_for(0.49)[0] == 0.8
    with pytest.raises(
        BadInput, match=r"min_precision: expected at most 0.50, which the held-out answers reach, got 0.7"
    ):
        found.threshold_for(0.7)


def calibration_of(right):
    """Return a calibration with a hundred equally probable held-out answers of as many documents."""
    curve = Curve(probability=[0.8] * 100, right=right, document=list(range(100)), labels=100)
    return Calibration(("r",), "", np.ones(1), np.zeros(1), np.ones(1, dtype=np.int64), curve=curve)


@pytest.mark.parametrize("count", range(20, 90, 3))
def test_the_precision_that_an_error_names_can_be_reached(count):
    found = calibration_of([1] * count + [0] * (100 - count))
    with pytest.raises(BadInput, match="expected at most") as refused:
        found.threshold_for(0.95)
    assert found.threshold_for(float(re.search(r"at most (0\.\d\d)", str(refused.value))[1]))[0] == 0.8


def test_answers_that_are_all_wrong_reach_no_precision():
    with pytest.raises(BadInput, match=r"answers that reach a precision, got none, for 0.9. Calibrate on more pairs"):
        calibration_of([0] * 100).threshold_for(0.9)


def test_the_precision_of_answers_is_lowered_by_its_standard_error_over_documents():
    rng = np.random.default_rng(0)
    right, documents = (rng.random(60) < 0.9).astype(float), rng.integers(8, size=60)
    found, hits = _lower_precision(right, documents)
    for count in (1, 7, 60):
        share = sum(right[:count]) / count
        own = [[right[n] for n in range(count) if documents[n] == document] for document in set(documents[:count])]
        spread = sum((sum(one) - share * len(one)) ** 2 for one in own)
        error = math.sqrt(spread * len(own) / max(len(own) - 1, 1)) / count
        assert found[count - 1] == pytest.approx((sum(right[:count]) - 0.5) / count - error)
        assert hits[count - 1] == sum(right[:count])


@pytest.mark.parametrize("wrong", [0, 1, -0.5, 2])
def test_a_precision_that_is_no_share_is_refused(fitted, wrong):
    with pytest.raises(BadInput, match="min_precision: expected a number between 0 and 1"):
        fitted.threshold_for(wrong)


def test_a_precision_needs_a_calibration_at_the_share_that_was_measured(fitted):
    with pytest.raises(BadInput, match="protorel calibrate"):
        start().threshold_for(0.9)
    with pytest.raises(BadInput, match="Calibrate on pairs with that share"):
        fitted.at(0.2).threshold_for(0.7)
    with pytest.raises(BadInput, match="none_share: expected a model that was calibrated"):
        start().at(0.5)
    with pytest.raises(BadInput, match=r"none_share: expected a number from 0 to 1, got 1.5"):
        fitted.at(1.5)


def test_pairs_of_one_kind_only_cannot_calibrate():
    pairs = drawn(200)
    for labels, said in ((np.zeros_like(pairs.labels), "none that holds"), (np.ones_like(pairs.labels), "only pairs")):
        with pytest.raises(BadInput, match=said):
            fit_calibration(start(), Pairs(pairs.cosines, labels, pairs.documents), held_out())


def test_a_run_without_calibration_is_undecided_at_the_median_of_its_training_statements():
    found = Calibration.unmeasured(("a", "b"), "", np.array([0.6, np.nan]), np.array([0.4, np.nan]))
    assert found.logits(np.array([[0.6, 0.5]])).tolist() == [[pytest.approx(0.0), 0.0]]
    assert found.logits(np.array([[0.4, 0.5]]))[0, 0] == pytest.approx(-2.0)


@pytest.mark.parametrize("scores", [np.zeros(5), np.array([1e6, -1e6, 3.0, 4.0, 5.0])])
def test_a_line_is_fitted_to_scores_that_say_nothing_or_too_much(scores):
    slope, offset = fit_line(scores, np.array([True, False, True, False, True]))
    assert math.isfinite(slope)
    assert math.isfinite(offset)


def test_newtons_line_is_the_lowest_point_of_the_loss():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    holds = rng.random(200) < sigmoid(2 * scores - 1)
    slope, offset = fit_line(scores, holds, centre=(0.0, 0.0), spread=(2.0, 2.0))

    def loss(a: float, b: float) -> float:
        whole = (a * a + b * b) / 8
        for score, truth in zip(scores, holds, strict=True):
            p = 1 / (1 + math.exp(-(a * score + b)))
            whole -= math.log(p if truth else 1 - p)
        return whole

    for da, db in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        assert loss(slope + da, offset + db) > loss(slope, offset)


def test_a_calibration_is_read_back_as_it_was_written(fitted, tmp_path):
    vectors = np.random.default_rng(0).normal(size=(50, 6))
    from dataclasses import replace

    whole = replace(fitted, background=Background.of(vectors), added={"words": fitted.none})
    whole.save(tmp_path)
    again = Calibration.load(tmp_path, width=6)
    assert again.as_json() == whole.as_json()
    z = np.eye(6)[:2]
    for one, other in zip(again.background.mean_and_spread(z), whole.background.mean_and_spread(z), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"slope": [1.0]}, "slope: expected one number for each of 4 relations, got 1"),
        ({"format": 2}, "format: expected"),
        ({"none_share": 1.5}, "none_share: expected"),
        (
            {"curve": {"probability": [0.5], "right": [1, 0], "document": [0], "labels": 2}},
            "curve.right: expected one number for each of 1 answers, got 2",
        ),
        (
            {"curve": {"probability": [0.5], "right": [1], "document": [10**12], "labels": 2}},
            "curve.document: expected numbers up to 1000000",
        ),
        ({"slope": ["x", 1, 1, 1]}, "slope"),
    ],
)
def test_a_calibration_that_was_changed_is_one_line(fitted, tmp_path, change, said):
    (tmp_path / "calibration.json").write_text(json.dumps(fitted.as_json() | change))
    with pytest.raises(BadInput, match=said) as caught:
        Calibration.load(tmp_path, width=6)
    assert "\n" not in str(caught.value)


def test_a_calibration_for_other_relations_or_prototypes_is_refused(fitted):
    fitted.check_fits(NAMES, "abc", where="here")
    with pytest.raises(
        BadInput, match="here: expected a calibration for the model's 3 relations, got one that has 'founded'"
    ):
        fitted.check_fits(NAMES[:3], "abc", where="here")
    with pytest.raises(BadInput, match=r"got one for others. Calibrate the model again"):
        fitted.check_fits(NAMES, "other", where="here")


def test_mean_and_spread_along_a_prototype_are_those_of_the_cosines():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 12)) + np.linspace(0, 2, 12)
    found = Background.of(vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    prototypes = np.linalg.qr(rng.normal(size=(12, 12)))[0][:5]
    mean, spread = found.mean_and_spread(prototypes)
    for z, m, s in zip(prototypes, mean, spread, strict=True):
        cosines = [sum(a * b for a, b in zip(one, z, strict=True)) for one in unit]
        assert m == pytest.approx(np.mean(cosines), abs=1e-5)
        assert s == pytest.approx(np.std(cosines), abs=1e-5)


def test_the_spread_beyond_the_kept_directions_counts_too():
    vectors = np.random.default_rng(0).normal(size=(4000, 100))
    found = Background.of(vectors)
    assert len(found.directions) == 64
    assert found.rest > 0
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    prototypes = np.linalg.qr(np.random.default_rng(1).normal(size=(100, 100)))[0][:10]
    _, spread = found.mean_and_spread(prototypes)
    np.testing.assert_allclose(spread, (unit @ prototypes.T).std(axis=0), rtol=0.4)
    assert (spread > np.sqrt(np.square(prototypes @ found.directions.T).sum(axis=1))).all()


def test_a_background_that_is_damaged_or_of_another_width_is_one_line(tmp_path):
    Background.of(np.random.default_rng(0).normal(size=(30, 6))).save(tmp_path)
    with pytest.raises(BadInput, match="expected vectors of the encoder's width 8"):
        Background.load(tmp_path, width=8)
    file = tmp_path / "background.safetensors"
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(BadInput, match=r"background.safetensors: expected tensors"):
        Background.load(tmp_path, width=6)
