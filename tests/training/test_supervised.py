from __future__ import annotations

import dataclasses
import shutil

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from safetensors.torch import load_file
from transformers import AutoModel

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.model import RelationModel, is_run, read_record
from protorel.statements import BadInput, DataSet, find_leakage, fingerprint, select, write_statements
from protorel.training import TuningWarning, finetune, load_finetune_recipe, pretrain, read_journal
from protorel.training.data.decontamination import Decontaminated
from protorel.training.steps.supervised_step import balanced_weights
from protorel.training.tuning.best_epoch import dev_score
from protorel.training.tuning.finetuning import starting_model
from protorel.training.tuning.supervised import Supervised

LEARNING = {
    "cnn": ["learning_rate=0.005", "head_factor=2", "epochs=6", "cnn.channels=32"],
    "transformer": ["learning_rate=0.002", "head_factor=5", "epochs=8"],
}


@pytest.fixture(scope="module")
def clean():
    return build_small_world(SmallWorldSettings(noise=0, statements_per_relation=16, held_out_per_relation=1)).train


@pytest.fixture(scope="module", params=LEARNING)
def learned(request, clean, tiny_bert, tmp_path_factory):
    """A classifier of a small world without noise, 66 statements held out."""
    small = ["max_length=48", "chunks=2", "cnn.most_frequent_words=200", "hold_out=66", "metric=accuracy"]
    folder = tmp_path_factory.mktemp("tuned") / request.param
    start = "cnn" if request.param == "cnn" else tiny_bert
    recipe = load_finetune_recipe("supervised", [*small, *LEARNING[request.param]])
    return finetune(start, clean, folder, recipe), folder


@pytest.fixture(scope="module")
def divided(statements):
    """Statements to train on, and others to choose by: one that stands under two labels is on one side only."""
    train = statements[:200]
    seen = {s.key for s in train}
    return train, [s for s in statements[200:] if s.key not in seen]


@pytest.fixture
def part(statements, tmp_path):
    """Make a run that is not trained yet, on the CNN unless told else."""

    def make(recipe, *, start="cnn", given=statements, dev=None) -> Supervised:
        selection = select(lambda: given)
        chosen_by = select(lambda: dev) if dev is not None else None
        model = starting_model(str(start), recipe, selection.source)
        return Supervised(recipe, model, selection, tmp_path / "run", Decontaminated(selection.source), chosen_by)

    return make


def test_a_classifier_learns_to_tell_22_relations_apart(learned):
    _, folder = learned
    results = read_record(folder)["results"]
    # One of 22 would be right by chance.
    assert results["best_score"] > 3 / 22
    assert results["best_score"] == max(results["dev_scores"]) > results["dev_scores"][0]
    losses = [line["loss"] for line in read_journal(folder)]
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_a_tuned_run_is_read_back_as_the_model_that_was_tuned(learned, clean):
    model, folder = learned
    again = RelationModel.from_pretrained(folder)
    vectors = again.encode(clean[:40])
    assert torch.equal(vectors, model.encode(clean[:40]))
    assert again.classifier.labels.ids == tuple(sorted({s.relation for s in clean}))
    assert torch.equal(again.classifier(vectors), model.classifier(vectors))
    assert {"classifier.safetensors", "classifier.json"} <= read_record(folder)["files"].keys()


