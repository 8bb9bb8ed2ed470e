from __future__ import annotations

import math
from pathlib import Path

import pytest
from pydantic import ValidationError

from protorel.recipes import (
    Recipe,
    SupervisedRecipe,
    check_overrides,
    dotted,
    load_finetune_recipe,
    load_recipe,
    recipe_names,
    recipe_of,
)
from protorel.statements import BadInput

LAUGHS = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 9)) for level in range(1, 9)
)
"""Nested anchors: nine levels stand for 400 million values."""


def refused(*overrides: str, name: str = "smoke") -> str:
    with pytest.raises(BadInput) as found:
        load_recipe(name, overrides)
    assert "\n" not in str(found.value)
    return str(found.value)


def test_the_recipes_of_the_paper_and_for_a_first_look_are_there():
    assert {"col_final", "smoke"} <= set(recipe_names())


def test_the_full_recipe_weighs_every_term_of_equation_7():
    objective = load_recipe("col_final").objective
    assert all(getattr(objective, name).weight > 0 for name in ("s2s", "s2z", "s2z_prime", "cls", "mlm"))


def test_an_override_reaches_any_depth():
    found = load_recipe(
        "smoke", ["steps=7", "objective.s2s.weight=0.25", "objective.s2z.over_pairs=true", "cnn.window=5"]
    )
    assert (found.steps, found.objective.s2s.weight, found.cnn.window) == (7, 0.25, 5)
    assert found.objective.s2z.over_pairs is True
    # What stands beside an override stays as the recipe has it.
    assert found.objective.s2z.weight == 0.5


def test_the_last_of_two_overrides_counts():
    assert load_recipe("smoke", ["steps=7", "steps=8"]).steps == 8


@pytest.mark.parametrize(
    ("text", "value"), [("1e-4", 1e-4), ("2E-3", 2e-3), ("1.0e-4", 1e-4), ("0.5", 0.5), ("3", 3.0)]
)
def test_numbers_are_read_in_every_common_form(text, value):
    assert load_recipe("smoke", [f"learning_rate={text}"]).learning_rate == value


