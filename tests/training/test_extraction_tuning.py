from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.model import RelationModel, read_record
from protorel.statements import BadInput, Descriptions, Relation, load_equivalents, select
from protorel.training import TuningWarning, finetune, pretrain, read_journal
from protorel.training.data.decontamination import Decontaminated
from protorel.training.steps.extraction_score import best_threshold
from protorel.training.steps.extraction_step import ExtractionStep
from protorel.training.tuning.extraction_tuning import ExtractionTuning
from protorel.training.tuning.finetuning import starting_model


@pytest.fixture(scope="module")
def natural(statements):
    """Statements of which those of eight relations are pairs without a relation, and a dev part of them."""
    names = sorted({s.relation for s in statements})
    pairs = [dataclasses.replace(s, relation="no_relation") if s.relation in names[:8] else s for s in statements]
    train = pairs[:200]
    keys = {s.key for s in train}
    return train, [s for s in pairs[200:] if s.key not in keys]


@pytest.fixture
def extraction(tuning):
    def make(*overrides: str):
        return tuning("learning_rate=0.005", "head_factor=3", "cnn.dropout=0", *overrides, base="extraction")

    return make


@pytest.fixture
def part(natural, tmp_path):
    """Make a run that is not trained yet, on the CNN unless told else."""

    def make(recipe, *, given=None, start="cnn", descriptions=None) -> ExtractionTuning:
        selection = select(lambda: natural[0] if given is None else given)
        model = starting_model(str(start), recipe, selection.source)
        clean = Decontaminated(selection.source)
        return ExtractionTuning(
            recipe, model, selection, tmp_path / "run", clean, load_equivalents(), None, descriptions
        )

    return make


def test_pairs_that_hold_a_relation_are_told_from_those_that_do_not(natural, extraction, tmp_path):
    train, dev = natural
    model = finetune("cnn", train, tmp_path / "run", extraction("epochs=8"), dev=dev)
    results = read_record(tmp_path / "run")["results"]
    assert results["best_score"] == max(results["dev_scores"]) > results["dev_scores"][0]
    assert results["best_score"] > 0.3  # one of 14 would be right by chance, and none in a third of the pairs
    sigmoids = results["sigmoids"]
    cosines = model.prototypes.similarity(model.encode(train))
    logits = sigmoids["scale"] * cosines + torch.tensor([sigmoids["biases"][name] for name in model.relations.ids])
    highest = logits.max(1).values
    related = torch.tensor([s.relation != "no_relation" for s in train])
    assert highest[related].mean() > 1 + highest[~related].mean()


def test_no_relation_gets_no_prototype_and_the_record_counts_the_pairs(natural, extraction, tmp_path):
    train, dev = natural
    model = finetune("cnn", train, tmp_path / "run", extraction("epochs=1"), dev=dev)
    record = read_record(tmp_path / "run")
    assert record["recipe"]["kind"] == "extraction"
    assert "no_relation" not in model.relations
    pairs = record["data"]["pairs"]
    related = {s.key for s in train if s.relation != "no_relation"}
    assert (pairs["related"], pairs["none"]) == (len(related), len({s.key for s in train} - related))
    assert sum(pairs["labels"].values()) == sum(s.relation != "no_relation" for s in train)
    assert record["data"]["relations"] == len(model.relations) == len(pairs["labels"]) == 14
    assert record["results"]["sigmoids"]["biases"].keys() == pairs["labels"].keys()
    assert record["dev"]["statements"] == len({s.key for s in dev})
    assert record["dev"]["labels"] == sum(s.relation != "no_relation" for s in dev)
    again = RelationModel.from_pretrained(tmp_path / "run")
    assert torch.equal(again.prototypes.vectors, model.prototypes.vectors)
    assert not again.prototypes.radius.isnan().any()
    assert (again.prototypes.radius >= again.prototypes.threshold).all()


def test_radius_and_threshold_are_those_of_the_training_statements(natural, extraction, tmp_path):
    train, _ = natural
    model = finetune("cnn", train, tmp_path / "run", extraction("epochs=1"))
    name = model.relations.ids[3]
    own = [s for s in train if s.relation == name][:50]
    cosines = F.normalize(model.encode(own), dim=-1) @ model.prototypes.vectors[3]
    assert model.prototypes.radius[3].item() == pytest.approx(cosines.quantile(0.5).item(), abs=1e-4)