def test_the_record_tells_every_epoch_what_was_held_out_and_where_it_came_from(learned, clean):
    _, folder = learned
    record = read_record(folder)
    epochs = record["recipe"]["epochs"]
    per_epoch = -(-(len(clean) - 66) // 32)
    assert (record["results"]["epochs"], record["results"]["steps"]) == (epochs, epochs * per_epoch)
    assert len(record["results"]["dev_scores"]) == epochs
    judged = {line["step"]: (line["epoch"], line["dev"]) for line in read_journal(folder) if "dev" in line}
    assert judged == {
        epoch * per_epoch: (epoch, score) for epoch, score in enumerate(record["results"]["dev_scores"], start=1)
    }
    assert (record["data"]["statements"], record["data"]["trained_on"]) == (len(clean), len(clean) - 66)
    assert sum(record["data"]["labels"].values()) == len(clean) - 66
    assert record["data"]["fingerprint"] == select(lambda: clean).fingerprint
    assert (record["dev"]["held_out"], record["dev"]["statements"]) == (True, 66)
    assert len(record["started_from"]["fingerprint"]) == 64
    assert str(folder.parent) not in (folder / "protorel.json").read_text()


def test_prototypes_of_a_tuned_run_are_means_of_its_training_statements(statements, part, tuning):
    made = part(tuning("hold_out=60", "epochs=1"))
    made.train(None)
    model = made.finish()
    trained = [statements[row] for row in sorted(made.batches.rows.tolist())]
    assert len(trained) == len(statements) - 60
    vectors = F.normalize(model.encode(trained), dim=-1)
    for relation, prototype in zip(model.relations, model.prototypes.vectors, strict=True):
        own = torch.stack([v for v, s in zip(vectors, trained, strict=True) if s.relation == relation.id])
        torch.testing.assert_close(prototype, F.normalize(own.mean(0), dim=0), atol=1e-5, rtol=0)


def test_the_weights_of_the_best_epoch_are_kept_and_not_those_of_the_last(statements, tuning, tmp_path, monkeypatch):
    scores = iter([0.2, 0.9, 0.4])
    monkeypatch.setattr("protorel.training.tuning.supervised.dev_score", lambda *_, **__: next(scores))
    recipe = tuning("epochs=3", "hold_out=20")
    model = finetune("cnn", statements, tmp_path / "run", recipe, keep_state=True)
    results = read_record(tmp_path / "run")["results"]
    assert (results["dev_scores"], results["best_epoch"], results["best_score"]) == ([0.2, 0.9, 0.4], 2, 0.9)
    state = tmp_path / "run" / "state"
    (checkpoint,) = state.iterdir()
    best, last = load_file(checkpoint / "best.safetensors"), load_file(checkpoint / "classifier.safetensors")
    kept = model.classifier.outer.weight
    assert torch.equal(kept, best["classifier.outer.weight"])
    assert not torch.equal(kept, last["outer.weight"])
    assert torch.equal(RelationModel.from_pretrained(tmp_path / "run").classifier.outer.weight, kept)


def test_the_best_score_is_that_of_the_saved_model_on_what_was_held_out(learned, clean, tiny_bert):
    model, folder = learned
    record = read_record(folder)
    made = Supervised(
        load_finetune_recipe("supervised", ["max_length=48", "hold_out=66"]),
        RelationModel.from_pretrained(tiny_bert, readout="start"),
        select(lambda: clean),
        folder,
        Decontaminated(lambda: clean),
    )
    held = [clean[row] for row in made.dev.indices]
    answers = model.classifier.answers(model.encode(held))
    assert dev_score([s.relation for s in held], answers, metric="accuracy") == record["results"]["best_score"]


def test_with_nothing_held_out_the_last_epoch_is_kept(statements, tuning, tmp_path):
    finetune("cnn", statements, tmp_path / "run", tuning("epochs=2"), keep_state=True)
    record = read_record(tmp_path / "run")
    assert record["dev"] is None
    assert (record["results"]["dev_scores"], record["results"]["best_epoch"]) == ([], None)
    (checkpoint,) = (tmp_path / "run" / "state").iterdir()
    last = load_file(checkpoint / "classifier.safetensors")
    assert torch.equal(RelationModel.from_pretrained(tmp_path / "run").classifier.outer.weight, last["outer.weight"])


def test_a_transformer_run_is_tuned_from_its_own_weights_and_opens_with_hugging_face_tools(
    data, statements, recipe, tuning, tmp_path
):
    before = pretrain(data, tmp_path / "before", recipe("steps=2", "readout=mention"))
    model = finetune(tmp_path / "before", data, tmp_path / "after", tuning("epochs=1", "learning_rate=1e-12"))
    assert model.encoder.settings["readout"] == "mention"
    torch.testing.assert_close(model.encode(statements[:9]), before.encode(statements[:9]), atol=1e-4, rtol=1e-4)
    AutoModel.from_pretrained(tmp_path / "after", local_files_only=True)
    assert read_record(tmp_path / "after")["started_from"]["name"] == "before"
    assert read_record(tmp_path / "after")["leakage"]["started_from"]["name"] == "before"


@pytest.mark.parametrize("kind", ["pcnn", "rnn", "self_attention"])
def test_every_encoder_of_words_can_be_tuned_from_its_vectors_alone(kind, statements, tuning, tmp_path):
    sizes = {"pcnn": "pcnn.channels=8", "rnn": "rnn.hidden=8", "self_attention": "self_attention.hidden=12"}
    recipe = tuning("epochs=1", "batch_size=64", sizes[kind], f"{kind}.most_frequent_words=200", "hold_out=22")
    model = finetune(kind, statements, tmp_path / "run", recipe)
    assert model.encoder.settings["kind"] == kind
    assert len(model.classifier.answers(RelationModel.from_pretrained(tmp_path / "run").encode(statements[:5]))) == 5


def test_an_encoder_that_is_no_run_is_read_and_marked_as_the_recipe_says(tiny_encoder_folder, statements, tuning):
    model = starting_model(str(tiny_encoder_folder), tuning("readout=cls"), lambda: statements)
    assert model.encoder.settings["readout"] == "cls"
    vectors = [
        starting_model(str(tiny_encoder_folder), tuning(f"marker_start={start}"), list).encode(statements[:3])
        for start in ("brackets", "brackets", "unused")
    ]
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[0], vectors[2])


