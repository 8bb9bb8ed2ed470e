"""Drawing training statements: by seed alone, nested, and kept apart from the test set."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.statements import BadInput, DataSet, Span, Statement, find_leakage, load_equivalents
from protorel.training import load_recipe
from protorel_paper.experiments.material import Material, gather
from protorel_paper.recipes import RECIPES


def statement(relation, number, **more):
    text = f"Ada{relation}{number} knows Bo{relation}{number} by way of {relation} {number * 7919}."
    head, tail = (Span(text.index(name), text.index(name) + len(f"{name}{relation}{number}")) for name in ("Ada", "Bo"))
    return Statement(text, head, tail, relation, id=f"{relation}/{number}", **more)


def material(counts):
    by_relation = {name: [statement(name, number) for number in range(count)] for name, count in counts.items()}
    return Material(by_relation, {"name": "train.parquet"}, {}, "")


COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(2, 9), min_size=2)


@given(COUNTS, st.integers(0, 99), st.data())
def test_a_smaller_draw_lies_within_a_larger_one(counts, seed, data):
    drawing = material(counts)
    few, many = sorted(data.draw(st.lists(st.integers(1, len(counts)), min_size=2, max_size=2)))
    small, large = sorted(data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=2)))
    outer = {one.id for one in drawing.draw(many, large, seed=seed)}
    inner = {one.id for one in drawing.draw(few, small, seed=seed)}
    assert inner <= outer
    assert outer <= {one.id for one in drawing.draw(None, None, seed=seed)}


@given(COUNTS, st.integers(1, 8), st.integers(1, 9), st.integers(0, 99))
def test_a_draw_has_as_many_as_were_asked_for_and_none_twice(counts, relations, statements, seed):
    drawn = material(counts).draw(relations, statements, seed=seed)
    found = {}
    for one in drawn:
        found.setdefault(one.relation, set()).add(one.id)
    assert len(found) == min(relations, len(counts))
    assert {name: len(ids) for name, ids in found.items()} == {name: min(statements, counts[name]) for name in found}
    assert sum(map(len, found.values())) == len(drawn)


def test_a_draw_is_a_function_of_the_seed():
    drawing = material(dict.fromkeys("abcdefgh", 9))
    ids = [[one.id for one in drawing.draw(3, 4, seed=seed)] for seed in (0, 0, 1)]
    assert ids[0] == ids[1]
    assert set(ids[0]) != set(ids[2])


def test_amounts_that_cannot_be_drawn_are_refused():
    drawing = material({"a": 3, "b": 5})
    drawing.check(relations=[0, 2, None], statements=[0, 2, 5, None])
    with pytest.raises(BadInput, match=r"train\.parquet: expected at least 3 relations to train on, got 2"):
        drawing.check(relations=[3], statements=[])
    with pytest.raises(BadInput, match="expected a relation with 6 statements, the largest has 5"):
        drawing.check(relations=[], statements=[6])
    with pytest.raises(BadInput, match="expected 0 or at least 2, got 1"):
        drawing.check(relations=[], statements=[1])


@pytest.fixture
def gathered():
    def gather_from(train, test, *overrides, **more):
        data, exam = DataSet.of("train.parquet", train), DataSet.of("test.parquet", test)
        recipe = load_recipe("budget", overrides, also_in=RECIPES)
        return gather(data, exam, [recipe], equivalents=load_equivalents(), **more)

    return gather_from


def test_what_the_test_set_shares_is_not_there_to_be_drawn(gathered):
    train = [statement(name, number) for name in "abc" for number in range(4)]
    copied = dataclasses.replace(train[0], relation="z", id="copied")
    test = [statement("c", 9), statement("z", 1), copied]
    found = gathered(train, test)
    assert {name: len(own) for name, own in found.by_relation.items()} == {"a": 3, "b": 4}
    drawn = found.draw(None, None, seed=0)
    assert find_leakage(drawn, test).removed == 0
    assert found.removed["shared"]["any"]["train_statements"] == 5


def test_relations_that_a_recipe_leaves_out_or_that_have_one_statement_are_not_drawn(gathered, tmp_path):
    (tmp_path / "left_out.txt").write_text("a\n")
    train = [statement(name, number) for name in "abc" for number in range(4)] + [statement("lone", 0)]
    found = gathered(train, [statement("z", 1)], f"without_relations={tmp_path / 'left_out.txt'}")
    assert sorted(found.by_relation) == ["b", "c"]


def test_labels_that_are_known_to_be_wrong_are_left_out_where_true_ones_are_asked_for(gathered):
    train = [statement(name, number, expresses=number > 1) for name in "ab" for number in range(5)]
    test = [statement("z", 1)]
    assert {len(own) for own in gathered(train, test).by_relation.values()} == {5}
    assert {len(own) for own in gathered(train, test, true_only=True).by_relation.values()} == {3}


def test_data_of_which_nothing_is_left_are_refused(gathered):
    train = [statement("a", number) for number in range(4)]
    with pytest.raises(BadInput, match=r"train\.parquet: expected at least 2 relations with two or more .* got 1"):
        gathered(train, [statement("z", 1)])