def test_a_step_is_a_function_of_its_number_and_its_loss_that_of_plain_loops(part, extraction, natural):
    given = [*natural[0], *(dataclasses.replace(s, relation="extra", id=f"{s.id}+") for s in natural[0][:9])]
    made = part(extraction("positive_weight=2", "focus=1"), given=given)
    made._start()
    step = ExtractionStep(made.recipe, made.encoder, made.head, made.pairs, made.batches, made.device)
    losses = [step(number).loss.item() for number in (0, 2, 0)]
    assert losses[0] == losses[2] != losses[1]
    rows = made.batches.batch(2)
    held = {key: {s.relation for s in given if s.key == key} - {"no_relation"} for key in {s.key for s in given}}
    by_row = [given[made.rows.origins[row]] for row in rows]
    vectors = made.encoder(made.rows.rows.batch(rows))
    total = 0.0
    for statement, vector in zip(by_row, vectors, strict=True):
        for place, name in enumerate(made.pairs.names):
            cosine = F.cosine_similarity(vector, made.head.prototypes[place], dim=0)
            logit = made.head.scale * cosine + made.head.bias[place]
            d = torch.sigmoid(logit).item()
            total -= 2 * np.log(d) if name in held[statement.key] else d * np.log(1 - d)
    assert losses[1] == pytest.approx(total / len(rows), rel=1e-4)


def test_prototypes_start_where_the_model_has_them_and_others_at_class_means(
    data, natural, recipe, extraction, part, tmp_path
):
    before = pretrain(data, tmp_path / "before", recipe("steps=2"))
    given = [dataclasses.replace(s, relation="fresh") if s.relation == "wrote" else s for s in natural[0]]
    made = part(extraction(), given=given, start=tmp_path / "before")
    made._start()
    for place, name in enumerate(made.pairs.names):
        found = made.head.prototypes[place].detach()
        if name == "fresh":
            own = [s for s in given if s.relation == "fresh"][:20]
            wanted = F.normalize(F.normalize(before.encode(own), dim=-1).mean(0), dim=0)
        else:
            wanted = before.prototypes.vectors[before.relations.index(name)]
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)


def test_biases_start_at_the_shares_of_the_relations(part, extraction, natural):
    made = part(extraction())
    made._start()
    logits = made.head(made._bare().encode_rows(made.rows.rows))
    for place, name in enumerate(made.pairs.names):
        share = sum(s.relation == name for s in natural[0]) / len(natural[0])
        assert torch.sigmoid(logits[:, place].mean()).item() == pytest.approx(share, abs=0.05)
    fixed = part(extraction("bias=-3"))
    fixed._start()
    assert set(fixed.head.bias.tolist()) == {-3.0}


def test_a_stopped_run_ends_with_the_weights_of_one_that_was_not_stopped(natural, extraction, tmp_path):
    train, dev = natural
    wanted = extraction("epochs=3", "none_per_related=0.2", "partial_sources=[]")
    whole = finetune("cnn", train, tmp_path / "whole", wanted, dev=dev)

    class Stop(Exception):
        pass

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 9:
            raise Stop

    every = wanted.model_copy(update={"checkpoint_every": 4})
    with pytest.raises(Stop):
        finetune("cnn", train, tmp_path / "stopped", every, dev=dev, watch=stop)
    resumed = finetune("cnn", train, tmp_path / "stopped", every, dev=dev, resume=True)
    assert torch.equal(whole.prototypes.vectors, resumed.prototypes.vectors)
    for name, weight in whole.encoder.state_dict().items():
        assert torch.equal(weight, resumed.encoder.state_dict()[name]), name
    one, other = (read_record(tmp_path / name)["results"] for name in ("whole", "stopped"))
    assert one == other
    losses = [[line["loss"] for line in read_journal(tmp_path / name)] for name in ("whole", "stopped")]
    assert losses[0] == losses[1]


def test_a_run_is_resumed_with_the_same_settings_only(natural, extraction, tmp_path):
    train, dev = natural
    finetune("cnn", train, tmp_path / "run", extraction("epochs=1"), dev=dev, keep_state=True)
    (tmp_path / "run" / "protorel.json").unlink()
    with pytest.raises(BadInput, match=r"started with focus=0\.0, got 2\.0"):
        finetune("cnn", train, tmp_path / "run", extraction("epochs=1", "focus=2"), dev=dev, resume=True)
    with pytest.raises(BadInput, match="started with another --dev file"):
        finetune("cnn", train, tmp_path / "run", extraction("epochs=1"), resume=True)
    finetune("cnn", train, tmp_path / "run", extraction("epochs=1"), dev=dev, resume=True)