def test_whole_numbers_may_be_given_in_powers_of_ten():
    assert load_recipe("smoke", ["steps=1e3"]).steps == 1000


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("stepz=3", "unknown key 'stepz'; did you mean 'steps'?"),
        ("learning-rate=3", "unknown key 'learning-rate'; did you mean 'learning_rate'?"),
        ("objective.mln.weight=1", "unknown key 'objective.mln'; did you mean 'objective.mlm'?"),
        ("objective.s2s.wieght=1", "unknown key 'objective.s2s.wieght'; did you mean 'objective.s2s.weight'?"),
        ("cnn.chanels=3", "unknown key 'cnn.chanels'; did you mean 'cnn.channels'?"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_valid_one(override, told):
    assert refused(override) == f"recipe smoke: {told}"


def test_an_unknown_term_of_the_objective_is_answered_with_one_like_it():
    assert "unknown key 'objective.s2x'; did you mean 'objective.s2" in refused("objective.s2x.weight=1")


def test_an_unknown_key_like_no_other_is_answered_with_all():
    told = refused("objective.qqqq=1")
    assert "unknown key 'objective.qqqq'; known are reading, s2s, s2z, s2z_prime, softmax, ind, text, " in told


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("steps=many", "steps = 'many': input should be a valid integer"),
        ("steps=2.5", "steps = 2.5: input should be a valid integer"),
        ("steps=0", "steps = 0: input should be greater than or equal to 1"),
        ("steps=", "steps = None: input should be a valid integer"),
        ("steps=[1, 2]", "steps = [1, 2]: input should be a valid integer"),
        ("steps=true", "steps = True: input should be a number, not true or false"),
        ("objective.s2s.weight=yes", "objective.s2s.weight = True: input should be a number, not true or false"),
        ("learning_rate=nan", "learning_rate = nan: input should be a finite number"),
        ("learning_rate=-1e-4", "learning_rate = -0.0001: input should be greater than 0"),
        ("objective.s2z.weight=-1", "objective.s2z.weight = -1: input should be greater than or equal to 0"),
        ("objective.s2s=3", "objective.s2s = 3: input should be a valid dictionary"),
        ("readout=middle", "readout = 'middle': input should be 'start', 'mention', 'cls' or 'mean'"),
        ("encoder=3", "encoder = 3: input should be a valid string"),
        ("warmup=1", "warmup = 1: input should be less than 1"),
        (f"seed={2**63}", f"seed = {2**63}: input should be less than {2**63}"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_key(override, told):
    assert refused(override).startswith(f"recipe smoke: {told}")


@pytest.mark.parametrize("override", ["steps", "=3", "--steps"])
def test_what_is_no_override_is_refused(override):
    assert refused(override) == f"expected a setting key=value, got {override!r}"


def test_a_key_below_a_plain_value_is_refused():
    assert refused("steps.more=3") == "'steps.more': 'steps' is a setting, not a section: it has no keys"


def test_an_unknown_recipe_is_answered_with_the_nearest():
    assert refused(name="col_finel") == "recipe 'col_finel' is not known; did you mean 'col_final'?"
    told = refused(name="xyzzy")
    assert all(name in told for name in recipe_names())


def test_a_folder_of_ones_own_has_recipes_by_name_too(tmp_path):
    (tmp_path / "mine.yaml").write_text("steps: 5\nobjective: {s2s: {weight: 1}}\n")
    assert load_recipe("mine", ["seed=3"], also_in=tmp_path).steps == 5
    assert load_recipe("smoke", also_in=tmp_path) == load_recipe("smoke")
    assert set(recipe_names(also_in=tmp_path)) == {"mine", *recipe_names()}
    with pytest.raises(BadInput, match="did you mean 'mine'"):
        load_recipe("mien", also_in=tmp_path)


def test_a_recipe_file_of_ones_own_is_read_and_named_after_itself(tmp_path):
    (tmp_path / "mine.yaml").write_text("steps: 5\nlearning_rate: 1e-4\nobjective: {s2s: {weight: 1}}\n")
    mine = load_recipe(str(tmp_path / "mine.yaml"), ["seed=3"])
    assert (mine.name, mine.steps, mine.seed, mine.learning_rate) == ("mine", 5, 3, 1e-4)
    assert mine.objective.s2s.weight == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"- steps\n- 3\n", "expected a mapping of keys to values, got a list"),
        (b"", "expected a mapping of keys to values, got nothing"),
        (b"steps", "expected a mapping of keys to values, got text"),
        (b"steps: [", "is not YAML"),
        (b"stepz: 3", "unknown key 'stepz'; did you mean 'steps'?"),
        (b"1: 3", "expected the name of a setting as key, got 1"),
        (b"name: \xff", "cannot be read as text"),
        (b"a: !!python/object/apply:os.getcwd []", "is not YAML"),
        (b"steps: 3\nseed: 1\nsteps: 4\n", "line 3: expected each key once, got 'steps' twice"),
        (b"objective: {s2s: {weight: 1, weight: 2}}", "line 1: expected each key once, got 'weight' twice"),
        (LAUGHS, "line 2: aliases (*name) are not supported; write the value itself"),
        (b"steps: &a [*a]", "aliases (*name) are not supported"),
        (b"steps: " + 100_000 * b"[", "expected at most 65,536 bytes, got more"),
        (b"steps: " + 50_000 * b"[", "is nested too deeply"),
        (b"steps: " + 15_000 * b"{a: ", "is nested too deeply"),
        (b"steps: " + 5_000 * b"9", "holds a whole number of 5000 digits, expected at most 20"),
        (b"steps: 2001-99-99", "steps = '2001-99-99': input should be a valid integer"),
        (b"steps: 2001-01-01", "steps = '2001-01-01': input should be a valid integer"),
        (
            b"steps: !!timestamp 2001-99-99",
            "line 1: expected a value of 'tag:yaml.org,2002:timestamp', got '2001-99-99'",
        ),
        (b"steps: !!int x", "line 1: expected a value of 'tag:yaml.org,2002:int', got 'x'"),
        (b"steps: !!int ''", "line 1: expected a value of 'tag:yaml.org,2002:int', got ''"),
        (b"steps: !!bool x", "line 1: expected a value of 'tag:yaml.org,2002:bool', got 'x'"),
        (b"steps: " + 300 * b"1:" + b"1.5", "expected a value of 'tag:yaml.org,2002:float'"),
        (b"steps: [" + b"x, " * 20_000 + b"]", "steps = ['x', 'x', 'x', 'x', ...]: input should be a valid integer"),
        (b"steps: " + 60_000 * b"x", "xxx...xxx"),
        (b"x: 1\n" + 60_000 * b"y" + b": 2", "is not YAML that can be read"),
        (b"? " + 60_000 * b"y" + b"\n: 2", "yyy...yyy"),
    ],
)
def test_a_file_that_holds_no_recipe_is_refused_by_name(tmp_path, content, told):
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    message = refused(name=str(path))
    assert told in message
    assert str(path) in message
    assert len(message) < len(str(path)) + 1000


