"""An audit draws its own sample and estimates its own share of wrong labels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from protorel.audit import AUDIT_SCHEMA, RELATION_SCHEMA, Audit, draw_sample, estimate_wrong_share
from protorel.io import BadInput


def made_audit(count: int = 400, *, expresses: bool = True) -> Audit:
    chance = np.random.default_rng(0)
    scores = np.sort(chance.beta(2, 1, size=count)).astype(np.float32)
    right = chance.random(count) < scores
    known = {
        "row": range(count),
        "text": ["Ada met Bo."] * count,
        "given_label": [f"P{number % 2}" for number in range(count)],
        "label_score": scores,
        "is_label_issue": scores < 0.5,
        "expresses": right if expresses else [None] * count,
    }
    defaults = {pa.string(): "", pa.bool_(): False}
    columns = [
        pa.array(known.get(f.name, [None if f.nullable else defaults.get(f.type, 0)] * count), type=f.type)
        for f in AUDIT_SCHEMA
    ]
    return Audit(pa.table(columns, schema=AUDIT_SCHEMA), RELATION_SCHEMA.empty_table())


def test_the_share_is_that_of_the_scores_the_sample_and_the_given_labels():
    audit = made_audit()
    sample = audit.sample(100, seed=2)
    assert sample.places.tolist() == draw_sample(audit.scores, 100, seed=2).places.tolist()
    wrong = [not one for one in audit.table["expresses"].take(sample.places).to_pylist()]
    verdicts = dict(zip(sample.places.tolist(), wrong, strict=True))
    labels = audit.table["given_label"].to_pylist()
    found = audit.wrong_share(verdicts, sample=sample)
    assert found == estimate_wrong_share(audit.scores, sample, wrong, relations=labels)
    assert set(found.relations) == {"P0", "P1"}


def test_without_verdicts_the_truth_of_the_data_judges():
    audit = made_audit()
    known = {place: not one for place, one in enumerate(audit.table["expresses"].to_pylist())}
    assert audit.wrong_share() == audit.wrong_share(known)
    assert audit.wrong_share().judged == 150


def test_verdicts_outside_the_sample_do_not_count():
    audit = made_audit()
    sample = audit.sample(50)
    inside = dict.fromkeys(sample.places.tolist(), False)
    outside = dict.fromkeys(set(range(400)) - set(inside), True)
    assert audit.wrong_share({**inside, **outside}, sample=sample) == audit.wrong_share(inside, sample=sample)


def test_no_verdict_a_place_that_is_none_and_a_foreign_sample_are_one_line():
    audit = made_audit(expresses=False)
    with pytest.raises(BadInput, match="expected a verdict on at least one drawn statement, got none"):
        audit.wrong_share()
    with pytest.raises(BadInput, match="expected places from 0 to 399, got 400"):
        audit.wrong_share({400: True})
    with pytest.raises(BadInput, match="scores: expected 9 as in the sample, got 400"):
        audit.wrong_share({0: True}, sample=draw_sample([0.5] * 9, 9))