def test_partial_sources_train_with_their_reversed_statements(natural, extraction, tmp_path):
    train, _ = natural
    mixed = [dataclasses.replace(s, source="fewrel" if n % 2 else "docred") for n, s in enumerate(train)]
    finetune("cnn", mixed, tmp_path / "run", extraction("epochs=1"))
    pairs = read_record(tmp_path / "run")["data"]["pairs"]
    assert pairs["partial"] > 0
    assert 0 < pairs["reversed"] <= pairs["partial"]


def test_texts_of_relations_are_learned_next_to_the_prototypes(natural, extraction, tiny_bert, tmp_path):
    train, _ = natural
    names = sorted({s.relation for s in train} - {"no_relation"})
    words = Descriptions.of({name: Relation(name, name.replace("_", " "), f"what {name} means") for name in names})
    wanted = extraction(
        "epochs=1", "objective.text.weight=1", "learning_rate=0.001", "objective.text.relations_per_step=5"
    )
    finetune(tiny_bert, train, tmp_path / "run", wanted, descriptions=words)
    results = read_record(tmp_path / "run")["results"]
    assert results["last_terms"].keys() == {"prototypes", "text"}
    assert results["sigmoids"]["text_scale"] > 0
    assert results["sigmoids"]["text_bias"] < 0


def test_the_dev_score_is_micro_f1_at_the_best_threshold():
    rng = np.random.default_rng(0)
    for trial in range(30):
        logits = rng.integers(-3, 4, size=(7, 3)).astype(float)
        held = rng.random((7, 3)) < 0.3
        gold = int(held.sum()) + trial % 3
        best = -1.0
        for threshold in sorted(set(logits.ravel())):
            asserted = [(i, r) for i in range(7) for r in range(3) if logits[i, r] >= threshold]
            right = sum(held[place] for place in asserted)
            best = max(best, 2 * right / (len(asserted) + gold))
        found = best_threshold(logits, held, gold=gold)
        assert found.f1 == pytest.approx(best)
        asserted = logits >= found.logit
        right = (asserted & held).sum()
        assert found.precision == pytest.approx(right / asserted.sum())
        assert found.recall == pytest.approx(right / gold if gold else 0)


def test_labels_of_the_dev_pairs_that_were_never_trained_count_as_missed(natural, extraction, tmp_path):
    train, dev = natural
    names = sorted({s.relation for s in train} - {"no_relation"})
    other = [dataclasses.replace(s, relation="new") if s.relation == names[0] else s for s in dev]
    finetune("cnn", train, tmp_path / "run", extraction("epochs=1"), dev=other)
    said = read_record(tmp_path / "run")["dev"]
    assert said["labels_never_trained"] == ["new"]
    assert said["labels"] == sum(s.relation != "no_relation" for s in dev)
    assert said["relations"] == len({s.relation for s in dev} - {"no_relation", names[0]})


def test_bad_input_is_refused_in_one_line(natural, extraction, tmp_path):
    train, dev = natural
    out = tmp_path / "run"
    unlabelled = [dataclasses.replace(s, relation=None) for s in dev]
    strange = [dataclasses.replace(s, relation="strange") for s in dev]
    none = [dataclasses.replace(s, relation=r) for s, r in zip(train, ["NA", "no_relation"] * 100, strict=True)]
    for given, match, more in [
        (none, "expected statements with a relation, got only NA, no_relation", {}),
        (train, "--dev: expected labelled pairs, got none", {"dev": unlabelled}),
        (train, "--dev: expected labels of the training data, got none of them", {"dev": strange}),
    ]:
        with pytest.raises(BadInput, match=match):
            finetune("cnn", given, out, extraction("epochs=1"), **more)
    with pytest.raises(BadInput, match=r"objective\.text\.weight=1 compares statements with the texts"):
        finetune("cnn", train, out, extraction("objective.text.weight=1"))
    with pytest.warns(TuningWarning, match="dev statements are training statements too"):
        finetune("cnn", train, out, extraction("epochs=1"), dev=[*dev, train[0]])