def test_a_step_is_a_function_of_its_number_and_its_loss_that_of_plain_loops(part, tuning, statements):
    made = part(tuning("dropout=0", "cnn.dropout=0", "epochs=2", "class_weights=balanced", "hold_out=30"))
    from protorel.training.steps.supervised_step import SupervisedStep

    step = SupervisedStep(made.recipe, made.encoder, made.classifier, made.rows, made.batches, made.device)
    numbers = (0, 9, 3, 0)
    losses = [step(number).loss.item() for number in numbers]
    assert losses[0] == losses[3]
    assert len(set(losses)) == 3
    names = [s.relation for s in statements]
    trained = [names[row] for row in made.batches.rows.tolist()]
    for number, loss in zip(numbers, losses, strict=True):
        chosen = made.batches.batch(number)
        batch = made.rows.rows.batch(chosen)
        logits = made.classifier(made.encoder(batch))
        total = weight_of_all = 0.0
        for row, scores in zip(chosen, logits, strict=True):
            weight = len(trained) / (len(set(names)) * trained.count(names[row]))
            own = made.classifier.labels.index(names[row])
            total += weight * (scores.exp().sum().log() - scores[own]).item()
            weight_of_all += weight
        assert loss == pytest.approx(total / weight_of_all, rel=1e-4)


def test_balanced_weights_give_every_label_the_same_total(statements):
    import numpy as np

    labels = np.array([0] * 6 + [1] * 2 + [2], dtype=np.int32)
    weights = balanced_weights(labels, 3)
    totals = [float(weights[label]) * int((labels == label).sum()) for label in range(3)]
    assert totals == pytest.approx([3, 3, 3])


def test_label_smoothing_and_class_weights_change_the_loss_and_a_hidden_layer_the_classifier(part, tuning):
    from protorel.training.steps.supervised_step import SupervisedStep

    def loss(*overrides):
        made = part(tuning("dropout=0", "cnn.dropout=0", "hold_out=100", *overrides))
        parts = (made.recipe, made.encoder, made.classifier, made.rows, made.batches, made.device)
        return SupervisedStep(*parts)(0).loss.item()

    found = [loss(), loss("label_smoothing=0.2"), loss("class_weights=balanced"), loss("hidden=7"), loss("seed=1")]
    assert len(set(found)) == 5