@pytest.mark.parametrize(
    "value", ["2001-99-99", "9" * 5000, "[" * 20_000, "{a: " * 20_000, "[&a [x], *a]", "x" * 50_000]
)
def test_a_value_that_cannot_be_meant_is_refused_in_one_short_line(value):
    message = refused(f"steps={value}")
    assert message.startswith("recipe smoke: steps = ")
    assert len(message) < 400
    assert len(refused(f"{value}=3")) < 1000
    assert len(refused(value)) < 400


def test_a_setting_given_twice_by_a_user_is_refused():
    check_overrides(["steps=3", "seed=3", "objective={}", "objective.s2s.weight=1"])
    for twice in (["steps=3", "seed=1", "steps=3"], ["objective.s2s.weight=1", "objective={}"]):
        with pytest.raises(BadInput, match=r"^expected each setting once, got '(steps|objective.s2s.weight)' twice"):
            check_overrides(twice)


def test_a_recipe_file_that_is_not_there_is_refused():
    assert refused(name="absent.yaml") == "absent.yaml: no such recipe file"


def test_a_recipe_cannot_be_changed_once_read():
    with pytest.raises(ValidationError):
        load_recipe("smoke").steps = 5


def test_a_recipe_written_out_is_the_same_recipe_when_read():
    recipe = load_recipe("col_final", ["learning_rate=3e-5", "blank_rate=0.1"])
    assert recipe_of(recipe.model_dump(mode="json"), where="here") == recipe
    assert recipe_of({}, where="here") == Recipe()


def test_dotted_names_are_those_that_overrides_use():
    names = dict(dotted(Recipe().model_dump()))
    assert {"steps", "objective.s2z.bias", "cnn.channels"} <= names.keys()
    assert not any(isinstance(value, dict) for value in names.values())
    assert math.isclose(names["objective.mlm.rate"], 0.15)


def test_matching_by_pairs_wants_batches_by_pairs():
    told = refused("objective.s2s_prime.weight=1")
    assert "batches_by=pair" in told
    assert load_recipe("smoke", ["objective.s2s_prime.weight=1", "objective.s2s_prime.match=relation"])


def test_a_reading_refuses_what_it_does_not_look_at_in_one_line():
    assert "s2s.scale has no effect with reading=literal" in refused("objective.s2s.scale=3", name="col_literal")
    assert "no equation 5" in refused("objective.s2z_prime.weight=1", name="col_released")


@pytest.mark.parametrize("name", recipe_names("finetune"))
def test_every_recipe_for_tuning_is_valid_and_named_after_its_file(name):
    recipe = load_finetune_recipe(name)
    assert recipe.name == name
    assert recipe.kind in ("supervised", "episodes", "extraction")


def test_every_recipe_is_for_one_verb():
    assert sorted(recipe_names("pretrain") + recipe_names("finetune")) == recipe_names()
    assert {"semeval", "semeval@paper", "supervised"} <= set(recipe_names("finetune"))


def test_the_papers_settings_for_semeval_are_those_it_prints():
    paper = load_finetune_recipe("semeval@paper")
    assert (paper.batch_size, paper.epochs, paper.learning_rate, paper.hold_out) == (20, 30, 1e-5, 1500)
    assert (paper.metric, paper.no_relation, paper.hidden, paper.head_factor) == ("semeval", "Other", 0, 1)


