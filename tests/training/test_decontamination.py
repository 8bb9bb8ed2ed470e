"""Decontaminated runs: what is shared with test sets is removed, the rest is trained on, all of it is recorded."""

from __future__ import annotations

import dataclasses
import json

import pytest
import torch

from protorel.cli import run as command
from protorel.model import read_record
from protorel.statements import (
    BadInput,
    DataSet,
    Span,
    Statement,
    find_leakage,
    fingerprint,
    load_equivalents,
    select,
    write_statements,
)
from protorel.statements.overlap.leakage import KINDS
from protorel.training import pretrain
from protorel.training.data.decontamination import remove_overlap


@pytest.fixture(scope="module")
def tested(statements):
    """Two relations under one other name each, and a sentence of a third relation."""
    names = sorted({statement.relation for statement in statements})[:2]
    own = [dataclasses.replace(s, head_id=None, tail_id=None) for s in statements if s.relation in names]
    third = next(s for s in statements if s.relation not in names)
    return [*own, dataclasses.replace(third, relation=None, head=third.tail, tail=third.head)]


@pytest.fixture
def test_file(tested, tmp_path):
    write_statements(tested, tmp_path / "exam.parquet")
    return tmp_path / "exam.parquet"


def test_a_run_is_trained_on_the_strict_remainder_and_nothing_else(statements, tested, test_file, recipe, tmp_path):
    found = find_leakage(statements, tested)
    rest = list(found.remainder(statements))
    assert 0 < len(rest) < len(statements) - 24
    strict = pretrain(rest, tmp_path / "strict", recipe("steps=2"))
    apart = pretrain(statements, tmp_path / "apart", recipe("steps=2"), decontaminate=[test_file])
    assert torch.equal(apart.prototypes.vectors, strict.prototypes.vectors)
    assert apart.relations == strict.relations
    assert not {s.relation for s in tested} & set(apart.relations.ids)


def test_the_record_tells_name_fingerprint_and_counts_and_no_path(statements, tested, test_file, recipe, tmp_path):
    pretrain(statements, tmp_path / "run", recipe("steps=1"), decontaminate=[test_file])
    record = read_record(tmp_path / "run")
    found = find_leakage(statements, tested)
    (told,) = record["leakage"]["apart_from"]
    assert (told["name"], told["fingerprint"]) == ("exam.parquet", fingerprint(tested))
    assert told["shared"] == found.counts()["shared"]
    assert len(told["relations"]) == 2
    assert record["leakage"]["removed"] == found.removed
    assert record["leakage"]["started_from"] is None
    assert record["leakage"]["settings"]["equivalents"] == load_equivalents().fingerprint
    assert record["data"]["fingerprint"] == select(lambda: list(found.remainder(statements))).fingerprint
    assert str(tmp_path) not in json.dumps(record["leakage"])


