from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score
from torch import nn

from protorel.batches import StatementTokenizer, TrainingRows, training_rows
from protorel.evaluation import class_scores, score_semeval
from protorel.statements import BadInput, select
from protorel.training import TuningWarning
from protorel.training.tuning.best_epoch import BestEpoch, dev_score, dev_set, hold_out


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
    with pytest.raises(BadInput, match="hold_out=4: at most 3 of these 5 statements"):
        hold_out(rows_of([0, 0, 0, 1, 1]), 4, seed=0)
    assert len(hold_out(rows_of([0, 0, 0, 1, 1]), 3, seed=0)[0]) == 2
    with pytest.raises(BadInput, match="hold_out=1: at most 0 of these 2 statements"):
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
    with pytest.raises(BadInput, match="--dev: expected labelled statements, got none"):
        opened(bare)


def test_labels_that_training_never_shows_are_warned_of_by_name(opened, others):
    dev = [dataclasses.replace(s, relation="never, (seen)") for s in others[:3]]
    told = r"3 of the 23 dev statements have 1 label not in the training data \('never, \(seen\)'\)"
    with pytest.warns(TuningWarning, match=told):
        found = opened([*dev, *others[3:23]])
    assert found.never_trained == ("never, (seen)",)


def test_many_labels_that_training_never_shows_are_counted_and_some_are_named(opened, others):
    dev = [dataclasses.replace(s, relation=f"new {number}") for number, s in enumerate(others[:9])]
    with pytest.warns(TuningWarning, match=r"9 labels .*'new 4', …\)"):
        opened(dev)


def test_dev_statements_that_do_not_fit_are_counted(others, statements, tokenizer):
    wide = [s for s in others if s.head.of(s.text).count(" ")]
    with pytest.raises(BadInput, match=r"--dev: none of the statements can be used; the first: .*max_length is 8"):
        dev_set(select(lambda: wide), select(lambda: statements), tokenizer, max_length=8, labels=["a"])


LABELS = ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Entity-Origin(e1,e2)", "Message-Topic(e2,e1)", "Other"]
pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30)


@given(pairs, st.sampled_from([None, "Other"]))
def test_micro_macro_and_accuracy_are_those_of_scikit_learn(given_pairs, no_relation):
    gold, answers = zip(*given_pairs, strict=True)
    labels = sorted({*gold, *answers} - {no_relation})
    for metric in ("micro", "macro"):
        found = dev_score(gold, answers, metric=metric, no_relation=no_relation)
        wanted = f1_score(gold, answers, labels=labels, average=metric, zero_division=0) if labels else 0
        assert found == pytest.approx(wanted)
    assert dev_score(gold, answers, metric="accuracy", no_relation=no_relation) == accuracy_score(gold, answers)


@given(pairs.filter(lambda found: any(label != "Other" for label, _ in found)))
@settings(max_examples=20)  # the official score redraws its interval each time
def test_the_score_for_semeval_is_the_official_one(given_pairs):
    gold = {str(number): label for number, (label, _) in enumerate(given_pairs)}
    answers = {str(number): answer for number, (_, answer) in enumerate(given_pairs)}
    found = dev_score(list(gold.values()), list(answers.values()), metric="semeval", no_relation="Other")
    assert found == pytest.approx(score_semeval(gold, answers).f1)


def test_the_score_that_chooses_is_the_score_that_is_reported():
    gold, answers = ["a", "a", "b", "c", "none", "none"], ["a", "b", "b", "none", "d", "none"]
    reported = class_scores(gold, answers, no_relation="none")
    assert dev_score(gold, answers, metric="macro", no_relation="none") == pytest.approx(reported.macro_f1.value)
    assert dev_score(gold, answers, metric="micro", no_relation="none") == pytest.approx(reported.micro_f1.value)


def test_the_right_relation_in_the_wrong_direction_is_wrong():
    gold, answers = ["Cause-Effect(e1,e2)"] * 2, ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"]
    assert dev_score(gold, answers, metric="semeval") == 0.5
    # As two labels of their own they are averaged.
    assert dev_score(gold, answers, metric="macro") == pytest.approx((2 / 3 + 0) / 2)


def test_where_only_no_relation_is_wanted_and_answered_the_score_is_zero():
    for metric in ("semeval", "macro", "micro"):
        assert dev_score(["none"], ["none"], metric=metric, no_relation="none") == 0


def parts() -> dict[str, nn.Module]:
    return {"encoder": nn.Linear(3, 2), "classifier": nn.Sequential(nn.Linear(2, 2))}


def fill(modules: dict[str, nn.Module], value: float) -> None:
    with torch.no_grad():
        for module in modules.values():
            for parameter in module.parameters():
                parameter.fill_(value)


def judged(modules: dict[str, nn.Module], *scores: float) -> BestEpoch:
    """Give weights of epoch n the value n, and each a score."""
    best = BestEpoch(modules)
    for epoch, score in enumerate(scores, start=1):
        fill(modules, epoch)
        best.add(score)
    return best


@pytest.mark.parametrize(
    ("scores", "wanted"), [([0.1, 0.5, 0.3], 2), ([0.5, 0.4], 1), ([0.1, 0.2], 2), ([0.3, 0.3], 1), ([0.0], 1)]
)
def test_the_weights_of_the_best_epoch_come_back(scores, wanted):
    modules = parts()
    best = judged(modules, *scores)
    assert best.epoch == wanted
    best.use()
    assert {value for module in modules.values() for p in module.parameters() for value in p.flatten().tolist()} == {
        wanted
    }


def test_where_no_epoch_was_judged_the_last_weights_stay():
    modules = parts()
    best = BestEpoch(modules)
    assert best.epoch is None
    fill(modules, 7)
    best.use()
    assert modules["encoder"].weight.unique().tolist() == [7]


@pytest.mark.parametrize("scores", [[], [0.4], [0.4, 0.1, 0.2]])
def test_it_goes_on_from_its_tensors_as_if_never_stopped(scores):
    modules, others = parts(), parts()
    best, again = judged(modules, *scores), BestEpoch(others)
    again.restore(best.tensors())
    for one, its in ((best, modules), (again, others)):
        fill(its, 9)
        one.add(0.3)
        one.use()
    assert (again.scores, again.epoch) == (best.scores, best.epoch)
    assert torch.equal(others["encoder"].weight, modules["encoder"].weight)
    assert best.tensors().keys() == again.tensors().keys()


def test_tensors_of_other_weights_are_a_key_error():
    best = judged(parts(), 0.5)
    with pytest.raises(KeyError):
        BestEpoch({"other": nn.Linear(3, 2)}).restore(best.tensors())