def test_a_recipe_for_the_other_verb_is_refused_with_the_verb_that_is_meant(tmp_path):
    assert refused(name="semeval") == (
        "recipe semeval: expected a recipe for pretraining, got one of kind 'supervised'. Use `protorel finetune`"
    )
    with pytest.raises(BadInput, match=r"^recipe col_final: expected a recipe of kind .*\. Use `protorel pretrain`$"):
        load_finetune_recipe("col_final")
    (tmp_path / "mine.yaml").write_text("kind: baking")
    with pytest.raises(BadInput, match=r"kind: expected supervised, episodes or extraction, got 'baking'"):
        load_finetune_recipe(str(tmp_path / "mine.yaml"))


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("epoch=3", "unknown key 'epoch'; did you mean 'epochs'?"),
        ("steps=3", "unknown key 'steps'; "),
        ("epochs=0", "epochs = 0: input should be greater than or equal to 1"),
        ("epochs=true", "epochs = True: input should be a number, not true or false"),
        ("metric=bleu", "metric = 'bleu': input should be 'semeval', 'macro', 'micro' or 'accuracy'"),
        ("class_weights=heavy", "class_weights = 'heavy': input should be 'none' or 'balanced'"),
        ("share=[sentence]", "share.0 = 'sentence': input should be 'relations', 'pairs', "),
        ("label_smoothing=1", "label_smoothing = 1: input should be less than 1"),
        ("cnn.chanels=3", "unknown key 'cnn.chanels'; did you mean 'cnn.channels'?"),
    ],
)
def test_a_wrong_setting_for_tuning_is_refused_with_its_key(override, told):
    with pytest.raises(BadInput) as found:
        load_finetune_recipe("semeval", [override])
    assert str(found.value).startswith(f"recipe semeval: {told}")


def test_what_may_be_shared_with_a_test_set_can_be_overridden():
    assert load_finetune_recipe("semeval").share == ("relations",)
    assert load_finetune_recipe("semeval", ["share=[]"]).share == ()
    assert load_finetune_recipe("semeval", ["share=[relations, pairs]"]).share == ("relations", "pairs")
    assert load_finetune_recipe("semeval", ["no_relation=null"]).no_relation is None


def test_settings_may_be_a_mapping():
    found = load_recipe("smoke", {"steps": 7, "objective.s2s.weight": 0.25, "cnn": {"window": 5}})
    assert (found.steps, found.objective.s2s.weight, found.cnn.window) == (7, 0.25, 5)
    assert found.objective.s2z.weight == 0.5
    assert load_recipe("smoke", {"encoder": Path("runs/mine")}).encoder == "runs/mine"
    assert load_finetune_recipe("semeval", {"epochs": 2, "share": ()}).share == ()


def test_a_mapping_is_not_changed_and_replaces_a_whole_section():
    mine = {"objective": {"s2s": {"weight": 1}}, "objective.s2s.scale": 5}
    found = load_recipe("smoke", mine).objective
    assert (found.s2s.weight, found.s2s.scale, found.s2z.weight) == (1, 5, 0)
    assert mine["objective"] == {"s2s": {"weight": 1}}


def test_a_recipe_is_returned_as_it_is_or_with_other_settings():
    smoke = load_recipe("smoke", ["seed=4"])
    assert load_recipe(smoke) is smoke
    changed = load_recipe(smoke, {"steps": 9})
    assert changed == load_recipe("smoke", ["seed=4", "steps=9"])
    assert smoke.steps == 3
    assert load_finetune_recipe(SupervisedRecipe(), {"epochs": 2}) == SupervisedRecipe(epochs=2)
    episodes = load_finetune_recipe("gnn")
    assert load_finetune_recipe(episodes, {"method.features": 7}).method.features == 7


@pytest.mark.parametrize(
    ("recipe", "settings", "told"),
    [
        (3, {}, "recipe: expected a name, a YAML file or a recipe, got int"),
        ({"steps": 3}, {}, "recipe: expected a name, a YAML file or a recipe, got a mapping"),
        ("smoke", "steps=3", "settings: expected a mapping or a list of \"key=value\", got 'steps=3'"),
        ("smoke", 3, 'settings: expected a mapping or a list of "key=value", got 3'),
        ("smoke", [3], "expected a setting key=value, got 3"),
        ("smoke", {3: 3}, "settings: expected the name of a setting as key, got 3"),
        ("smoke", {"stepz": 3}, "recipe smoke: unknown key 'stepz'; did you mean 'steps'?"),
        ("smoke", {"steps": True}, "recipe smoke: steps = True: input should be a number, not true or false"),
        (SupervisedRecipe(), {"epochs": 3}, "recipe unnamed: expected a recipe for pretraining, got one of kind"),
        (SupervisedRecipe(), (), "recipe unnamed: expected a recipe for pretraining, got one of kind"),
    ],
)
def test_what_is_no_recipe_and_no_settings_is_refused(recipe, settings, told):
    with pytest.raises(BadInput) as found:
        load_recipe(recipe, settings)
    assert str(found.value).startswith(told)
