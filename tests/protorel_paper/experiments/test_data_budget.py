"""The data budget from files to points, on small world with a tiny encoder."""

import json

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import BadInput, DataSet, fingerprint
from protorel.training import load_recipe
from protorel_paper.experiments.data_budget import run as data_budget
from protorel_paper.experiments.data_budget.run import run_data_budget
from protorel_paper.experiments.data_budget.summary import summarise_budget
from protorel_paper.experiments.exam import PointExam
from protorel_paper.recipes import RECIPES


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=6))


@pytest.fixture(scope="module")
def go(world, tiny_encoder_folder):
    """Run a small grid: `go(out, relations=[0, 4])`."""
    test = DataSet.of("test.parquet", world.test_relations)
    exam = PointExam.of(test, episodes=20, each=4)
    small = [f"encoder={tiny_encoder_folder}", "steps=2", "relations_per_batch=6", "max_length=96"]

    def run(out, *overrides, names=("budget",), **more):
        recipes = [load_recipe(name, [*small, *overrides], also_in=RECIPES) for name in names]
        asked = {"relations": [0, 4], "statements": [0, 3], **more}
        return run_data_budget(recipes, DataSet.of("train.parquet", world.train), test, out, exam=exam, **asked)

    return run


@pytest.fixture(scope="module")
def grid(go, tmp_path_factory):
    """The folder of a finished grid, and its points by name."""
    out = tmp_path_factory.mktemp("grid") / "out"
    progress = go(out, names=("budget", "budget_ce"), relations=[0, 4, 8], statements=[0, 3, None])
    return out, {point["name"].replace("tiny_encoder0", "tiny"): point for point in progress.results}


def test_the_untuned_encoder_is_judged_once_and_every_other_place_for_each_recipe(grid):
    _, points = grid
    places = [f"{relations}x{each}" for relations in (4, 8) for each in ("3", "all")]
    tuned = {f"{name}-tiny-{place}-seed0" for name in ("budget", "budget_ce") for place in places}
    assert set(points) == {"tiny-untuned", *tuned}


def test_a_point_says_what_it_was_trained_on_and_how_a_batch_was_fitted(grid, world):
    point = grid[1]["budget-tiny-4x3-seed0"]
    training = point["training"]
    assert (training["relations"], training["statements"]) == (4, 12)
    assert len(training["relation_names"]) == 4
    assert (training["relations_per_batch"], training["statements_per_relation"]) == (4, 3)
    assert (training["statements_a_step"], training["statements_a_step_by_recipe"]) == (12, 12)
    assert point["data"]["fingerprint"] == fingerprint(world.train)
    assert point["settings"]["seed"] == 0
    assert point["recipe"]["steps"] == 2
    assert {"5w1s", "10w1s"} <= point["fewshot"].keys()
    assert len(point["fewshot"]["5w1s"]["per_relation"]) == 10
    assert point["removed_from_data"]["left"]["relations"] == 22


def test_points_of_one_place_share_their_statements_and_larger_places_hold_the_smaller(grid):
    points = grid[1]
    assert (
        points["budget-tiny-4x3-seed0"]["training"]["fingerprint"]
        == points["budget_ce-tiny-4x3-seed0"]["training"]["fingerprint"]
    )
    few, many = (set(points[f"budget-tiny-{n}x3-seed0"]["training"]["relation_names"]) for n in (4, 8))
    assert few < many


def test_no_path_stands_in_a_point_and_no_run_is_left(grid, tiny_encoder_folder):
    out, _ = grid
    assert not any((out / "work").iterdir())
    for path in (out / "points").iterdir():
        assert str(tiny_encoder_folder.parent) not in path.read_text()


def test_an_untuned_transformer_is_judged_by_the_readout_of_training_too(grid):
    untuned = grid[1]["tiny-untuned"]
    assert untuned["training"] is None
    assert untuned["fewshot_by_trained_readout"].keys() == untuned["fewshot"].keys()


def test_the_same_grid_again_makes_nothing_and_the_same_seed_gives_the_same_figures(grid, go, tmp_path):
    out, points = grid
    assert go(out, names=("budget", "budget_ce")).made == 0
    (name,) = [one["name"] for one in go(tmp_path, relations=[4], statements=[3]).results]
    again = json.loads((tmp_path / "points" / f"{name}.json").read_text())
    assert again["fewshot"] == points["budget-tiny-4x3-seed0"]["fewshot"]


def test_seeds_can_be_added_later_and_are_put_together(go, tmp_path):
    assert go(tmp_path, seeds=[0]).made == 2
    later = go(tmp_path, seeds=[1, 2])
    assert (later.made, len(later.results)) == (2, 4)
    drawn = [point["training"]["relation_names"] for point in later.results if point["training"]]
    assert drawn[0] != drawn[1] or drawn[1] != drawn[2]
    row = next(row for row in summarise_budget(later.results).rows if row.relations == 4)
    assert row.seeds == (0, 1, 2)


def test_work_that_stops_in_the_middle_goes_on_with_the_point_that_is_missing(go, tmp_path, monkeypatch):
    train_point, trained = data_budget.train_point, []

    def train(statements, *arguments, **more):
        trained.append(len(statements))
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train_point(statements, *arguments, **more)

    monkeypatch.setattr(data_budget, "train_point", train)
    grid_of = {"relations": [4], "statements": [2, 3, 4]}
    with pytest.raises(RuntimeError, match="stopped in point 2 of 3"):
        go(tmp_path, **grid_of)
    assert len(list((tmp_path / "points").iterdir())) == 1
    assert go(tmp_path, **grid_of).made == 2
    assert trained == [8, 12, 12, 16]


def test_other_settings_in_the_same_folder_are_refused(go, grid):
    with pytest.raises(BadInput, match=r"was made with recipe\.steps=2, now it is 3"):
        go(grid[0], "steps=3")


def test_two_encoders_or_recipes_of_one_name_are_refused(go, tmp_path, tiny_encoder_folder):
    with pytest.raises(BadInput, match="starting encoders: expected different names, got"):
        go(tmp_path, models=[str(tiny_encoder_folder)] * 2)
    with pytest.raises(BadInput, match="recipes: expected different names, got 'budget' twice"):
        go(tmp_path, names=("budget", "budget"))


def test_more_relations_than_there_are_are_refused_before_any_training(go, tmp_path):
    with pytest.raises(BadInput, match="expected at least 23 relations to train on, got 22"):
        go(tmp_path, relations=[4, 23])
    assert not any((tmp_path / "points").iterdir())


def test_an_exam_that_the_test_set_cannot_give_is_refused(world):
    test = DataSet.of("test.parquet", world.test_relations)
    with pytest.raises(BadInput, match=r"test\.parquet: expected at least 11 test relations for 11-way 1-shot, got 10"):
        PointExam.of(test, way=11)
    with pytest.raises(BadInput, match="expected at least 3 statements per test relation for 5-way 2-shot, got 2"):
        PointExam.of(test, shot=2, each=2)
    with pytest.raises(BadInput, match=r"method: expected one of .*, got 'guess'"):
        PointExam.of(test, method="guess")


def test_an_exam_takes_so_many_statements_of_each_relation_and_the_settings_that_they_allow(world):
    exam = PointExam.of(DataSet.of("test.parquet", world.test_relations), way=3, each=4)
    assert len(exam.statements) == 40
    assert exam.tasks == ((3, 1), (5, 1), (10, 1))
    assert exam.headline == "3w1s"
    assert PointExam.of(DataSet.of("test.parquet", world.test_relations)).tasks == ((5, 1), (5, 5), (10, 1), (10, 5))
