from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.batches import StatementTokenizer, TrainingRows, training_rows
from protorel.statements import BadInput, select
from protorel.training import TuningWarning
from protorel.training.held_out import dev_set, hold_out


def rows_of(relations: list[int], groups: list[int] | None = None) -> TrainingRows:
    """Rows with labels and nothing else: all that a division looks at."""
    names = tuple(f"r{label}" for label in range(max(relations) + 1))
    given_groups = range(len(relations)) if groups is None else groups
    made = object.__new__(TrainingRows)
    for name, value in {
        "rows": range(len(relations)), "relations": np.array(relations, dtype=np.int32), "names": names,
        "groups": np.array(given_groups, dtype=np.int32),
    }.items():  # fmt: skip
        object.__setattr__(made, name, value)
    return made


labelled = st.lists(st.integers(0, 4), min_size=12, max_size=40)


@given(labelled, st.integers(1, 7), st.integers(0, 2**40))
def test_every_row_is_on_one_side_and_every_label_is_trained(relations, count, seed):
    rows = rows_of(relations)
    train, dev = hold_out(rows, count, seed=seed)
    assert len(dev.indices) == len(dev.gold) == count
    assert sorted([*train.tolist(), *dev.indices.tolist()]) == list(range(len(relations)))
    assert {relations[row] for row in train} == set(relations)
    assert dev.gold == tuple(f"r{relations[row]}" for row in dev.indices)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 7)), min_size=20, max_size=40), st.integers(0, 99))
def test_a_statement_under_two_labels_goes_one_way_with_both(rows, seed):
    relations, groups = zip(*rows, strict=True)
    try:
        train, dev = hold_out(rows_of(list(relations), list(groups)), 2, seed=seed)
    except BadInput:
        return
    assert {groups[row] for row in train}.isdisjoint(groups[row] for row in dev.indices)
    assert len(dev.indices) >= 2


def test_what_is_held_out_is_a_function_of_the_seed():
    rows = rows_of([0, 1, 2, 3] * 20)
    one, same, other = (hold_out(rows, 15, seed=seed)[1].indices.tolist() for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_nothing_is_held_out_unless_asked():
    train, dev = hold_out(rows_of([0, 1, 1]), 0, seed=0)
    assert (train.tolist(), dev) == ([0, 1, 2], None)


def test_more_than_can_be_held_out_is_refused_with_how_many_can():
    with pytest.raises(BadInput, match="hold_out=4: of these 5 statements 3 at most"):
        hold_out(rows_of([0, 0, 0, 1, 1]), 4, seed=0)
    assert len(hold_out(rows_of([0, 0, 0, 1, 1]), 3, seed=0)[0]) == 2
    with pytest.raises(BadInput, match="hold_out=1: of these 2 statements 0 at most"):
        hold_out(rows_of([0, 1]), 1, seed=0)


@pytest.fixture(scope="module")
def tokenizer(tiny_bert):
    return StatementTokenizer.load(tiny_bert, markers=True)


@pytest.fixture(scope="module")
def others(statements):
    """Forty statements that are none of the first 200 under another label."""
    seen = {s.key for s in statements[:200]}
    return [s for s in statements[200:] if s.key not in seen][:40]


@pytest.fixture
def opened(statements, tokenizer):
    """Open a dev set beside the first 200 statements as training data."""
    train = statements[:200]
    labels = sorted({s.relation for s in train})

    def open_(dev, labels=labels):
        return dev_set(select(lambda: dev), select(lambda: train), tokenizer, max_length=48, labels=labels)

    return open_


def test_a_dev_set_of_its_own_is_taken_whole_without_a_warning(opened, others, tokenizer):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = opened(others)
    assert found.gold == tuple(s.relation for s in others)
    assert found.indices.tolist() == list(range(40))
    assert found.as_json() == {
        "fingerprint": select(lambda: others).fingerprint, "held_out": False, "statements": 40,
        "rejected": 0, "shared_with_training": 0, "labels_never_trained": [],
    }  # fmt: skip
    rows = training_rows(lambda: others, tokenizer, max_length=48, data_fingerprint="other")
    assert np.array_equal(found.rows.tokens, rows.rows.tokens)


def test_dev_statements_that_are_trained_on_too_are_warned_of_with_their_count(opened, others, statements):
    # Another label or another id makes no other statement of it.
    seen = [dataclasses.replace(s, relation=statements[0].relation, id="other") for s in statements[:7]]
    with pytest.warns(TuningWarning, match="7 of the 27 dev statements are training statements too"):
        found = opened([*seen, *others[:20]])
    assert found.as_json()["shared_with_training"] == 7


def test_unlabelled_dev_statements_do_not_count(opened, others, statements):
    bare = [dataclasses.replace(s, relation=None) for s in statements[:7]]
    assert len(opened([*bare, *others[:20]]).gold) == 20
    with pytest.raises(BadInput, match="the --dev file holds no labelled statement"):
        opened(bare)


def test_labels_that_training_never_shows_are_warned_of_by_name(opened, others):
    dev = [dataclasses.replace(s, relation="never, (seen)") for s in others[:3]]
    told = r"3 of the 23 dev statements carry 1 labels that the training data never show \('never, \(seen\)'\)"
    with pytest.warns(TuningWarning, match=told):
        found = opened([*dev, *others[3:23]])
    assert found.never_trained == ("never, (seen)",)


def test_many_labels_that_training_never_shows_are_counted_and_some_are_named(opened, others):
    dev = [dataclasses.replace(s, relation=f"new {number}") for number, s in enumerate(others[:9])]
    with pytest.warns(TuningWarning, match=r"9 labels .*'new 4', …\)"):
        opened(dev)


def test_dev_statements_that_do_not_fit_are_counted(others, statements, tokenizer):
    wide = [s for s in others if s.head.of(s.text).count(" ")]
    with pytest.raises(BadInput, match=r"none of the --dev .* can be used; the first: .*max_length is 8"):
        dev_set(select(lambda: wide), select(lambda: statements), tokenizer, max_length=8, labels=["a"])
