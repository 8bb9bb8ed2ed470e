"""Labels that mean no relation: `pretrain` gives them no prototype and pushes their statements from all others."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from protorel.model import read_record
from protorel.statements import BadInput, load_equivalents, select
from protorel.training import finetune, pretrain, read_journal
from protorel.training.pretraining import Pretraining


@pytest.fixture(scope="module")
def mixed(statements):
    """Return statements of which some have the label NA and some no_relation, one of them in two ways."""
    names = sorted({s.relation for s in statements})
    none = dict.fromkeys(names[:3], "NA") | dict.fromkeys(names[3:5], "no_relation")
    found = [dataclasses.replace(s, relation=none.get(s.relation, s.relation)) for s in statements]
    related = next(s for s in found if s.relation not in none.values())
    return [*found, dataclasses.replace(related, relation="NA", id="also")]


@pytest.fixture
def parts(mixed, recipe, tmp_path):
    def make(*overrides: str, given=mixed, **more) -> Pretraining:
        return Pretraining(recipe(*overrides), select(lambda: given), tmp_path / "run", **more)

    return make


def unrelated(statements) -> set[bytes]:
    related = {s.key for s in statements if s.relation not in ("NA", "no_relation")}
    return {s.key for s in statements} - related


def test_they_get_no_prototype_and_are_counted(mixed, recipe, tmp_path):
    model = pretrain(mixed, tmp_path / "run", recipe("steps=3"))
    assert not {"NA", "no_relation"} & set(model.relations.ids)
    record = read_record(tmp_path / "run")
    assert record["data"]["relations"] == len(model.relations) == 17
    assert record["data"]["without_relation"] == len(unrelated(mixed))
    assert record["data"]["statements"] == len(mixed)


def test_each_batch_holds_some_of_them_behind_the_statements_of_relations(parts, mixed):
    step = parts("unrelated_per_batch=5").step
    keys = {step.rows.groups[row] for row in step.unrelated.rows}
    assert len(keys) == len(step.unrelated.rows) == len(unrelated(mixed))
    chosen = step.sampler.rows(3)
    assert (step.rows.relations[chosen] >= 0).all()
    rows = step.unrelated.batch(3)
    assert len(rows) == 5
    assert {mixed[step.rows.origins[row]].relation for row in step.unrelated.rows} == {"NA", "no_relation"}
    assert len(step._batch(chosen, 3, rows)) == len(chosen) + 5
    assert step.rows.labels(rows).sum() == 0


def test_a_statement_with_a_relation_too_is_never_pushed(parts, mixed):
    step = parts().step
    [also] = [row for row in range(len(step.rows)) if mixed[step.rows.origins[row]].id == "also"]
    assert also not in step.unrelated.rows
    assert step.rows.labels([also]).sum() == 1


def test_the_loss_is_that_of_the_objective_with_their_vectors(parts):
    made = parts("objective.mlm.weight=0", "dropout=0", "blank_rate=0")
    step = made.step
    loss = step(2).loss
    chosen, rows = step.sampler.rows(2), step.unrelated.batch(2)
    vectors = made.encoder(step.rows.rows.batch([*chosen, *rows]))
    relations = torch.from_numpy(step.rows.relations[chosen].astype(np.int64))
    labels = step.rows.labels(chosen)
    count = len(chosen)
    expected = made.objective(vectors[:count], relations, labels, unrelated=vectors[count:]).total
    torch.testing.assert_close(loss, expected, atol=1e-4, rtol=1e-4)
    without = made.objective(vectors[:count], relations, labels).total
    assert not torch.isclose(loss, without, atol=1e-3)


def test_training_moves_them_away_from_all_prototypes(mixed, recipe, tmp_path):
    few = ["objective.s2s.weight=0", "objective.cls.weight=0", "objective.mlm.weight=0", "objective.s2z_prime.weight=1"]
    wanted = recipe("steps=60", "learning_rate=0.002", "unrelated_per_batch=8", *few)
    model = pretrain(mixed, tmp_path / "run", wanted)
    keys = unrelated(mixed)
    cosines = model.prototypes.similarity(model.encode(mixed)).max(1).values
    pushed = torch.tensor([s.key in keys for s in mixed])
    assert cosines[pushed].mean() < cosines[~pushed].mean()


def test_as_one_more_relation_they_are_learned_as_before(mixed, recipe, parts):
    made = parts("no_relation=relation")
    assert {"NA", "no_relation"} <= set(made.rows.names)
    assert made.step.unrelated is None


def test_an_objective_that_only_classifies_leaves_them_out(mixed, recipe, tmp_path):
    model = pretrain(mixed, tmp_path / "run", recipe("steps=2", base="bert_ce"))
    assert len(model.relations) == 17


def test_without_them_the_rows_are_the_same(parts, statements):
    made = parts(given=list(statements))
    assert made.step.unrelated is None
    assert made.rows.without_labels(["NA"]) is made.rows
    assert "without_relation" not in made.finish().record.as_written()["data"]


def test_a_user_s_table_names_further_labels(statements, parts, tmp_path):
    name = statements[0].relation
    (tmp_path / "mine.yaml").write_text(f"no_relation: [{name}]")
    made = parts(given=list(statements), equivalents=load_equivalents(tmp_path / "mine.yaml"))
    assert name not in made.rows.names
    assert len(made.step.unrelated.rows)


def test_a_stopped_run_ends_with_the_same_weights(mixed, recipe, tmp_path):
    wanted = recipe("steps=7", "checkpoint_every=2")
    whole = pretrain(mixed, tmp_path / "whole", wanted)

    class Stop(Exception):
        pass

    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 5:
            raise Stop

    with pytest.raises(Stop):
        pretrain(mixed, tmp_path / "stopped", wanted, watch=stop)
    again = pretrain(mixed, tmp_path / "stopped", wanted, resume=True)
    assert torch.equal(whole.prototypes.vectors, again.prototypes.vectors)
    losses = [[line["loss"] for line in read_journal(tmp_path / name)] for name in ("whole", "stopped")]
    assert losses[0] == losses[1]


def test_data_without_any_relation_are_refused(mixed, recipe, tmp_path):
    none = [s for s in mixed if s.relation in ("NA", "no_relation")]
    with pytest.raises(BadInput, match="expected statements with a relation, got only NA, no_relation"):
        pretrain(none, tmp_path / "run", recipe("steps=1"))


def test_a_lone_statement_without_a_relation_is_no_lone_relation(statements, recipe, tmp_path):
    lone = [*statements, dataclasses.replace(statements[0], relation="NA", text=statements[0].text + " Indeed.")]
    pretrain(lone, tmp_path / "run", recipe("steps=1"))


def test_matching_the_blanks_reads_them_all(mixed, recipe, tmp_path):
    made = [dataclasses.replace(s, head_id=None, tail_id=None) for s in mixed]
    twice = [*made, *(dataclasses.replace(s, text=s.text + " So it is.", id=s.id + "+") for s in made)]
    wanted = recipe("steps=2", "relations_per_batch=16", "swap_rate=0.5", base="mtb")
    made = Pretraining(wanted, select(lambda: twice), tmp_path / "parts")
    drawn = [row for step in range(4) for row in made.step.sampler.rows(step)]
    assert -1 in made.rows.relations[drawn]
    model = pretrain(twice, tmp_path / "run", wanted)
    assert "NA" not in model.relations


def test_an_episode_has_no_class_for_them(mixed, tuning, tmp_path):
    recipe = tuning("steps=1", "episodes=[[17,1]]", base="fewrel")
    model = finetune("cnn", mixed, tmp_path / "run", recipe)
    assert len(model.relations) == 17


def test_a_classifier_learns_them_as_a_class(mixed, tuning, tmp_path):
    model = finetune("cnn", mixed, tmp_path / "run", tuning("epochs=1"))
    assert "no_relation" in model.classifier.labels
