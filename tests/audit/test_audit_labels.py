"""An audit from end to end: it finds wrong labels, says why, and answers bad input in one line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from protorel.audit import AUDIT_SCHEMA, EVIDENCE, RELATION_SCHEMA, Audit, AuditSettings, audit_labels
from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.geometry import Prototypes
from protorel.io import BadInput
from protorel.model import RelationModel
from protorel.statements import Descriptions, Relation, RelationVocabulary

NEEDED = ("cross_fitted_probability", "neighbour_agreement", "pair_relations", "duplicate_conflicts")


@pytest.fixture(scope="module")
def world():
    return list(build_small_world(SmallWorldSettings(noise=0.3, statements_per_relation=16)).train)


@pytest.fixture(scope="module")
def found(world):
    """The labels of a small world, of which nothing is known to be right or wrong."""
    return audit_labels("protorel-small", [replace(one, expresses=None) for one in world])


@pytest.fixture
def tiny_model(tiny_encoder, tiny_tokenizer):
    names = RelationVocabulary(["born_in", "died_in", "spouse"])
    prototypes = Prototypes.of(names, torch.randn(3, tiny_encoder.width, generator=torch.Generator().manual_seed(0)))
    return RelationModel(tiny_encoder, tiny_tokenizer, prototypes, max_length=48)


def test_wrong_labels_have_low_scores(world, found):
    truth = [world[row].expresses for row in found.table["row"].to_pylist()]
    assert roc_auc_score(truth, found.scores) > 0.8


def test_each_statement_has_one_row_and_the_lowest_score_comes_first(world, found):
    assert found.table.schema.equals(AUDIT_SCHEMA.remove_metadata())
    assert sorted(found.table["row"].to_pylist()) == list(range(len(world)))
    assert (np.diff(found.scores) >= 0).all()
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    rows = found.table["row"].to_pylist()
    assert found.statements() == [replace(world[row], expresses=None) for row in rows]
    assert found.table["given_label"].to_pylist() == [world[row].relation for row in rows]
    assert found.table["is_label_issue"].to_pylist() == (found.scores < 0.5).tolist()


def test_evidence_is_finite_or_null_and_never_nan(found):
    for name, (kind, _) in EVIDENCE.items():
        column = found.table[name]
        values = [one for one in column.to_pylist() if one is not None]
        assert column.type == kind
        assert not np.isnan(values).any(), name
        if name in NEEDED:
            assert len(values) == len(found), name
    assert all(text.endswith(".") and "None" not in text for text in found.table["reason"].to_pylist())


def test_the_table_of_relations_adds_up(found):
    assert found.relations.schema.equals(RELATION_SCHEMA)
    assert sum(found.relations["statements"].to_pylist()) == len(found)
    assert sum(found.relations["label_issues"].to_pylist()) == found.label_issues == found.summary["label_issues"]
    assert sum(found.relations["estimated_wrong"].to_pylist()) == pytest.approx(np.sum(1 - found.scores), rel=1e-5)
    shares = [row["estimated_wrong"] / row["statements"] for row in found.relations.to_pylist()]
    assert shares == sorted(shares, reverse=True)
    assert all(row["relation"] != row["confused_with"] for row in found.relations.to_pylist())


def test_the_relation_that_another_is_confused_with_is_counted_by_a_plain_loop(found):
    for row in found.relations.to_pylist():
        looks = [
            one["predicted_label"]
            for one in found.table.to_pylist()
            if one["given_label"] == row["relation"] != one["predicted_label"] and one["is_label_issue"]
        ]
        assert row["confused"] == (looks.count(row["confused_with"]) if looks else 0)
        assert all(looks.count(other) <= row["confused"] for other in looks)


def test_an_audit_survives_the_disk(found, tmp_path):
    found.write(tmp_path)
    again = Audit.read(tmp_path)
    assert again.table.equals(found.table)
    assert {**found.summary, "audit": found.id} == again.summary


def test_judged_labels_calibrate_the_scores(world, tiny_model):
    judged = audit_labels(tiny_model, world, settings=AuditSettings(reverse=False, wordings=False))
    wrong = [not one.expresses for one in world]
    assert judged.summary["calibrated_on"] == len(world)
    assert judged.summary["known_wrong"] == sum(wrong)
    assert judged.summary["known_right"] == len(world) - sum(wrong)
    assert judged.summary["estimated_wrong_share"] == pytest.approx(np.mean(wrong), abs=0.03)
    assert judged.table["reverse_probability"].null_count == len(world)
    assert judged.table["wording_confidence"].null_count == len(world)


def test_the_same_data_give_the_same_audit(some_statements, tiny_model):
    one, other = (audit_labels(tiny_model, some_statements) for _ in range(2))
    assert one.id == other.id
    assert one.table.equals(other.table)


def test_statements_without_a_label_are_left_out_and_counted(some_statements, tiny_model):
    unlabelled = replace(some_statements[0], relation=None)
    found = audit_labels(tiny_model, [unlabelled, *some_statements, unlabelled])
    assert sorted(found.table["row"].to_pylist()) == [1, 2, 3, 4, 5, 6]
    assert found.summary["unlabelled"] == 2


def test_an_encoder_without_prototypes_scores_by_means_and_marks_it(some_statements, tiny_encoder_folder):
    found = audit_labels(str(tiny_encoder_folder), some_statements)
    assert set(found.table["scored_by"].to_pylist()) == set(found.relations["scored_by"].to_pylist()) == {"means"}
    assert found.summary["scored_by"] == {"means": 3}
    assert found.table["in_sample_margin"].null_count == found.table["description_fit"].null_count == 6


def test_descriptions_are_evidence_and_give_names(some_statements, tiny_model):
    texts = Descriptions.of({"born_in": Relation("born_in", "place of birth")})
    found = audit_labels(tiny_model, some_statements, descriptions=texts)
    fits = dict(zip(found.table["row"].to_pylist(), found.table["description_fit"].to_pylist(), strict=True))
    assert [fits[row] is None for row in range(6)] == [False, False, True, True, True, True]
    assert {"place of birth", ""} <= set(found.relations["name"].to_pylist())


def test_progress_counts_every_statement_in_both_directions(some_statements, tiny_model):
    counted = []
    audit_labels(tiny_model, some_statements, count=lambda done, total: counted.append((done, total)))
    assert counted == [(6, 12), (12, 12)]


@pytest.mark.parametrize("rows", [[0, 4], [0, 0, 0, 4], [0, 2]], ids=["two", "repeated", "two relations of one kind"])
def test_a_handful_of_statements_is_audited(some_statements, tiny_model, rows):
    found = audit_labels(tiny_model, [some_statements[row] for row in rows])
    assert len(found) == len(rows)
    assert np.isfinite(found.scores).all()


def test_one_sentence_with_two_labels_is_audited(some_statements, tiny_model):
    one = some_statements[0]
    found = audit_labels(tiny_model, [one, replace(one, relation="died_in")])
    assert found.table["duplicate_conflicts"].to_pylist() == [1, 1]
    assert found.table["neighbour_agreement"].to_pylist() == [0.5, 0.5]


def test_hostile_labels_and_texts_are_audited(about, tiny_model, tmp_path):
    names = ["<b>x</b>", "\u202eevil\u202c", "a\nb", "🦆" * 50, "None"]
    rows = [
        about(f"Ada {number} <script> Bo \u2028 {name}", "Ada", "Bo", name) for number, name in enumerate(names * 3)
    ]
    found = audit_labels(tiny_model, rows)
    found.write(tmp_path)
    assert set(Audit.read(tmp_path).table["given_label"].to_pylist()) == set(names)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[:0], "expected labelled statements, got no statements"),
        (lambda rows: rows[:1], "expected statements of at least 2 relations, to compare them, got 1 statement of one"),
        (lambda rows: rows[:2], "got 2 statements of one. Add statements of other relations."),
        (lambda rows: [replace(one, relation="x") for one in rows], "got 6 statements of one"),
        (lambda rows: [replace(one, relation=None) for one in rows], "got 6 statements without a label"),
        (len, "expected"),
        (lambda rows: [*rows, 3], "expected"),
    ],
)
def test_data_that_cannot_be_audited_are_one_line_before_a_model_is_loaded(some_statements, change, message):
    with pytest.raises(BadInput) as caught:
        audit_labels("not/a/model", change(some_statements))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folds": 1}, "folds: expected at least 2, got 1"),
        ({"folds": 2.5}, "folds: expected"),
        ({"neighbours": 0}, "neighbours: expected"),
        ({"reverse": "no"}, "reverse: expected True or False"),
        ({"seed": None}, "seed: expected a whole number"),
    ],
)
def test_wrong_settings_are_one_line(given, message):
    with pytest.raises(BadInput, match=message):
        AuditSettings(**given)
