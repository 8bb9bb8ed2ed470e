"""What a training reads: relations are left out by the statements that can be used, not by those that are there."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from protorel.model import read_record
from protorel.statements import BadInput, Span, Statement, select
from protorel.training import finetune, pretrain
from protorel.training.building import build_encoder
from protorel.training.data.labelled_data import select_labelled, tokenised

EACH = 12


def too_long(statement: Statement) -> Statement:
    """Return the statement with a head that no row of 48 tokens has room for."""
    name = "Ada " * 60 + "Kroll"
    text = f"{name} lives near {statement.text}"
    shift = len(text) - len(statement.text)
    tail = Span(statement.tail.start + shift, statement.tail.stop + shift)
    return dataclasses.replace(statement, text=text, head=Span(0, len(name)), tail=tail)


@pytest.fixture
def spoilt(statements):
    """The statements, of whose first relation five do not fit, and of whose second all but two."""
    names = sorted({statement.relation for statement in statements})[:2]
    left = dict(zip(names, (5, EACH - 2), strict=True))
    found = []
    for statement in statements:
        spoil = left.get(statement.relation, 0) > 0
        left[statement.relation] = left.get(statement.relation, 0) - 1
        found.append(too_long(statement) if spoil else statement)
    return names, found


@pytest.mark.parametrize(("least", "dropped"), [(1, 0), (2, 0), (3, 1), (7, 1), (8, 2), (EACH, 2)])
def test_relations_are_counted_by_the_statements_that_fit(spoilt, recipe, least, dropped):
    names, given = spoilt
    wanted = recipe("encoder=cnn", f"min_statements={least}")
    chosen = select_labelled(lambda: given, wanted)
    assert len(chosen.counts) == 22, "all have enough before they are tokenised"
    _, tokenizer = build_encoder(wanted, chosen.source)
    selection, rows = tokenised(chosen, tokenizer, wanted)
    gone = {1: names[1:], 2: names, 0: []}[dropped]
    assert set(rows.names) == set(chosen.counts) - set(gone) == set(selection.counts)
    assert min(len(own) for own in rows.rows_of_relation()) >= least
    left = [statement for statement in given if statement.relation not in gone]
    assert selection.fingerprint == select(lambda: left).fingerprint
    # Weights by statement find their rows through the source.
    origins = [list(selection.source())[number].id for number in rows.origins]
    assert origins == rows.all_ids()


def test_what_is_left_out_is_neither_trained_nor_in_the_record(spoilt, recipe, tuning, tmp_path):
    names, given = spoilt
    sound = [statement for statement in given if statement.relation != names[1]]
    models = [
        pretrain(one, tmp_path / name, recipe("encoder=cnn", "steps=1", "min_statements=3"))
        for name, one in (("whole", given), ("sound", sound))
    ]
    records = [read_record(tmp_path / name) for name in ("whole", "sound")]
    assert records[0]["data"] == records[1]["data"]
    assert [relation.id for relation in models[0].relations] == [relation.id for relation in models[1].relations]
    tuned = finetune("cnn", given, tmp_path / "tuned", tuning("epochs=1", "min_statements=3"))
    assert names[1] not in [relation.id for relation in tuned.relations]
    assert read_record(tmp_path / "tuned")["data"]["rejected"] == records[0]["data"]["rejected"]
    episodes = tuning("steps=1", "episodes=[[4,1]]", "min_statements=3", base="fewrel")
    assert names[1] not in [one.id for one in finetune("cnn", given, tmp_path / "episodes", episodes).relations]


def test_a_run_that_left_a_relation_out_resumes_to_the_same_weights(spoilt, recipe, tmp_path):
    wanted = recipe("encoder=cnn", "steps=4", "min_statements=3", "checkpoint_every=2")
    whole = pretrain(spoilt[1], tmp_path / "whole", wanted)

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 3:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        pretrain(spoilt[1], tmp_path / "run", wanted, watch=stop)
    again = pretrain(spoilt[1], tmp_path / "run", wanted, resume=True)
    assert torch.equal(whole.prototypes.vectors, again.prototypes.vectors)


def test_weights_by_pattern_belong_to_the_statements_that_are_left(spoilt, recipe, tmp_path):
    names, given = spoilt
    sound = [statement for statement in given if statement.relation != names[1]]
    wanted = recipe("encoder=cnn", "steps=1", "min_statements=3", base="ind")
    for name, one in (("whole", given), ("sound", sound)):
        pretrain(one, tmp_path / name, wanted)
    whole, alone = (read_record(tmp_path / name)["statement_weights"] for name in ("whole", "sound"))
    assert whole == alone


def test_data_of_which_no_relation_has_enough_are_refused_with_the_reason(statements, recipe, tmp_path):
    wanted = recipe("encoder=cnn", "min_statements=13")
    with pytest.raises(
        BadInput, match=r"got 0\. min_statements=13 leaves out 22 of 22 relations: set min_statements=12 or lower"
    ):
        pretrain(statements, tmp_path / "run", wanted)
    spoilt = [too_long(one) if number % 2 else one for number, one in enumerate(statements)]
    with pytest.raises(
        BadInput,
        match=r"expected a relation with at least 12 usable statements, got none; the first that is not usable",
    ):
        pretrain(spoilt, tmp_path / "run", recipe("encoder=cnn", "min_statements=12"))
