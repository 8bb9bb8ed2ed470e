"""A new few-shot method is one file and one line: registered here, evaluated by name and trained by a recipe."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import pytest
import torch
from pydantic import Field
from torch import nn

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import evaluate_few_shot
from protorel.fewshot import METHODS, EpisodeMethod, FewShotMethod, MethodSettings, Scored, find_method, register_method
from protorel.recipes import load_finetune_recipe
from protorel.statements import BadInput, DataSet
from protorel.training import finetune


@pytest.fixture(autouse=True)
def as_before(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    known = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(known)


@pytest.fixture(scope="module")
def world() -> DataSet:
    settings = SmallWorldSettings(noise=0, statements_per_relation=6, held_out_per_relation=3)
    return DataSet.of("world", build_small_world(settings).train)


def farthest(support, query, *, similarity):
    """Score a class by its least similar example."""
    return torch.stack([similarity(query, example) for example in support.unbind(-2)], dim=-1).amin(-1)


class ScaledSettings(MethodSettings):
    name: Literal["scaled"] = "scaled"
    start: float = Field(default=5.0, gt=0)


class Scaled(EpisodeMethod):
    """A prototypical network that learns how to scale each component."""

    def __init__(self, settings: ScaledSettings, width: int) -> None:
        super().__init__(settings, width)
        self.scale = nn.Parameter(torch.full((width,), settings.start))

    def forward(self, support, query) -> Scored:
        return Scored(query * self.scale @ support.mean(2).mT)


def test_a_method_on_vectors_is_evaluated_as_soon_as_it_is_registered(tiny_encoder_folder, world):
    register_method(FewShotMethod("farthest", "vectors", farthest))
    found = evaluate_few_shot(str(tiny_encoder_folder), world, way=3, shot=2, episodes=5, method="farthest")
    assert found.result.method == "farthest"
    with pytest.raises(BadInput, match="method: expected prototype or linear_probe with descriptions, got 'farthest'"):
        evaluate_few_shot(str(tiny_encoder_folder), world, way=3, shot=0, method="farthest", texts=_Texts())


class _Texts:
    weight = None


def test_a_trainable_method_is_trained_by_a_recipe_and_evaluated_by_its_run(world, tmp_path):
    register_method(FewShotMethod("scaled", "vectors", Scaled, ScaledSettings))
    small = ["encoder=cnn", "cnn.channels=8", "max_length=32", "steps=2", "episodes=[[3,1]]"]
    with pytest.raises(BadInput, match=r"recipe fewrel: method.start = -1: input should be greater than 0"):
        load_finetune_recipe("fewrel", [*small, "method.name=scaled", "method.start=-1"])
    recipe = load_finetune_recipe("fewrel", [*small, "method.name=scaled", "method.start=4"])
    assert recipe.method == ScaledSettings(start=4)
    finetune(None, world, tmp_path / "run", recipe)
    found = evaluate_few_shot(str(tmp_path / "run"), world, way=3, shot=2, episodes=5).result
    assert (found.method, found.similarity) == ("scaled", "learned")


def test_a_name_that_is_not_registered_is_answered_with_those_that_are():
    with pytest.raises(BadInput, match=r"method: expected one of prototype, mean, .*, got 'farthest'"):
        find_method("farthest")
    assert find_method(METHODS["gnn"]) is METHODS["gnn"]


def test_the_registry_and_the_recipes_that_name_methods_need_no_torch():
    code = (
        "import sys; from protorel.fewshot import METHODS; from protorel.recipes import load_finetune_recipe; "
        "load_finetune_recipe('gnn'); assert METHODS['setfit'].why_slow; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
