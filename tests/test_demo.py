"""The demo: the whole line, made small."""

import json

import pytest

from protorel import demo
from protorel.corpora.small_world import SmallWorldSettings
from protorel.model import RelationModel
from protorel.statements import read_statements

SMALL = SmallWorldSettings(statements_per_relation=12, held_out_per_relation=8)


@pytest.fixture(scope="module")
def done(tmp_path_factory, tiny_encoder_folder):
    out = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(demo, "EPISODES", 60)
        overrides = (f"encoder={tiny_encoder_folder}", "steps=4", "relations_per_batch=11", "max_length=96")
        return demo.run_demo(out, overrides=overrides, settings=SMALL), out


def test_the_demo_leaves_data_a_run_a_result_and_a_page(done):
    result, out = done
    assert len(read_statements(out / "data" / "train.parquet")) == 12 * 22
    assert len(RelationModel.load(out / "run").relations) == 22
    page = result.report.read_text(encoding="utf-8")
    assert "protorel: small world" in page
    assert "Label check" in page


def test_the_demo_judges_new_relations_and_new_phrasings_before_and_after_training(done):
    result, out = done
    untrained, trained = result.rows
    assert list(untrained.figures) == list(trained.figures)
    assert list(trained.figures) == [
        "new relations 5w1s", "new relations 5w5s", "new phrasings 5w1s", "new phrasings 5w5s",
    ]  # fmt: skip
    assert trained.emphasised
    written = json.loads((out / "result.json").read_text())
    assert written["fewshot"][trained.name]["new relations 5w1s"]["accuracy"] == pytest.approx(
        trained.figures["new relations 5w1s"].value
    )
    assert 0 <= written["auroc"]["trained"]["value"] <= 1
    assert str(out) not in (out / "result.json").read_text()


def test_the_best_untrained_readout_is_the_best_of_all(tiny_encoder_folder):
    world = demo.build_small_world(SMALL)
    models = {name: RelationModel.load(tiny_encoder_folder, readout=name) for name in ("start", "mean")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "EPISODES", 60)
        readout, _, figures = demo._best_untrained(models, world)
        for model in models.values():
            other = demo._figures(model, world)
            assert sum(m.value for m in figures.values()) >= sum(m.value for m in other.values())
    assert readout in models
