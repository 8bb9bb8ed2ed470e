"""Working through a plan: nothing is made twice, and points made otherwise are refused by what differs."""

import threading
from dataclasses import replace

import pytest

from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel_paper.engine.results import Plan, ResultFolder
from protorel_paper.engine.runner import quiet
from protorel_paper.experiments.points import POINTS, make_points, point_name


def plan(name, made, *, task="data_budget", recipe="col", steps=5, start="bert", weights="w1", test="t1", **more):
    settings = {
        "experiment": {"test": test},
        "recipe_name": recipe,
        "recipe": {"steps": steps},
        "start_name": start,
        "start": {"fingerprint": weights},
        **more,
    }

    def make(scratch, watch):
        made.append(name)
        return {"found": name.upper()}

    return Plan(name, {"task": task, "name": name}, settings, make)


def go(plans, folder):
    return make_points(plans, ResultFolder(folder, POINTS), watching=quiet)


def test_points_are_made_once_and_more_can_be_added(tmp_path):
    made = []
    first = go([plan("a", made), plan("b", made)], tmp_path)
    assert (first.made, [one["found"] for one in first.results]) == (2, ["A", "B"])
    again = go([plan("a", made), plan("c", made), plan("b", made)], tmp_path)
    assert made == ["a", "b", "c"]
    assert again.made == 1
    assert {one["name"] for one in again.results} == {"a", "b", "c"}


def test_a_point_carries_settings_machine_versions_and_time(tmp_path):
    (point,) = go([plan("a", [], seed=3)], tmp_path).results
    assert point["settings"]["seed"] == 3
    assert point["task"] == "data_budget"
    assert {"seconds", "machine", "versions"} <= point.keys()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"steps": 6}, "with recipe.steps=5, now it is 6"),
        ({"weights": "w2"}, "with start.fingerprint='w1', now it is 'w2'"),
        ({"test": "t2"}, "with experiment.test='t1', now it is 't2'"),
        ({"seed": 1}, "with seed=0, now it is 1"),
        ({"more": 1}, "without more, now it is 1"),
    ],
)
def test_a_point_made_with_other_settings_is_refused_before_any_work(tmp_path, change, said):
    made = []
    go([plan("a", made, seed=0)], tmp_path)
    before = (tmp_path / "points" / "a.json").read_bytes()
    with pytest.raises(BadInput, match=f"point a was made {said}"):
        go([plan("new", made, seed=0), plan("a", made, **{"seed": 0, **change})], tmp_path)
    assert made == ["a"]
    assert (tmp_path / "points" / "a.json").read_bytes() == before


@pytest.mark.parametrize("change", [{"steps": 6}, {"weights": "w2"}, {"test": "t2"}])
def test_a_further_point_must_not_mix_with_points_made_otherwise(tmp_path, change):
    made = []
    go([plan("a", made, seed=0)], tmp_path)
    with pytest.raises(BadInput, match="point a was made with"):
        go([plan("b", made, **{"seed": 1, **change})], tmp_path)
    assert made == ["a"]


def test_a_default_that_has_changed_is_noticed_and_what_older_points_leave_unsaid_is_not(tmp_path):
    made = []
    go([plan("old", made)], tmp_path)
    go([plan("a", made, defaults={"warmup": 0.06})], tmp_path)
    with pytest.raises(BadInput, match=r"point a was made with recipe.warmup=0.06, now it is 0.5; use the same"):
        go([plan("b", made, defaults={"warmup": 0.5})], tmp_path)
    go([plan("b", made, recipe="ce", defaults={"warmup": 0.5})], tmp_path)
    assert made == ["old", "a", "b"]


def test_another_recipe_and_another_encoder_have_settings_of_their_own(tmp_path):
    made = []
    go([plan("a", made)], tmp_path)
    go([plan("b", made, recipe="ce", steps=6), plan("c", made, start="cnn", weights="w2")], tmp_path)
    assert made == ["a", "b", "c"]


def test_a_folder_of_another_experiment_is_refused(tmp_path):
    go([plan("a", [])], tmp_path)
    with pytest.raises(BadInput, match="holds points of data_budget, not of label_noise"):
        go([plan("b", [], task="label_noise")], tmp_path)


def test_two_workers_in_one_folder_make_each_point_once(tmp_path):
    made, both_at_work = [], threading.Barrier(2, timeout=30)

    def slow(name, number):
        ordinary = plan(name, made)

        def make(scratch, watch):
            if number == 0:
                both_at_work.wait()
            return ordinary.make(scratch, watch)

        return replace(ordinary, make=make)

    progress = []

    def work(names):
        plans = [slow(name, number) for number, name in enumerate(names)]
        progress.append(go(plans, tmp_path))

    workers = [threading.Thread(target=work, args=[order]) for order in ("abcdef", "bacdef")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(made) == list("abcdef")
    assert sum(one.made for one in progress) == 6
    assert len(go([plan(name, made) for name in "abcdef"], tmp_path).results) == 6


def test_a_point_in_work_elsewhere_is_passed_over_and_named(tmp_path):
    made = []
    with ResultFolder(tmp_path, POINTS).claimed("a"):
        progress = go([plan("a", made), plan("b", made)], tmp_path)
    assert progress.elsewhere == ("a",)
    assert made == ["b"]


@pytest.mark.parametrize(
    ("raised", "expected", "said"),
    [
        (KeyboardInterrupt(), Interrupted, "stopped in point 2 of 2, b; what is finished is kept"),
        (Interrupted("step 3"), Interrupted, "run the same command to continue"),
        (WorkFailed("no"), WorkFailed, "point b: no"),
        (BadInput("no"), BadInput, "point b: no"),
    ],
)
def test_a_point_that_fails_is_named_and_leaves_the_others(tmp_path, raised, expected, said):
    def fail(scratch, watch):
        raise raised

    failing = replace(plan("b", []), make=fail)
    with pytest.raises(expected, match=said):
        go([plan("a", []), failing], tmp_path)
    made = []
    assert len(go([plan("a", made), plan("b", made)], tmp_path).results) == 2
    assert made == ["b"]


def test_a_name_is_one_that_a_file_can_have():
    assert point_name("my/recipe", "../run 1", "8x20") == "my_recipe-.._run_1-8x20"
