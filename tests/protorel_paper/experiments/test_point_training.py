"""Batches that fit what was drawn."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.training import load_recipe, recipe_names
from protorel_paper.experiments.points import fit_batches
from protorel_paper.recipes import RECIPES


@pytest.mark.parametrize(
    ("relations", "statements", "expected"),
    [(64, 20, (32, 2)), (32, 20, (32, 2)), (24, 20, (21, 3)), (8, 20, (8, 8)), (8, 5, (8, 5)), (3, 100, (3, 21))],
)
def test_fewer_relations_give_more_statements_of_each(relations, statements, expected):
    fitted = fit_batches(
        load_recipe("budget", also_in=RECIPES), Counter({str(number): statements for number in range(relations)})
    )
    assert (fitted.relations_per_batch, fitted.statements_per_relation) == expected


@given(st.lists(st.integers(2, 60), min_size=1, max_size=70))
def test_a_batch_never_asks_for_more_than_there_is_nor_sees_more_than_the_recipe_says(counts):
    recipe = load_recipe("budget", also_in=RECIPES)
    fitted = fit_batches(recipe, Counter({str(number): count for number, count in enumerate(counts)}))
    assert fitted.relations_per_batch <= len(counts)
    assert 2 <= fitted.statements_per_relation <= min(counts)
    step = fitted.relations_per_batch * fitted.statements_per_relation
    assert step <= recipe.relations_per_batch * recipe.statements_per_relation


def test_batches_of_pairs_stay_as_they_are():
    fitted = fit_batches(load_recipe("mtb"), Counter(a=3, b=3))
    assert fitted.relations_per_batch == load_recipe("mtb").relations_per_batch


def test_the_three_budget_recipes_differ_in_their_objective_alone():
    names = [name for name in recipe_names(also_in=RECIPES) if name.startswith("budget")]
    assert names == ["budget", "budget_ce", "budget_softmax"]
    shared = [load_recipe(name, also_in=RECIPES).model_dump(exclude={"name", "objective"}) for name in names]
    assert shared[0] == shared[1] == shared[2]
