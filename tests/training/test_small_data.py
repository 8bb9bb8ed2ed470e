"""Small data trains: a batch or an episode has no more than the data has, which is said once and recorded."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.model import read_record
from protorel.statements import BadInput, Statement, entity_pair
from protorel.training import finetune, load_finetune_recipe, load_recipe, pretrain, read_journal
from protorel.training.data.small_data import check_at_once, fit_batches, fit_episodes, least_relations


@pytest.fixture
def six(statements):
    """Statements of six relations, five of each."""
    wanted = sorted({statement.relation for statement in statements})[:6]
    each = {name: [s for s in statements if s.relation == name][:5] for name in wanted}
    return [statement for own in each.values() for statement in own]


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_col_final_trains_on_six_relations_and_says_so_in_one_line(six, recipe, tmp_path, caplog):
    wanted = recipe("encoder=cnn", "steps=3", "relations_per_batch=32")
    model = pretrain(six, tmp_path / "run", wanted)
    assert len(model.relations) == 6
    assert warned(caplog) == ["relations_per_batch=32: the data has 6 relations, so a batch has 6"]
    record = read_record(tmp_path / "run")
    assert record["recipe"]["relations_per_batch"] == 32
    assert record["batches"] == {
        "relations_per_batch": {"asked": 32, "used": 6},
        "statements_per_relation": 2,
        "with_fewer_statements": 0,
    }
    assert len(list(read_journal(tmp_path / "run"))) == 3


@pytest.mark.parametrize("relations", [2, 3])
def test_two_relations_of_two_statements_are_enough(six, recipe, tmp_path, relations):
    names = sorted({statement.relation for statement in six})[:relations]
    few = [s for name in names for s in [s for s in six if s.relation == name][:2]]
    pretrain(few, tmp_path / "run", recipe("steps=2", "relations_per_batch=32"))
    losses = [line["loss"] for line in read_journal(tmp_path / "run")]
    assert len(losses) == 2
    assert all(loss > 0 for loss in losses)


def test_a_run_on_small_data_resumes_to_the_same_weights(six, recipe, tmp_path):
    wanted = recipe("encoder=cnn", "steps=4", "checkpoint_every=2", "relations_per_batch=32")
    whole = pretrain(six, tmp_path / "whole", wanted)

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 3:
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        pretrain(six, tmp_path / "run", wanted, watch=stop)
    assert pretrain(six, tmp_path / "run", wanted, resume=True).fingerprint == whole.fingerprint


def test_where_the_data_have_enough_nothing_is_said_and_the_batches_are_those_of_the_recipe(
    data, recipe, tmp_path, caplog
):
    pretrain(data, tmp_path / "run", recipe("encoder=cnn", "steps=1"))
    assert warned(caplog) == []
    assert read_record(tmp_path / "run")["batches"]["relations_per_batch"] == {"asked": 4, "used": 4}


def test_relations_too_small_for_their_share_of_a_batch_are_counted(six, recipe, tmp_path, caplog):
    pretrain(six[1:], tmp_path / "run", recipe("encoder=cnn", "steps=1", "statements_per_relation=5"))
    assert warned(caplog) == [
        "statements_per_relation=5: 1 of 6 relations have fewer statements, so a batch repeats some"
    ]
    assert read_record(tmp_path / "run")["batches"]["with_fewer_statements"] == 1


@pytest.mark.parametrize("kind", ["pretrain", "supervised", "fewrel"])
def test_one_relation_is_refused_before_an_encoder_is_loaded(kind, six, recipe, tuning, tmp_path, monkeypatch):
    for loads in ("pretraining.build_encoder", "tuning.finetuning.starting_model"):
        monkeypatch.setattr(f"protorel.training.{loads}", lambda *_: pytest.fail("an encoder was loaded"))

    def train() -> None:
        if kind == "pretrain":
            pretrain(six[:5], tmp_path / "run", recipe())
        else:
            finetune("cnn", six[:5], tmp_path / "run", tuning(base=kind))

    with pytest.raises(BadInput) as found:
        train()
    assert str(found.value) == (
        f"the data: expected statements of at least 2 relations, got 1 ({six[0].relation!r}). "
        "Add statements of another relation."
    )
    assert not (tmp_path / "run").exists()


def test_a_relation_with_a_single_statement_is_refused_before_an_encoder_is_loaded(six, recipe, tmp_path, monkeypatch):
    monkeypatch.setattr("protorel.training.pretraining.build_encoder", lambda *_: pytest.fail("loaded"))
    with pytest.raises(
        BadInput, match=r"expected at least 2 statements, got 1 \(1 such relation\)\. .*min_statements=2"
    ):
        pretrain(six[4:], tmp_path / "run", recipe())


def test_data_that_are_read_to_the_second_relation_are_read_no_further(six):
    def source():
        yield from six[:6]
        pytest.fail("read on")

    check_at_once(source, load_recipe("col_final"))


@pytest.mark.parametrize(("given", "got"), [(5, "got 1 "), (0, "got no labelled statement")])
def test_fewer_relations_than_two_are_found_by_a_look_at_the_data_alone(six, given, got):
    bare = [dataclasses.replace(statement, relation=None) for statement in six]
    with pytest.raises(BadInput, match=f"at least 2 relations, {got}"):
        check_at_once(lambda: [*six[:given], *bare], load_recipe("col_final"))


def test_only_what_reads_no_label_learns_from_one_relation(six, recipe, tmp_path):
    assert least_relations(recipe(base="mtb")) == 1
    for wanted in (recipe(), recipe(base="col_prime_z"), load_finetune_recipe("semeval")):
        assert least_relations(wanted) == 2
    by_label = ["batches_by=relation", "objective.s2s_prime.match=relation"]
    assert least_relations(recipe(*by_label, base="mtb")) == 2


def test_what_min_statements_leaves_out_is_said_and_the_remedy_works(six, recipe, tmp_path):
    uneven = six[:5] + six[5:9] + six[10:13]
    with pytest.raises(BadInput) as found:
        pretrain(uneven, tmp_path / "run", recipe("encoder=cnn", "steps=1", "min_statements=5"))
    assert str(found.value).endswith(
        f"got 1 ({six[0].relation!r}). min_statements=5 leaves out 2 of 3 relations: set min_statements=4 or lower."
    )
    model = pretrain(uneven, tmp_path / "run", recipe("encoder=cnn", "steps=1", "min_statements=4"))
    assert len(model.relations) == 2


def test_mtb_takes_as_many_pairs_as_stand_in_two_statements(statements, recipe, tmp_path, caplog):
    seen: dict[object, dict[bytes, Statement]] = {}
    for statement in statements:
        seen.setdefault(entity_pair(statement), {})[statement.key] = statement
    repeated = [list(own.values())[:2] for own in seen.values() if len(own) > 1][:3]
    few = [statement for own in repeated for statement in own]
    assert len(few) == 6
    pretrain(few, tmp_path / "run", recipe("steps=1", "relations_per_batch=32", base="mtb"))
    [said] = warned(caplog)
    assert said.startswith("relations_per_batch=32: the data has 3 entity pairs with 2 statements or more, so a batch")
    assert read_record(tmp_path / "run")["batches"]["relations_per_batch"]["used"] == 3


def test_the_remedy_for_data_without_repeated_pairs_works(six, recipe, tmp_path):
    one_each = list({(s.head_text, s.tail_text): s for s in six}.values())
    large = [name for name, count in Counter(s.relation for s in one_each).items() if count > 1]
    one_each = [s for s in one_each if s.relation in large]
    with pytest.raises(BadInput) as found:
        pretrain(one_each, tmp_path / "run", recipe("encoder=cnn", "steps=1", base="mtb"))
    remedy = str(found.value).partition(" set ")[2].split()
    pretrain(one_each, tmp_path / "run", recipe("encoder=cnn", "steps=1", *remedy, base="mtb"))


def test_episodes_have_as_many_ways_as_the_data_relations(six, tuning, tmp_path, caplog):
    finetune("cnn", six, tmp_path / "run", tuning("steps=2", "episodes=[[48,1],[4,4]]", base="fewrel"))
    assert warned(caplog) == ["episodes=[[48,1],[4,4]]: the data has 6 relations, so they are [[6,1],[4,4]]"]
    assert read_record(tmp_path / "run")["episodes"] == {"asked": [[48, 1], [4, 4]], "used": [[6, 1], [4, 4]]}


def test_a_relation_too_small_for_the_shots_is_named_with_remedies_that_work(six, tuning, tmp_path):
    few = six[1:]
    with pytest.raises(BadInput) as found:
        finetune("cnn", few, tmp_path / "run", tuning("steps=1", "episodes=[[48,4]]", base="fewrel"))
    told = str(found.value)
    assert f"at least 5 statements, 4 shots and a query, got {six[0].relation!r} with 4. Set " in told
    assert told.endswith("min_statements=5 to leave it out, or episodes=[[6,3]] for fewer shots")
    for number, remedy in enumerate((["episodes=[[48,4]]", "min_statements=5"], ["episodes=[[6,3]]"])):
        finetune("cnn", few, tmp_path / str(number), tuning("steps=1", *remedy, base="fewrel"))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 70), st.integers(1, 5), st.lists(st.integers(2, 9), min_size=2, max_size=40))
def test_batches_are_as_asked_wherever_the_data_has_enough(wide, deep, sizes):
    recipe = load_recipe("col_final", [f"relations_per_batch={wide}", f"statements_per_relation={deep}"])
    shape = fit_batches(recipe, sizes)
    assert shape.relations_per_batch == (wide if wide <= len(sizes) else len(sizes))
    assert (shape.asked, shape.statements_per_relation) == (wide, deep)
    assert shape.repeating == len([size for size in sizes if size < deep])


ways_and_shots = st.lists(st.tuples(st.integers(2, 50), st.integers(1, 5)), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(ways_and_shots, st.integers(2, 60))
def test_episodes_are_as_asked_wherever_the_data_has_enough(asked, relations):
    used = fit_episodes(asked, [6] * relations, [str(number) for number in range(relations)])
    assert [shot for _, shot in used] == [shot for _, shot in asked]
    assert [way for way, _ in used] == [way if way <= relations else relations for way, _ in asked]
