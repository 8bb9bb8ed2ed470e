"""Settings are compared whole, defaults among them; what an older version left unsaid is no difference."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.recipes import dotted
from protorel.statements import BadInput
from protorel.training import load_finetune_recipe, load_recipe, recipe_names
from protorel.training.settings_match import check_recipe, check_same, recipe_settings

LEAVES = st.one_of(st.integers(), st.text(max_size=3), st.lists(st.integers(), max_size=2))
SETTINGS = st.recursive(
    st.dictionaries(st.sampled_from("abc"), LEAVES, min_size=1),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner | st.lists(inner, min_size=1, max_size=2), min_size=1),
    max_leaves=8,
)


def older(settings):
    """Return settings as versions wrote them that said nothing of defaults."""
    if isinstance(settings, list):
        return [older(one) for one in settings]
    if not isinstance(settings, dict):
        return settings
    return {key: older(value) for key, value in settings.items() if key != "defaults"}


def loaded(name):
    return (load_recipe if name in recipe_names("pretrain") else load_finetune_recipe)(name)


@given(SETTINGS)
def test_settings_are_the_same_as_themselves_read_back(settings):
    check_same(json.loads(json.dumps(settings)), settings, what="this")


@pytest.mark.parametrize("name", recipe_names())
def test_every_setting_is_said_once_as_the_record_of_a_run_has_it(name):
    recipe = loaded(name)
    found = recipe_settings(recipe)
    said = dict(dotted(found["recipe"]))
    assert not said.keys() & found["defaults"].keys()
    record = recipe.model_dump(mode="json")
    for key in ("name", "encoder", "checkpoint_every"):
        del record[key]
    assert said | found["defaults"] == dict(dotted(record))
    check_recipe(recipe.model_dump(mode="json"), found, what="this run")
    check_same(older(found), found, what="this run")


def test_what_figures_do_not_depend_on_or_is_said_elsewhere_is_not_among_the_settings():
    recipe = load_recipe("smoke", ["seed=7", "encoder=cnn", "checkpoint_every=3", "clip=2"])
    found = recipe_settings(recipe, without=["seed"])
    assert (found["recipe"]["clip"], found["defaults"]["warmup"]) == (2, 0.06)
    assert not (found["recipe"].keys() | found["defaults"].keys()) & {"seed", "encoder", "checkpoint_every", "name"}


@pytest.fixture
def settings():
    tuned = recipe_settings(load_finetune_recipe("mlman"))
    return {"budget": "cpu", "runs": [{"start": recipe_settings(load_recipe("col_final")), **tuned}]}


@pytest.mark.parametrize("place", [("start", "defaults", "warmup"), ("defaults", "method.dropout")])
def test_a_default_that_has_changed_is_noticed(settings, place):
    then = copy.deepcopy(settings)
    node = then["runs"][0]
    *way, last = place
    for step in way:
        node = node[step]
    value, node[last] = node[last], 0.77
    key = ".".join(place).replace("defaults", "recipe")
    with pytest.raises(BadInput, match=rf"^this cell was made with runs\.0\.{key}=0\.77, now it is {value}; use the"):
        check_same(then, settings, what="this cell")


def test_a_setting_moved_between_the_recipe_and_its_defaults_is_the_same_setting(settings):
    then = copy.deepcopy(settings)
    run = then["runs"][0]
    run["recipe"]["warmup"] = run["defaults"].pop("warmup")
    check_same(then, settings, what="this")
    check_same(settings, then, what="this")


def test_what_one_side_does_not_know_is_the_same_at_its_default_and_named_otherwise(settings):
    more = copy.deepcopy(settings)
    more["runs"][0]["defaults"]["novelty"] = 1
    check_same(settings, more, what="this")
    check_same(more, settings, what="this")
    more["runs"][0]["recipe"]["novelty"] = more["runs"][0]["defaults"].pop("novelty")
    with pytest.raises(BadInput, match=r"this was made without runs\.0\.recipe\.novelty, now it is 1; use the same"):
        check_same(settings, more, what="this")
    with pytest.raises(BadInput, match=r"made with runs\.0\.recipe\.novelty=1, which is not set now; use the same"):
        check_same(more, settings, what="this")


def test_a_setting_that_an_older_version_said_is_compared_with_todays_default(settings):
    then = older(settings)
    then["runs"][0]["recipe"]["clip"] = 3.0
    with pytest.raises(BadInput, match=r"recipe\.clip=3\.0, now it is 1\.0"):
        check_same(then, settings, what="this")


def test_one_run_more_is_a_difference(settings):
    then = {**settings, "runs": settings["runs"] * 2}
    with pytest.raises(BadInput, match=r"made with runs\.1\."):
        check_same(then, settings, what="this")


def test_the_record_of_a_finished_run_tells_of_other_defaults():
    recipe = load_finetune_recipe("mlman")
    record = recipe.model_dump(mode="json") | {"warmup": 0.5, "name": "other", "encoder": "x", "checkpoint_every": 7}
    with pytest.raises(BadInput, match=r"this run was made with recipe\.warmup=0\.5, now it is 0\.06"):
        check_recipe(record, recipe_settings(recipe), what="this run")
