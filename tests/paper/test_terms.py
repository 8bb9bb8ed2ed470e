from __future__ import annotations

import json

import pytest
import torch

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.geometry import ScaledCosine, Similarity
from protorel.objectives import (
    READINGS,
    TERMS,
    ObjectiveInput,
    ObjectiveSettings,
    WeightedSum,
    find_term,
    statement_contrast,
    term,
)
from protorel.recipes import ContrastTerm, Recipe
from protorel.statements import write_statements
from protorel.training import pretrain

NAMES = [name for name in ObjectiveSettings.model_fields if name != "reading"]


@pytest.fixture
def margin(monkeypatch):
    """Register a made-up term, as a new file in objectives/ would."""
    monkeypatch.setattr("protorel.objectives.terms.TERMS", registered := dict(TERMS))

    @term("margin", moves_prototypes=True)
    def margin(given: ObjectiveInput, *, similarity: Similarity) -> torch.Tensor:
        logits = similarity(given.embeddings, given.prototypes)
        own = logits.gather(1, given.relations[:, None])
        return (1 + logits - own).clamp(min=0).mean()

    assert registered["margin", None].needs == {"similarity"}
    return margin


class WithMargin(ObjectiveSettings):
    margin: ContrastTerm = ContrastTerm()


class RecipeWithMargin(Recipe):
    objective: WithMargin = WithMargin()


def test_a_new_term_is_a_function_and_a_line_in_the_settings_and_trains(margin, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    world = build_small_world(SmallWorldSettings(statements_per_relation=6, held_out_per_relation=1))
    write_statements(world.train, tmp_path / "data.parquet")
    recipe = RecipeWithMargin.model_validate(
        {
            "encoder": "cnn", "steps": 1, "relations_per_batch": 4, "cnn": {"most_frequent_words": 200, "channels": 16},
            "objective": {"s2s": {"weight": 1.0}, "margin": {"weight": 0.5, "scale": 3.0, "learn_scale": True}},
        }
    )  # fmt: skip
    pretrain(tmp_path / "data.parquet", tmp_path / "run", recipe)
    lines = (tmp_path / "run" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    (step,) = [json.loads(line) for line in lines]
    assert step["terms"].keys() == {"s2s", "margin"}
    assert step["loss"] == pytest.approx(step["terms"]["s2s"] + 0.5 * step["terms"]["margin"], rel=1e-4)
    record = json.loads((tmp_path / "run" / "protorel.json").read_text(encoding="utf-8"))
    assert record["results"]["learned_scales"]["margin"]["scale"] == pytest.approx(3.0, rel=0.1)


def test_a_new_term_is_its_own_equation_with_its_own_scale(margin, batch_of):
    batch = batch_of([0, 0, 1, 1, 2, 2], count=4)
    settings = WithMargin.model_validate({"margin": {"weight": 2.0, "scale": 7.0}})
    generator = torch.Generator().manual_seed(0)
    objective = WeightedSum(settings, relations=4, width=5, vocabulary=None, generator=generator).double()
    loss = objective(batch.embeddings, batch.relations, batch.labels)
    given = ObjectiveInput(batch.embeddings, batch.relations, batch.labels, objective.prototypes)
    expected = margin(given, similarity=ScaledCosine(7.0))
    torch.testing.assert_close(loss.terms["margin"], expected)
    torch.testing.assert_close(loss.total, 2 * expected)
    assert objective.moves_prototypes


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_setting_has_its_term_in_every_reading(name, reading):
    assert callable(find_term(name, reading).equation)


def test_every_term_has_its_setting():
    assert {name for name, _ in TERMS} == set(NAMES)
    assert {reading for _, reading in TERMS} - {None} <= set(READINGS)


def test_a_setting_without_a_term_is_reported():
    with pytest.raises(LookupError, match=r"objective\.margin: expected a function with @term\('margin'\)"):
        find_term("margin", "corrected")


def test_a_name_cannot_be_registered_twice():
    with pytest.raises(ValueError, match="term 's2s': expected a new name"):
        term("s2s")(statement_contrast)


def test_an_argument_that_the_sum_cannot_provide_is_refused():
    def wrong(given: ObjectiveInput, *, temperature: float) -> torch.Tensor:
        return given.embeddings.sum() * temperature

    with pytest.raises(TypeError, match=r"term 'wrong': expected arguments among .*, got 'temperature'"):
        term("wrong")(wrong)
    assert ("wrong", None) not in TERMS