def test_two_tunings_of_one_seed_are_equal_and_of_two_seeds_differ(statements, tuning, tmp_path):
    weights = [
        finetune("cnn", statements, tmp_path / str(number), tuning("epochs=1", f"seed={seed}")).classifier.outer.weight
        for number, seed in enumerate((4, 4, 5))
    ]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_a_dev_file_chooses_and_nothing_is_held_out(divided, tuning, tmp_path):
    train, dev = divided
    write_statements(dev, tmp_path / "dev.parquet")
    recipe = tuning("epochs=1", "hold_out=50", "metric=accuracy")
    model = finetune("cnn", train, tmp_path / "run", recipe, dev=tmp_path / "dev.parquet")
    record = read_record(tmp_path / "run")
    assert (record["data"]["trained_on"], record["dev"]["statements"]) == (200, len(dev))
    assert record["dev"]["fingerprint"] == fingerprint(dev)
    answers = model.classifier.answers(model.encode(dev))
    right = sum(answer == s.relation for answer, s in zip(answers, dev, strict=True))
    assert record["results"]["best_score"] == right / len(answers)


def test_labels_of_the_dev_file_that_are_never_trained_count_as_wrong(divided, tuning, tmp_path):
    train, dev = divided
    unknown = [dataclasses.replace(s, relation="new") for s in dev]
    with pytest.warns(TuningWarning, match="never predicted: they count as wrong"):
        finetune("cnn", train, tmp_path / "run", tuning("epochs=1", "metric=accuracy"), dev=unknown)
    assert read_record(tmp_path / "run")["results"]["dev_scores"] == [0.0]
    assert read_record(tmp_path / "run")["dev"]["labels_never_trained"] == ["new"]


def test_what_the_data_share_with_a_test_set_is_dropped_but_relations_may_be_shared(statements, tuning, tmp_path):
    exam = DataSet.of("exam", statements[:30])
    model = finetune("cnn", statements, tmp_path / "run", tuning("epochs=1"), decontaminate=[exam])
    rest = find_leakage(statements, statements[:30], kinds=("pairs", "sentences", "near_duplicates"))
    record = read_record(tmp_path / "run")
    assert record["leakage"]["removed"] == rest.removed >= 30
    assert record["leakage"]["apart_from"][0]["may_share"] == ["relations"]
    assert record["data"]["statements"] == rest.left
    assert set(model.classifier.labels.ids) & {s.relation for s in statements[:30]}
    some = [s.relation for s in statements[:3]]
    few = DataSet.of("few", [s for s in statements if s.relation in some])
    strict = finetune("cnn", statements, tmp_path / "strict", tuning("epochs=1", "share=[]"), decontaminate=[few])
    assert not set(strict.classifier.labels.ids) & set(some)


def refused(statements, out, recipe, match, *, model="cnn", **more) -> None:
    with pytest.raises(BadInput, match=match) as found:
        finetune(model, statements, out, recipe, **more)
    assert "\n" not in str(found.value)


def test_bad_input_is_refused_in_one_line(statements, tiny_bert, tuning, tmp_path):
    out = tmp_path / "run"
    bare = [dataclasses.replace(s, relation=None) for s in statements[:9]]
    alike = [dataclasses.replace(s, relation="one") for s in statements[:9]]
    exam = DataSet.of("exam", statements[200:])
    wide = tuning("max_length=65")
    refused(bare, out, tuning(), "got no labelled statement")
    refused(alike, out, tuning(), r"expected statements of at least 2 relations, got 1 \('one'\)")
    refused(statements, out, tuning("hold_out=9999"), f"at most .* of these {len(statements)} statements")
    refused(statements, out, tuning("no_relation=Othr"), "expected one of the data's 22 labels, got 'Othr'. Name one")
    near = f"{statements[0].relation}s"
    refused(statements, out, tuning(f"no_relation={near}"), f"Did you mean '{statements[0].relation}'")
    refused(statements, out, tuning(), "--dev: expected labelled statements, got none", dev=bare)
    refused(statements[:200], out, tuning(), "A test set must not choose the epoch", dev=exam, decontaminate=[exam])
    refused(statements, out, wide, "max_length: expected at most 64 tokens for .*, got 65", model=tiny_bert)
    refused(statements, out, tuning(), "no such|not a folder|neither|hub", model=tmp_path / "absent")
    refused(statements, tmp_path / "absent", tuning(), "expected a run to resume, got none", resume=True)
    # After all these refusals the folder is still a good place.
    finetune("cnn", statements, out, tuning("epochs=1"))
    refused(statements, out, tuning("epochs=1"), "exists already")


