"""Label noise from files to points, on small world with a tiny encoder."""

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.geometry import Prototypes
from protorel.statements import BadInput, DataSet, RelationVocabulary, load_equivalents
from protorel.training import load_recipe
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.label_noise.evaluation import recognised
from protorel_paper.experiments.label_noise.run import NoiseDraw, run_label_noise
from protorel_paper.experiments.material import gather
from protorel_paper.recipes import RECIPES


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def world():
    return build_small_world(SmallWorldSettings(statements_per_relation=16, held_out_per_relation=6))


@pytest.fixture(scope="module")
def recipes(tiny_encoder_folder):
    small = [f"encoder={tiny_encoder_folder}", "steps=2", "relations_per_batch=6", "max_length=96"]
    return [load_recipe(name, small, also_in=RECIPES) for name in ("budget", "budget_ce")]


@pytest.fixture(scope="module")
def go(world, recipes):
    test = DataSet.of("test.parquet", world.test_relations)
    exam = PointExam.of(test, episodes=20, each=4)

    def run(out, *, which=1, **more):
        asked = {"rates": [0, 0.4], "relations": 8, "held_out": 3, **more}
        train = DataSet.of("train.parquet", world.train)
        return run_label_noise(recipes[:which], train, test, out, exam=exam, **asked).results

    return run


@pytest.fixture(scope="module")
def points(go, tmp_path_factory):
    found = go(tmp_path_factory.mktemp("noise") / "out", which=2)
    return {(one["settings"]["recipe_name"], one["settings"]["kind"], one["settings"]["rate"]): one for one in found}


def test_clean_labels_are_trained_once_and_each_kind_at_each_rate(points):
    wanted = [("none", 0), ("uniform", 0.4), ("confusable", 0.4)]
    assert set(points) == {(name, *place) for name in ("budget", "budget_ce") for place in wanted}


def test_the_share_of_wrong_labels_stands_in_the_point(points):
    for (_, _, rate), point in points.items():
        total = point["training"]["statements"]
        assert point["noise"]["wrong"] == round(rate * total)
        assert point["noise"]["share"] == pytest.approx(rate, abs=0.5 / total)


def test_confusable_neighbours_stand_in_the_point_three_for_each_and_never_itself(points):
    neighbours = points["budget", "confusable", 0.4]["noise"]["neighbours"]
    assert len(neighbours) == 8
    for relation, others in neighbours.items():
        assert len(set(others)) == 3
        assert relation not in others
        assert set(others) < set(neighbours)
    assert points["budget", "uniform", 0.4]["noise"]["neighbours"] is None


def test_every_measure_is_there_and_wrong_labels_can_be_found_only_where_there_are_some(points):
    for (_, _, rate), point in points.items():
        assert 0 <= point["fewshot"]["5w1s"]["accuracy"] <= 1
        for judged in point["recognised"].values():
            assert len(judged["per_relation"]) == 8
            assert 0 <= judged["accuracy"] <= 1
        found = point["wrong_labels_found"]
        assert (found is None) == (rate == 0)
        if found:
            assert 0 < found["wrong"] < found["statements"]
            assert 0 <= found["by_margin"]["auroc"] <= 1


def test_the_recipes_train_on_the_same_wrong_labels(points):
    for place in (("uniform", 0.4), ("confusable", 0.4)):
        prints = {points[name, *place]["training"]["fingerprint"] for name in ("budget", "budget_ce")}
        assert len(prints) == 1


def test_held_out_statements_are_true_never_trained_on_and_the_same_at_every_rate(world, recipes):
    data, test = DataSet.of("train", world.train), DataSet.of("test", world.test_relations)
    material = gather(data, test, recipes, equivalents=load_equivalents(), true_only=True)
    for seed in (0, 1):
        train, held = NoiseDraw(5, 4, 3, seed).of(material)
        assert not {one.id for one in train} & {one.id for one in held}
        assert {one.relation for one in train} == {one.relation for one in held}
        assert all(one.expresses for one in [*train, *held])
        relations = [one.relation for one in train]
        assert all(relations.count(name) <= 4 for name in relations)
        wider, same = NoiseDraw(5, None, 3, seed).of(material)
        assert [one.id for one in same] == [one.id for one in held]
        assert {one.id for one in train} <= {one.id for one in wider}


def test_at_most_a_third_of_a_relation_is_held_out(world, recipes):
    data, test = DataSet.of("train", world.train), DataSet.of("test", world.test_relations)
    material = gather(data, test, recipes, equivalents=load_equivalents(), true_only=True)
    train, held = NoiseDraw(None, None, 1000, 0).of(material)
    for relation, own in material.by_relation.items():
        assert sum(one.relation == relation for one in held) == len(own) // 3
        assert sum(one.relation == relation for one in train) == len(own) - len(own) // 3


def test_a_statement_is_recognised_by_the_nearest_prototype(some_statements):
    import torch

    prototypes = Prototypes.of(RelationVocabulary(["born_in", "died_in", "spouse"]), torch.eye(3))
    vectors = torch.tensor([[1, 0, 0], [0, 1, 0.5], [0, 1, 0], [0.2, 1, 0], [0, 0, 1], [0.9, 0, 0.1]])
    found = recognised(prototypes, vectors, some_statements)
    assert found["per_relation"] == {"born_in": 0.5, "died_in": 1.0, "spouse": 0.5}
    assert found["accuracy"] == pytest.approx(2 / 3)


def test_points_that_are_there_are_kept_and_another_draw_is_refused(go, tmp_path):
    before = {one["name"]: one for one in go(tmp_path, kinds=["uniform"])}
    after = {one["name"]: one for one in go(tmp_path, kinds=["uniform"], rates=[0, 0.4, 0.5])}
    assert before.items() <= after.items()
    assert len(after) == 3
    with pytest.raises(BadInput, match=r"was made with draw\.held_out=3, now it is 2"):
        go(tmp_path, kinds=["uniform"], rates=[0.3], held_out=2)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rates": [1.0]}, "--rates: expected shares from 0 to below 1, got 1.0"),
        ({"rates": [-0.2]}, "below 1, got -0.2"),
        ({"kinds": ["rude"]}, "expected uniform or confusable, got 'rude'"),
        ({"rates": []}, "expected at least one rate and one kind"),
        ({"held_out": 0}, "held_out: expected at least 1 statement per relation, got 0"),
        ({"relations": 23}, "expected at least 23 relations to train on, got 22"),
    ],
)
def test_bad_settings_are_refused(go, tmp_path, more, said):
    with pytest.raises(BadInput, match=said):
        go(tmp_path, **more)
