"""Pretraining with statements weighted by the rules of their relation (IND)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.batches import training_rows
from protorel.model import read_record
from protorel.patterns import SnowballSettings, read_corpus, rule_weights
from protorel.statements import Interrupted, Span, Statement, fingerprint
from protorel.training import pretrain, read_journal
from protorel.training.steps.pretraining_step import StatementWeights

CPU = torch.device("cpu")


def test_each_row_carries_the_weight_of_the_statement_that_it_came_from(statements, tiny_tokenizer, tmp_path):
    # Unlabelled statements, and those whose entities do not fit, give no row.
    long = Statement("ada " * 100 + "lunsk", Span(0, 399), Span(400, 405), statements[0].relation, id="long")
    mixed = [replace(statements[0], relation=None), *statements[:40], long, *statements[40:80]]
    rows = training_rows(
        lambda: mixed, tiny_tokenizer, max_length=90, data_fingerprint=fingerprint(mixed), root=tmp_path
    )
    assert [mixed[number].id for number in rows.origins] == rows.all_ids()
    assert "long" in {rejected["id"] for rejected in rows.rejected}
    settings = SnowballSettings()
    wanted = rule_weights(read_corpus(lambda: mixed, settings), settings, top=4)
    found = StatementWeights(lambda: mixed, rows, patterns=4)
    every = found.of(range(len(rows)), CPU)
    assert every.tolist() == [wanted[number] for number in rows.origins]
    assert found.of([7, 2], CPU).tolist() == every[[7, 2]].tolist()
    assert len(np.unique(every.numpy())) > 10
    assert found.as_json()["most"] == every.max()
    assert found.as_json()["median"] == pytest.approx(np.median(every.numpy()))


def test_stopping_and_resuming_gives_the_same_weights_as_never_stopping(data, recipe, tmp_path):
    settings = recipe("steps=4", "checkpoint_every=2", base="ind")

    def stop(step, steps, **_):
        if step == 2:
            raise Interrupted("enough")

    whole = pretrain(data, tmp_path / "whole", settings)
    with pytest.raises(Interrupted):
        pretrain(data, tmp_path / "cut", settings, watch=stop)
    assert pretrain(data, tmp_path / "cut", settings, resume=True).fingerprint == whole.fingerprint
    assert read_record(tmp_path / "whole")["statement_weights"]["most"] == 2
    assert set(list(read_journal(tmp_path / "whole"))[-1]["terms"]) == {"ind", "mlm"}


def test_the_weights_make_a_difference(data, recipe, tmp_path):
    settings = recipe("steps=2", base="ind")
    plain = recipe("steps=2", "objective.ind.weight=0", "objective.s2s.weight=1", base="ind")
    runs = {name: pretrain(data, tmp_path / name, it) for name, it in (("ind", settings), ("s2s", plain))}
    first = [next(iter(read_journal(tmp_path / name)))["terms"] for name in runs]
    assert first[0]["mlm"] == first[1]["mlm"]
    assert first[0]["ind"] != pytest.approx(first[1]["s2s"])
    assert runs["ind"].fingerprint != runs["s2s"].fingerprint
    assert read_record(tmp_path / "s2s")["statement_weights"] is None