def test_a_model_whose_run_has_not_finished_is_refused(data, recipe, statements, tuning, tmp_path):
    pretrain(data, tmp_path / "before", recipe("steps=1"), keep_state=True)
    (tmp_path / "before" / "protorel.json").unlink()
    assert is_run(tmp_path / "before")
    told = "before: this run has not finished; repeat the command that started it with --resume"
    refused(statements, tmp_path / "run", tuning(), told, model=tmp_path / "before")


def test_a_tuning_is_resumed_with_the_same_settings_only(divided, tuning, recipe, data, tmp_path):
    train, dev = divided
    pretrain(data, tmp_path / "one", recipe("steps=1"))
    pretrain(data, tmp_path / "two", recipe("steps=2"))
    out, wanted = tmp_path / "run", tuning("epochs=1")
    finetune(tmp_path / "one", train, out, wanted, dev=dev, keep_state=True)
    (out / "protorel.json").unlink()  # as if it had been killed after its last step

    def again(match, *, model=tmp_path / "one", given=train, told=wanted, dev=dev):
        refused(given, out, told, match, model=model, dev=dev, resume=True)

    again("started from another model. Resume it with the same", model=tmp_path / "two")
    again("started on other data", given=train[1:])
    again("started with another --dev file", dev=dev[1:])
    again("started with another --dev file", dev=None)
    again("started with batch_size=32, got 16", told=tuning("epochs=1", "batch_size=16"))
    again("started with share=", told=tuning("epochs=1", "share=[]"))
    with pytest.raises(BadInput, match=r"started by `protorel finetune`\. Resume it with the same command"):
        pretrain(data, out, recipe("steps=1"), resume=True)
    with pytest.raises(BadInput, match=r"made by `protorel pretrain`\. Resume"):
        finetune(tmp_path / "two", data, tmp_path / "one", wanted, resume=True)
    finetune(tmp_path / "one", train, out, wanted, dev=dev, resume=True)


def test_a_tuned_run_can_be_tuned_again_and_pretrained_from(data, statements, recipe, tuning, tiny_bert, tmp_path):
    first = finetune(tiny_bert, data, tmp_path / "first", tuning("epochs=1"))
    few = [s for s in statements if s.relation in sorted({s.relation for s in statements})[:4]]
    second = finetune(tmp_path / "first", few, tmp_path / "second", tuning("epochs=1", "batch_size=8"))
    assert len(first.classifier.labels) == 22
    assert len(second.classifier.labels) == len(second.relations) == 4
    seen = read_record(tmp_path / "second")["leakage"]["started_from"]
    assert (seen["name"], len(seen["relations"])) == ("first", 22)
    third = pretrain(data, tmp_path / "third", recipe("steps=1", f"encoder={tmp_path / 'first'}"))
    assert third.classifier is None
    assert RelationModel.from_pretrained(tmp_path / "third").classifier is None


def test_a_classifier_that_was_changed_is_named(learned, tmp_path):
    shutil.copytree(learned[1], tmp_path / "copy")
    path = tmp_path / "copy" / "classifier.json"
    path.write_text(path.read_text().replace('"hidden": 0', '"hidden": 1'))
    with pytest.raises(BadInput, match=r"classifier\.json: .*was changed: expected sha256"):
        RelationModel.from_pretrained(tmp_path / "copy")
    path.unlink()
    with pytest.raises(BadInput, match=r"classifier\.json: this file of the run is missing"):
        RelationModel.from_pretrained(tmp_path / "copy")
