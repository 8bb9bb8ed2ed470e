"""`protorel evaluate pairs`: facts by entity pair, from a run with prototypes or with a classifier."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.cli import run
from protorel.evaluation import PairSettings, encode_once, score_pairs
from protorel.evaluation.entity_pairs.evaluate import relation_probabilities
from protorel.model import Classifier, RelationModel
from protorel.statements import RelationVocabulary, read_statements, write_statements


@pytest.fixture(scope="module")
def tuned_run(finished_run, data, tmp_path_factory):
    """The run with a classifier that was never trained: it knows two relations, and none."""
    model = RelationModel.from_pretrained(finished_run)
    first, second, *_ = sorted({statement.relation for statement in read_statements(data)})
    labels = RelationVocabulary([first, "NA", second])
    classifier = Classifier(labels, model.encoder.width, hidden=5, no_relation="NA", seed=3)
    out = tmp_path_factory.mktemp("runs") / "tuned"
    replace(model, classifier=classifier).save_pretrained(out)
    return out


@pytest.mark.parametrize("combine", ["one", "mean", "attention"])
def test_a_run_is_evaluated_by_its_prototypes(finished_run, data, tmp_path, capsys, combine):
    arguments = [
        "evaluate",
        "pairs",
        finished_run,
        data,
        "--combine",
        combine,
        "--at",
        10,
        "--json",
        tmp_path / "r.json",
    ]
    assert run([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr().out
    told = json.loads((tmp_path / "r.json").read_text())
    statements, model = read_statements(data), RelationModel.from_pretrained(finished_run)
    vectors = encode_once(model, statements)
    units = torch.nn.functional.normalize(vectors, dim=-1)
    wanted = score_pairs(
        (20 * units @ model.prototypes.vectors.T).softmax(-1).double().numpy(),
        model.relations.ids,
        statements,
        PairSettings(combine=combine, at=(10,)),
        vectors=vectors.numpy(),
        relation_vectors=model.prototypes.vectors.numpy(),
    )
    assert told["labelled"]["area"]["value"] == pytest.approx(wanted.labelled.area.value, abs=1e-4)
    assert told["expressed"]["area"]["value"] == pytest.approx(wanted.expressed.area.value, abs=1e-4)
    assert (told["task"], told["combine"], told["scored_by"]) == ("pairs", combine, "prototypes")
    assert told["data"]["name"] == "train.parquet"
    assert told["leakage"]["trained"]
    assert f"by labels: {wanted.labelled.facts} facts of {wanted.labelled.pairs} pairs\n" in printed
    assert "by text: " in printed
    assert "  precision at 10: " in printed


def test_a_tuned_run_is_evaluated_by_its_classifier_and_its_own_label_for_none(tuned_run, data, tmp_path, capsys):
    arguments = ["evaluate", "pairs", tuned_run, data, "--combine", "attention", "--json", tmp_path / "r.json"]
    assert run([str(argument) for argument in arguments]) == 0
    told = json.loads((tmp_path / "r.json").read_text())
    assert (told["scored_by"], told["no_relation"], told["scored_relations"]) == ("classifier", "NA", 2)
    assert told["labelled"]["unreachable"] > 0
    assert "of relations that the run does not know; they count as missed" in capsys.readouterr().err


def test_the_classifier_s_probabilities_and_vectors_belong_together(tuned_run, data):
    model, statements = RelationModel.from_pretrained(tuned_run), read_statements(data)[:7]
    found = relation_probabilities(model, statements)
    assert found.probabilities.sum(-1) == pytest.approx(np.ones(7))
    # What enters the last layer, times the relations' vectors, gives the logits but for the bias.
    logits = found.vectors @ found.relation_vectors.T + model.classifier.outer.bias
    torch.testing.assert_close(logits.softmax(-1), found.probabilities)
    torch.testing.assert_close(model.classifier(encode_once(model, statements)), logits)


def test_a_model_that_knows_no_relation_is_refused(fails, tiny_encoder_folder, data):
    assert "expected a classifier or prototypes" in fails("evaluate", "pairs", tiny_encoder_folder, data)


def test_bad_requests_are_refused(fails, finished_run, data, tmp_path):
    assert "'--at'" in fails("evaluate", "pairs", finished_run, data, "--at", 0)
    unlabelled = tmp_path / "unlabelled.parquet"
    write_statements([replace(statement, relation=None) for statement in read_statements(data)[:5]], unlabelled)
    assert "expected labelled statements, got none with a label" in fails("evaluate", "pairs", finished_run, unlabelled)
    only = tmp_path / "none.parquet"
    write_statements([replace(statement, relation="NA") for statement in read_statements(data)[:5]], only)
    assert "expected statements that carry a relation, got none" in fails(
        "evaluate", "pairs", finished_run, only, "--no-relation", "NA"
    )
