from __future__ import annotations

import dataclasses
import inspect
import shutil
from itertools import pairwise

import pyarrow.parquet as pq
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.geometry import Prototypes
from protorel.model import RelationModel, read_record
from protorel.recipes import EpisodeRecipe, Recipe, SupervisedRecipe, dotted, load_recipe, recipe_names
from protorel.statements import BadInput, Descriptions, Relation, RelationVocabulary, read_statements, select
from protorel.training import finetune, pretrain, read_journal, read_training_dynamics
from protorel.training.checkpoint import load_checkpoint
from protorel.training.pretraining import Pretraining
from protorel.training.steps.pretraining_step import PretrainingStep

NO_PROTOTYPES = [f"objective.{name}.weight=0" for name in ("s2z", "s2z_prime", "cls")]


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Sixty steps of a small CNN on a small world without noise."""
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=12, held_out_per_relation=1))
    folder = tmp_path_factory.mktemp("learned")
    wanted = [
        "encoder=cnn", "cnn.channels=32", "cnn.most_frequent_words=200", "steps=60", "learning_rate=0.005",
        "relations_per_batch=11", "head_factor=3", "max_length=48", "chunks=2",
    ]  # fmt: skip
    recipe = load_recipe("col_final", wanted)
    return world.train, pretrain(world.train, folder / "run", recipe), folder / "run"


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


@pytest.mark.parametrize("term", ["s2s", "s2z", "s2z_prime", "cls"])
def test_every_term_falls_in_sixty_steps(learned, term):
    lines = list(read_journal(learned[2]))
    first, last = (mean(line["terms"][term] for line in part) for part in (lines[:10], lines[-10:]))
    assert last < 0.8 * first


def test_statements_draw_nearer_to_their_own_prototype(learned):
    table = pq.read_table(learned[2] / "training_dynamics.parquet").to_pylist()
    early = mean(row["cosine"] for row in table if row["step"] <= 5)
    late = mean(row["cosine"] for row in table if row["step"] > 55)
    assert late > early + 0.2
    # Two labels in five are wrong, and of 22 prototypes one would be the closest by chance.
    assert mean(row["margin"] > 0 for row in table if row["step"] > 55) > 0.3


@pytest.mark.parametrize("name", recipe_names("pretrain"))
def test_every_recipe_for_pretraining_is_valid_and_takes_a_step(name, data, statements, recipe, tmp_path):
    assert load_recipe(name).name == name
    words = None
    if load_recipe(name).objective.text.weight:
        words = Descriptions.of({s.relation: Relation(s.relation, s.relation) for s in statements})
    wanted = recipe("steps=1", "min_statements=1", base=name)
    pretrain(data, tmp_path / "run", wanted, descriptions=words)
    (line,) = read_journal(tmp_path / "run")
    settings = dotted(load_recipe(name).objective.model_dump())
    assert {f"{term}.weight" for term in line["terms"]} == {
        key for key, value in settings if key.endswith(".weight") and value
    }


def test_a_trained_model_knows_its_own_statements_better_than_chance(learned):
    statements, model, _ = learned
    nearest = model.prototypes.similarity(model.encode(statements)).argmax(1).tolist()
    names = [relation.id for relation in model.relations]
    right = mean(names[index] == statement.relation for index, statement in zip(nearest, statements, strict=True))
    assert right > 0.5


def test_a_run_is_read_back_as_the_model_that_was_trained(learned):
    statements, model, folder = learned
    again = RelationModel.from_pretrained(folder)
    assert torch.equal(again.encode(statements[:9]), model.encode(statements[:9]))
    assert torch.equal(again.prototypes.vectors, model.prototypes.vectors)
    assert [relation.id for relation in again.relations] == sorted({s.relation for s in statements})
    assert again.prototypes.radius.isfinite().all()
    assert (again.prototypes.threshold <= again.prototypes.radius).all()


def test_the_learning_record_names_every_statement_of_every_batch(learned):
    statements, _, folder = learned
    table = pq.read_table(folder / "training_dynamics.parquet").to_pylist()
    assert len(table) == 60 * 22
    relation_of = {statement.id: statement.relation for statement in statements}
    for step in (1, 30, 60):
        batch = [relation_of[row["id"]] for row in table if row["step"] == step]
        assert len(set(batch)) == 11
        assert all(batch.count(relation) == 2 for relation in batch)


def test_the_record_tells_recipe_data_versions_and_results(learned):
    statements, _, folder = learned
    record = read_record(folder)
    assert record["recipe"]["steps"] == 60
    assert record["data"]["fingerprint"] == select(lambda: statements).fingerprint
    assert (record["data"]["statements"], record["data"]["relations"]) == (len(statements), 22)
    assert record["results"]["last_terms"] == list(read_journal(folder))[-1]["terms"]
    assert {"protorel", "torch"} <= record["versions"].keys()
    assert str(folder) not in (folder / "protorel.json").read_text()


def test_a_transformer_run_opens_with_hugging_face_tools_and_has_all_five_terms(data, recipe, tmp_path):
    model = pretrain(data, tmp_path / "run", recipe("steps=3", "checkpoint_every=2"))
    for line in read_journal(tmp_path / "run"):
        assert line["terms"].keys() == {"s2s", "s2z", "s2z_prime", "cls", "mlm"}
    backbone = AutoModel.from_pretrained(tmp_path / "run", local_files_only=True)
    trained = dict(model.encoder.backbone.state_dict())
    assert all(torch.equal(value, trained[name]) for name, value in backbone.state_dict().items())
    assert "[unused1]" in AutoTokenizer.from_pretrained(tmp_path / "run", local_files_only=True).get_vocab()


def test_prototypes_of_a_run_are_those_that_training_left_at_length_one(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=3"), keep_state=True)
    raw = load_file(tmp_path / "run" / "state" / "step-0000003" / "objective.safetensors")["prototypes"]
    saved = load_file(tmp_path / "run" / "prototypes.safetensors")["prototypes"]
    torch.testing.assert_close(saved, F.normalize(raw, dim=-1))


def test_an_objective_that_trains_no_prototypes_ends_with_means(data, statements, recipe, tmp_path):
    wanted = recipe("steps=2", *NO_PROTOTYPES, "objective.mlm.weight=0")
    model = pretrain(data, tmp_path / "run", wanted)
    assert [list(line["terms"]) for line in read_journal(tmp_path / "run")] == [["s2s"], ["s2s"]]
    assert not (tmp_path / "run" / "training_dynamics.parquet").exists()
    vectors = F.normalize(model.encode(statements), dim=-1)
    for relation, prototype in zip(model.relations, model.prototypes.vectors, strict=True):
        own = torch.stack([v for v, s in zip(vectors, statements, strict=True) if s.relation == relation.id])
        torch.testing.assert_close(prototype, F.normalize(own.mean(0), dim=0), atol=1e-5, rtol=0)


def test_an_objective_that_trains_no_prototypes_resumes_too(data, recipe, tmp_path):
    wanted = recipe("steps=4", "checkpoint_every=2", *NO_PROTOTYPES)
    whole = pretrain(data, tmp_path / "whole", wanted)

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 3:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        pretrain(data, tmp_path / "run", wanted, watch=stop)
    assert torch.equal(
        pretrain(data, tmp_path / "run", wanted, resume=True).prototypes.vectors, whole.prototypes.vectors
    )


def test_for_plain_cross_entropy_the_classifiers_rows_are_the_prototypes(data, recipe, tmp_path):
    wanted = recipe("steps=2", *NO_PROTOTYPES, "objective.s2s.weight=0", "objective.ce.weight=1", "encoder=cnn")
    model = pretrain(data, tmp_path / "run", wanted, keep_state=True)
    rows = load_file(tmp_path / "run" / "state" / "step-0000002" / "objective.safetensors")["classifier.weight"]
    torch.testing.assert_close(model.prototypes.vectors, F.normalize(rows, dim=-1))


def test_two_runs_of_one_seed_are_equal_and_of_two_seeds_differ(data, recipe, tmp_path):
    vectors = [
        pretrain(data, tmp_path / str(number), recipe("steps=2", f"seed={seed}")).prototypes.vectors
        for number, seed in enumerate((4, 4, 5))
    ]
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[0], vectors[2])


def test_training_leaves_the_callers_randomness_as_it_was(data, recipe, tmp_path):
    for encoder in ("steps=2", "encoder=cnn"):
        torch.manual_seed(3)
        before = torch.random.get_rng_state()
        pretrain(data, tmp_path / encoder, recipe("steps=2", encoder))
        assert torch.equal(torch.random.get_rng_state(), before)


def test_statements_in_memory_and_on_disk_give_the_same_run(data, statements, recipe, tmp_path):
    from_disk = pretrain(data, tmp_path / "disk", recipe("steps=2"))
    from_memory = pretrain(iter(statements), tmp_path / "memory", recipe("steps=2"))
    assert torch.equal(from_disk.prototypes.vectors, from_memory.prototypes.vectors)


def test_relations_that_a_list_names_are_left_out(data, statements, recipe, tmp_path):
    out = sorted({statement.relation for statement in statements})[:3]
    (tmp_path / "out.txt").write_text("\n".join(out))
    model = pretrain(data, tmp_path / "run", recipe("steps=1", f"without_relations={tmp_path / 'out.txt'}"))
    assert len(model.relations) == 19
    assert not {relation.id for relation in model.relations} & set(out)


def test_a_run_can_start_from_the_encoder_of_another_run(data, recipe, tmp_path):
    first = pretrain(data, tmp_path / "first", recipe("steps=2"))
    wanted = recipe("steps=1", f"encoder={tmp_path / 'first'}")
    training = Pretraining(wanted, select(lambda: read_statements(data)), tmp_path / "second")
    old = first.encoder.backbone.state_dict()
    assert all(torch.equal(value, old[name]) for name, value in training.encoder.backbone.state_dict().items())


@pytest.fixture
def step(data, recipe, tmp_path):
    def make(*overrides: str) -> PretrainingStep:
        wanted = recipe(*overrides)
        parts = Pretraining(wanted, select(lambda: read_statements(data)), tmp_path / "run")
        return PretrainingStep(wanted, parts.encoder, parts.objective, parts.rows, parts.dynamics)

    return make


def test_a_step_is_a_function_of_its_number_in_whatever_order_steps_are_taken(step):
    one = step("blank_rate=0.5")
    one.encoder.eval()
    forward = [one(number).loss.item() for number in (0, 7, 3)]
    other = step("blank_rate=0.5")
    other.encoder.eval()
    assert [other(number).loss.item() for number in (3, 7, 0)] == forward[::-1]
    assert len(set(forward)) == 3


def test_blanking_at_rate_one_hides_every_name(step):
    made = step("blank_rate=1")
    batch = made._batch(made.sampler.rows(0), 0)
    layout = made.rows.rows.layout
    for tokens, place in zip(batch.tokens, batch.head, strict=True):
        inside = [token for token in tokens[place[0] : place[1]].tolist() if token not in layout.structural]
        assert inside == [layout.blank]


def test_a_batch_in_pieces_gives_the_loss_of_a_batch_in_one(step):
    losses = []
    for chunks in (1, 2, 8):
        made = step(f"chunks={chunks}")
        made.encoder.eval()
        losses.append(made(0).loss.item())
    assert all(a == pytest.approx(b, rel=1e-4) for a, b in pairwise(losses))


def test_a_statement_under_two_labels_is_a_negative_of_neither(statements, recipe, tmp_path):
    both = [*statements, dataclasses.replace(statements[0], relation=statements[1].relation, id="again")]
    wanted = recipe("steps=1")
    parts = Pretraining(wanted, select(lambda: both), tmp_path / "run")
    labels = parts.rows.labels([0, len(both) - 1])
    assert labels.sum(1).tolist() == [2, 2]


def test_a_finished_run_keeps_one_checkpoint_of_its_last_step_if_asked(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=5", "checkpoint_every=2"), keep_state=True)
    assert [path.name for path in (tmp_path / "run" / "state").iterdir()] == ["step-0000005"]
    kept = load_checkpoint(tmp_path / "run" / "state")
    assert kept.tensors.keys() == {"encoder", "objective", "optimiser", "learning"}


def test_a_finished_run_keeps_weights_prototypes_record_and_training_dynamics_and_no_checkpoint(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=3", "checkpoint_every=2"))
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "config.json",
        "journal.jsonl",
        "training_dynamics.parquet",
        "model.safetensors",
        "modules.json",
        "protorel.json",
        "prototypes.safetensors",
        "relations.json",
        "tokenizer.json",
        "tokenizer_config.json",
    }


def test_swapping_at_rate_one_leaves_the_words_around_the_entities_as_they_were(step):
    plain, swapped = step(), step("swap_rate=1", "max_length=60")
    chosen = plain.sampler.rows(0)
    before, after = plain._batch(chosen, 0), swapped._batch(chosen, 0)
    names = 0
    for row in range(len(chosen)):
        texts = []
        for batch in (before, after):
            inside = torch.zeros_like(batch.present[row])
            for start, stop in (batch.head[row], batch.tail[row]):
                inside[start:stop] = True
            texts.append(batch.tokens[row][batch.present[row] & ~inside].tolist())
        assert texts[0] == texts[1]
        names += before.tokens[row][before.present[row]].tolist() != after.tokens[row][after.present[row]].tolist()
    assert names > len(chosen) / 2


def test_with_two_passes_the_relation_terms_see_whole_sentences_and_the_language_term_is_the_same(step):
    found = {}
    for name, overrides in {
        "whole": ["objective.mlm.weight=0"],
        "one pass": ["objective.mlm.weight=1", "objective.mlm.rate=0.5"],
        "two passes": ["objective.mlm.weight=1", "objective.mlm.rate=0.5", "objective.mlm.passes=2"],
    }.items():
        made = step(*overrides)
        made.encoder.eval()
        found[name] = {term: value.item() for term, value in made(0).terms.items()}
    for term in ("s2s", "s2z", "s2z_prime"):
        assert found["two passes"][term] == pytest.approx(found["whole"][term], rel=1e-4)
        assert found["one pass"][term] != pytest.approx(found["whole"][term], rel=1e-4)
    assert found["two passes"]["mlm"] == pytest.approx(found["one pass"]["mlm"], rel=1e-4)


def test_prototypes_that_start_at_the_means_lie_nearest_to_their_own_statements(data, statements, recipe, tmp_path):
    def right(start: str) -> float:
        run = tmp_path / start
        model = pretrain(data, run, recipe("steps=1", "learning_rate=1e-9", f"prototype_start={start}"))
        vectors = model.encode(statements)
        nearest = model.prototypes.similarity(vectors - vectors.mean(0)).argmax(1).tolist()
        names = [relation.id for relation in model.relations]
        return mean(names[index] == statement.relation for index, statement in zip(nearest, statements, strict=True))

    assert right("means") > 2 * right("random")


def test_prototypes_start_at_those_that_are_passed_in_whatever_their_order(data, recipe, tmp_path):
    wanted = recipe("steps=1", "learning_rate=1e-9", "prototype_start=means")
    other = pretrain(data, tmp_path / "other", wanted).prototypes
    turned = Prototypes.of(RelationVocabulary(other.relations.ids[::-1]), -other.vectors.flip(0))
    model = pretrain(data, tmp_path / "run", wanted, start=turned)
    assert model.relations == other.relations
    torch.testing.assert_close(model.prototypes.vectors, -other.vectors, atol=1e-5, rtol=0)


def test_prototypes_to_start_at_must_be_those_of_the_data(data, recipe, tmp_path):
    wanted = recipe("steps=1")
    with pytest.raises(BadInput, match="expected a prototype of width 64 for each relation of the data, got width 64"):
        pretrain(data, tmp_path / "none", wanted, start=Prototypes.none(64))
    with pytest.raises(BadInput, match="got width 5"):
        pretrain(data, tmp_path / "narrow", wanted, start=Prototypes.none(5))


@pytest.mark.parametrize(("terms", "asked"), [((), [True]), (NO_PROTOTYPES, [False])])
def test_means_to_start_at_are_made_only_where_a_term_has_prototypes_to_move(
    data, recipe, tmp_path, monkeypatch, terms, asked
):
    found, whole = [], Pretraining.class_means

    def counted(self, *, centred=False, **how):
        found.append(centred)  # at the start; at the end, where nothing else gives prototypes, they are not
        return whole(self, centred=centred, **how)

    monkeypatch.setattr(Pretraining, "class_means", counted)
    pretrain(data, tmp_path / "run", recipe("steps=1", "prototype_start=means", *terms))
    assert found == asked


def test_a_run_whose_prototypes_start_at_the_means_resumes_to_the_same_weights(data, recipe, tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    wanted = recipe("steps=4", "checkpoint_every=2", "prototype_start=means")
    pretrain(data, whole, wanted)

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 3:
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        pretrain(data, stopped, wanted, watch=stop)
    pretrain(data, stopped, wanted, resume=True)
    for name in ("model.safetensors", "prototypes.safetensors"):
        one, two = load_file(whole / name), load_file(stopped / name)
        assert all(torch.equal(one[key], two[key]) for key in one)


def test_learned_scales_and_terms_left_out_stand_in_the_record(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=2", "encoder=cnn", "objective.s2s.learn_scale=true"))
    results = read_record(tmp_path / "run")["results"]
    assert results["learned_scales"]["s2s"]["scale"] != load_recipe("col_final").objective.s2s.scale
    assert results["terms_left_out"] == ["mlm"]


def test_batches_by_pair_hold_each_pair_with_statements_of_its_own(step):
    made = step("batches_by=pair", "relations_per_batch=3")
    for number in range(5):
        pairs = made.rows.pairs[made.sampler.rows(number)].tolist()
        assert len(set(pairs)) == 3
        assert pairs[0::2] == pairs[1::2]


def test_data_without_repeated_pairs_cannot_be_matched_by_pairs(statements, recipe, tmp_path):
    one_each = list({(s.head_text, s.tail_text): s for s in statements}.values())
    with pytest.raises(BadInput, match=r"^batches_by=pair: expected at least 2 entity pairs .*, got 0\."):
        pretrain(one_each, tmp_path / "run", recipe(base="mtb"))


def test_bf16_is_what_the_encoder_learns_in_and_not_what_is_left_of_it(bf16_works, recipe, data, tmp_path):
    runs = {kind: pretrain(data, tmp_path / kind, recipe("steps=2", f"precision={kind}")) for kind in ("fp32", "bf16")}
    assert read_record(tmp_path / "bf16")["recipe"]["precision"] == "bf16"
    losses = {kind: next(iter(read_journal(tmp_path / kind)))["loss"] for kind in runs}
    assert losses["bf16"] != losses["fp32"]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.02)
    assert not RelationModel.from_pretrained(tmp_path / "bf16").encoder.trains_in_bf16
    assert {tensor.dtype for tensor in load_file(tmp_path / "bf16" / "model.safetensors").values()} == {torch.float32}


def test_with_bf16_the_product_of_the_masked_language_term_is_rounded_too(step):
    assert step("precision=bf16").objective.language.trains_in_bf16
    assert not step().objective.language.trains_in_bf16
    assert step("precision=bf16", "objective.mlm.weight=0").objective.language is None


@pytest.mark.parametrize("encoder", ["cnn", "rnn"])
def test_an_encoder_of_words_is_not_asked_to_learn_in_bf16(recipe, data, tmp_path, encoder):
    with pytest.raises(BadInput, match="precision=bf16: expected a transformer or the method mlman, got"):
        pretrain(data, tmp_path / "run", recipe("steps=1", "precision=bf16", f"encoder={encoder}"))


def test_settings_of_the_recipe_are_keywords(data, recipe, tmp_path):
    by_recipe = pretrain(data, tmp_path / "one", recipe("steps=2", "seed=3"))
    by_keyword = pretrain(data, tmp_path / "two", recipe(), steps=2, seed=3)
    assert by_keyword.fingerprint == by_recipe.fingerprint
    pretrain(data, tmp_path / "three", recipe(), **{"steps": 1, "objective.mlm.weight": 0})
    assert "mlm" not in next(iter(read_journal(tmp_path / "three")))["terms"]
    with pytest.raises(BadInput, match=r"^recipe smoke: unknown key 'stepz'; did you mean 'steps'\?$"):
        pretrain(data, tmp_path / "none", "smoke", stepz=3)
    assert not (tmp_path / "none").exists()


def test_no_setting_of_a_recipe_has_the_name_of_a_parameter():
    for function, kinds in ((pretrain, (Recipe,)), (finetune, (SupervisedRecipe, EpisodeRecipe))):
        taken = inspect.signature(function).parameters
        assert not [name for kind in kinds for name in kind.model_fields if name in taken]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"data": 3}, "data: expected a list of Statements or dicts, a DataSet"),
        ({"data": [{"text": "x"}]}, "data: row 0, head: is missing"),
        ({"recipe": 3}, "recipe: expected a name, a YAML file or a recipe, got int"),
        ({"recipe": "semeval"}, "recipe semeval: expected a recipe for pretraining"),
        ({"out": 3}, "out: expected a folder, got 3"),
        ({"decontaminate": 3}, "decontaminate: expected test sets, got int"),
        ({"descriptions": 3}, "descriptions: expected a path or what load_descriptions returns, got 3"),
    ],
)
def test_a_wrong_type_is_refused_in_one_line(data, tmp_path, given, told):
    with pytest.raises(BadInput) as found:
        pretrain(**{"data": data, "out": tmp_path / "run", "recipe": "smoke", **given})
    assert str(found.value).startswith(told)


def test_the_older_name_of_a_parameter_works_and_the_new_one_is_named(data, recipe, tmp_path):
    with (
        pytest.warns(FutureWarning, match="^apart_from is now decontaminate$"),
        pytest.raises(BadInput, match="no labelled"),
    ):
        pretrain(data, tmp_path / "run", recipe("steps=1"), apart_from=[data])


def test_training_dynamics_are_read_under_the_older_name_too(learned, tmp_path):
    table = read_training_dynamics(learned[2])
    assert {"id", "step", "cosine", "margin"} <= set(table.column_names)
    shutil.copy(learned[2] / "training_dynamics.parquet", tmp_path / "learning.parquet")
    assert read_training_dynamics(tmp_path).equals(table)
    (tmp_path / "learning.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"learning\.parquet: expected a Parquet file"):
        read_training_dynamics(tmp_path)
    with pytest.raises(BadInput, match=r"training_dynamics\.parquet: "):
        read_training_dynamics(tmp_path / "none")