def test_a_run_that_was_kept_apart_from_nothing_says_so(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=1"))
    assert read_record(tmp_path / "run")["leakage"] == {
        "apart_from": [], "removed": 0, "settings": None, "started_from": None,
    }  # fmt: skip


def test_what_is_left_can_be_read_again_and_again_and_shares_nothing_with_any(statements, tested):
    halves = [DataSet.of("one", tested[:12]), DataSet.of("two", tested[12:])]
    apart = remove_overlap(lambda: iter(statements), halves, encoder="minilm")
    rest = list(apart.source())
    assert rest == list(apart.source())
    assert find_leakage(rest, tested).removed == 0
    assert apart.removed == len(statements) - len(rest)
    assert [one.name for one in apart.overlaps] == ["one", "two"]
    assert max(one.leakage.removed for one in apart.overlaps) < apart.removed


@pytest.mark.parametrize("share", [("relations",), ("relations", "pairs"), ("relations", "pairs", "near_duplicates")])
def test_what_may_be_shared_drops_no_statement(statements, tested, share):
    third = next(s.relation for s in statements if s.relation not in {t.relation for t in tested})
    exam = [*tested, Statement("Far off in Zug lives a Yak.", Span(0, 3), Span(11, 14), third)]
    apart = remove_overlap(lambda: statements, [DataSet.of("exam", exam)], encoder="minilm", share=share)
    forbidden = sum(1 << bit for bit, kind in enumerate(KINDS) if kind not in share)
    strict = find_leakage(statements, exam)
    wanted = [s for s, reason in zip(statements, strict.reasons, strict=True) if not reason & forbidden]
    assert list(apart.source()) == wanted
    assert len(wanted) > strict.left
    (told,) = apart.as_json()["apart_from"]
    assert told["may_share"] == list(share)
    assert told["shared"].keys() == {*KINDS, "any"} - {*share}
    assert told["shared"]["any"]["train_statements"] == apart.removed == len(statements) - len(wanted)
    # Which relations are shared is told in any case.
    assert len(told["relations"]) == 3


def test_the_same_test_set_given_twice_counts_once(statements, tested):
    apart = remove_overlap(lambda: statements, [DataSet.of("a", tested), DataSet.of("b", tested)], encoder="minilm")
    assert len(apart.overlaps) == 1


def test_a_user_s_equivalents_decide_what_is_dropped(statements, tmp_path):
    relation = statements[0].relation
    (tmp_path / "mine.yaml").write_text(f"means: {{zzz: {relation}}}")
    far = Statement("Far off in Zug lives a Yak.", Span(0, 3), Span(11, 14), "zzz")
    exam = [DataSet.of("exam", [far])]
    assert remove_overlap(lambda: statements, exam, encoder="minilm").removed == 0
    mine = load_equivalents(tmp_path / "mine.yaml")
    assert remove_overlap(lambda: statements, exam, encoder="minilm", equivalents=mine).removed == 12


def test_identical_training_and_test_data_leave_nothing_to_train_on(data, statements, recipe, tmp_path):
    message = (
        rf"no labelled statement is left to train on: {len(statements)} of {len(statements)} share .* small.parquet"
    )
    with pytest.raises(BadInput, match=message):
        pretrain(data, tmp_path / "run", recipe("steps=1"), decontaminate=[data])
    pretrain(data, tmp_path / "run", recipe("steps=1"))


def test_unlabelled_statements_alone_are_nothing_to_train_on(statements, tested, tmp_path):
    bare = dataclasses.replace(statements[-1], relation=None)
    labelled = [s for s in statements if s.relation == tested[0].relation]
    with pytest.raises(BadInput, match="no labelled statement is left to train on: 12 of 13 share something with exam"):
        remove_overlap(lambda: [bare, *labelled], [DataSet.of("exam", tested[:-1])], encoder="minilm")


def test_an_empty_or_absent_test_set_is_refused(data, recipe, tmp_path):
    write_statements([], tmp_path / "none.parquet")
    with pytest.raises(BadInput, match=r"none\.parquet: expected a test set with at least one statement, got none"):
        pretrain(data, tmp_path / "run", recipe("steps=1"), decontaminate=[tmp_path / "none.parquet"])
    with pytest.raises(BadInput, match=r"absent\.parquet: no such file"):
        pretrain(data, tmp_path / "run", recipe("steps=1"), decontaminate=[tmp_path / "absent.parquet"])


def test_a_run_is_resumed_with_the_same_test_sets_only(data, test_file, tested, recipe, tmp_path):
    wanted = recipe("steps=3", "checkpoint_every=1")
    whole = pretrain(data, tmp_path / "whole", wanted, decontaminate=[test_file])

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 2:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        pretrain(data, tmp_path / "run", wanted, decontaminate=[test_file], watch=stop)
    write_statements(tested[:-1], tmp_path / "other.parquet")
    for others in ([], [tmp_path / "other.parquet"], [test_file, tmp_path / "other.parquet"]):
        with pytest.raises(BadInput, match="started with other --decontaminate files"):
            pretrain(data, tmp_path / "run", wanted, decontaminate=others, resume=True)
    again = pretrain(data, tmp_path / "run", wanted, decontaminate=[test_file], resume=True)
    assert torch.equal(again.prototypes.vectors, whole.prototypes.vectors)
    assert len(read_record(tmp_path / "run")["leakage"]["apart_from"]) == 1


def test_a_run_that_starts_from_another_remembers_what_that_one_saw(data, test_file, tested, recipe, tmp_path):
    pretrain(data, tmp_path / "first", recipe("steps=1"))
    pretrain(data, tmp_path / "careful", recipe("steps=1"), decontaminate=[test_file])
    second = recipe("steps=1", f"encoder={tmp_path / 'first'}")
    pretrain(data, tmp_path / "second", second, decontaminate=[test_file])
    before = read_record(tmp_path / "second")["leakage"]["started_from"]
    assert (before["name"], before["apart_from"], len(before["relations"])) == ("first", [], 22)
    third = recipe("steps=1", f"encoder={tmp_path / 'careful'}")
    pretrain(data, tmp_path / "third", third, decontaminate=[test_file])
    before = read_record(tmp_path / "third")["leakage"]["started_from"]
    assert (before["apart_from"], len(before["relations"])) == ([fingerprint(tested)], 20)
    fourth = recipe("steps=1", f"encoder={tmp_path / 'second'}")
    pretrain(data, tmp_path / "fourth", fourth, decontaminate=[test_file])
    before = read_record(tmp_path / "fourth")["leakage"]["started_from"]
    assert (before["name"], before["apart_from"], len(before["relations"])) == ("second", [], 22)


def test_the_command_prints_what_was_dropped(data, test_file, statements, tested, tiny_bert, tmp_path, capsys):
    small = ["relations_per_batch=4", "max_length=48", "steps=1"]
    arguments = [
        "pretrain",
        "smoke",
        f"encoder={tiny_bert}",
        *small,
        "--data",
        str(data),
        "--out",
        str(tmp_path / "run"),
    ]
    assert command([*arguments, "--decontaminate", str(test_file), "--decontaminate", str(test_file)]) == 0
    out = capsys.readouterr().out
    shared = find_leakage(statements, tested).shared
    assert (
        f"overlap with exam.parquet removed: {find_leakage(statements, tested).removed} statements (relations "
        f"{shared['relations'].train}, pairs {shared['pairs'].train}, sentences {shared['sentences'].train}, "
        f"near-duplicates {shared['near_duplicates'].train})\n"
    ) in out


def test_the_command_that_goes_on_names_the_test_sets(data, test_file, tiny_bert, tmp_path, capsys, monkeypatch):
    from protorel.statements import Interrupted

    def interrupted(*_, **__):
        raise Interrupted("stopped")

    monkeypatch.setattr("protorel.training.pretrain", interrupted)
    out = tmp_path / "my run"
    arguments = ["pretrain", "smoke", "--data", str(data), "--out", str(out), "--decontaminate", str(test_file)]
    assert command(arguments) == 130
    line = capsys.readouterr().err
    assert (
        f"Continue with: protorel pretrain smoke --data {data} --out '{out}' --decontaminate {test_file} --resume"
        in line
    )
