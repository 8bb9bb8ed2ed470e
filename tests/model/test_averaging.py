from __future__ import annotations

import dataclasses
import json
from copy import deepcopy
from itertools import permutations

import pytest
import torch

from protorel.evaluation.leakage_report import relations_seen, run_leakage
from protorel.geometry import Prototypes
from protorel.model import ModelSource, RelationModel, average_models, average_runs, read_record
from protorel.model.classifier import Classifier
from protorel.model.run_record import RECORD
from protorel.statements import BadInput, DataSet, RelationVocabulary, WorkFailed, fingerprint, write_statements
from protorel.statements.equivalents import load_equivalents


def prototypes_of(*relations: str, width: int, seed: int = 0) -> Prototypes:
    generator = torch.Generator().manual_seed(seed)
    return Prototypes.of(RelationVocabulary(relations), torch.randn(len(relations), width, generator=generator))


@pytest.fixture
def start(tiny_encoder, tiny_tokenizer) -> RelationModel:
    prototypes = prototypes_of("born_in", "died_in", width=tiny_encoder.width)
    return RelationModel(tiny_encoder, tiny_tokenizer, prototypes, max_length=32, name="start")


def trained(start: RelationModel, seed: int, *relations: str, by: float = 0.05) -> RelationModel:
    """A model near `start`, as if it had been trained from there."""
    encoder = deepcopy(start.encoder)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in encoder.parameters():
            weight += by * weight.norm() / weight.numel() ** 0.5 * torch.randn(weight.shape, generator=generator)
    prototypes = prototypes_of(*(relations or start.relations.ids), width=encoder.width, seed=seed)
    return dataclasses.replace(start, encoder=encoder, prototypes=prototypes, name=f"run{seed}")


def test_every_weight_is_the_mean_of_the_runs_and_the_runs_stay_as_they_were(start):
    models = [trained(start, seed) for seed in range(3)]
    before = [deepcopy(model.encoder.state_dict()) for model in models]
    blended = average_models(models).encoder.state_dict()
    for name, value in blended.items():
        total = torch.zeros_like(value)
        for model in models:
            total = total + model.encoder.state_dict()[name]
        torch.testing.assert_close(value, total / 3)
    for model, weights in zip(models, before, strict=True):
        assert all(torch.equal(weights[name], value) for name, value in model.encoder.state_dict().items())


def test_a_run_blended_with_itself_gives_the_same_vectors(start, some_statements):
    blended = average_models([start, start])
    assert torch.equal(blended.encode(some_statements), start.encode(some_statements))
    torch.testing.assert_close(blended.prototypes.vectors, start.prototypes.vectors)


def test_a_blend_reads_relations_by_the_phrase_that_all_its_runs_learned_with(start):
    other, third = (
        dataclasses.replace(start, phrase=phrase) for phrase in ("{head} {name} {tail}", "{tail} {name} {head}")
    )
    assert average_models([other, other]).phrase == other.phrase
    assert average_models([other, third]).phrase is average_models([start, other]).phrase is None


@pytest.mark.parametrize("told", [5, ["{head}"], "{head} and {tail}"])
def test_a_phrase_that_was_changed_by_hand_is_named_in_one_line(told, start, tmp_path):
    start.save_pretrained(tmp_path / "run")
    record = json.loads((tmp_path / "run" / RECORD).read_text())
    (tmp_path / "run" / RECORD).write_text(json.dumps({**record, "phrase": told}))
    with pytest.raises(BadInput, match=r"protorel\.json: phrase: .*expected .*, got"):
        RelationModel.from_pretrained(tmp_path / "run")


def test_the_order_of_the_runs_does_not_matter(start, some_statements):
    models = [trained(start, seed) for seed in range(3)]
    first, *others = (average_models(order).encode(some_statements) for order in permutations(models))
    for other in others:
        torch.testing.assert_close(other, first, atol=1e-5, rtol=1e-4)


def test_prototypes_are_mean_directions_of_the_relations_that_all_know(start):
    one, other = trained(start, 1, "born_in", "died_in", "spouse"), trained(start, 2, "spouse", "leads", "born_in")
    found = average_models([one, other]).prototypes
    assert found.relations.ids == ("born_in", "spouse")
    for relation, vector in zip(found.relations, found.vectors, strict=True):
        both = [m.prototypes.vectors[m.relations.index(relation.id)] for m in (one, other)]
        middle = both[0] + both[1]
        torch.testing.assert_close(vector, middle / middle.norm())
    assert found.radius.isnan().all()
    assert found.threshold.isnan().all()


def test_runs_with_no_relation_in_common_have_no_prototype(start):
    blended = average_models([trained(start, 1, "spouse"), trained(start, 2, "leads")])
    assert blended.prototypes.vectors.shape == (0, start.encoder.width)


def test_what_cannot_be_blended_is_refused_in_one_line(start):
    other = trained(start, 1)
    head = Classifier(RelationVocabulary(["a", "b"]), start.encoder.width)
    cases = {
        "expected two or more runs, got 1": [start],
        "run1: max_length: expected 32 as in start, got 16": [start, dataclasses.replace(other, max_length=16)],
        "run1: expected a run without a classifier or few-shot method": [
            start,
            dataclasses.replace(other, classifier=head),
        ],
        "average only runs that started from one trained encoder": [start, trained(start, 2, by=2.0)],
    }
    for said, models in cases.items():
        with pytest.raises(BadInput) as refused:
            average_models(models)
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)


def test_weights_that_are_no_numbers_are_refused(start):
    broken = trained(start, 1)
    with torch.no_grad():
        next(broken.encoder.parameters())[0] = torch.nan
    with pytest.raises(BadInput, match="of its norm from that of start, got nan"):
        average_models([start, broken])


def test_another_readout_or_shape_is_refused(start):
    other = trained(start, 1)
    other.encoder.readout = type(other.encoder.readout)("mention", 2, other.encoder.readout.read)
    with pytest.raises(BadInput, match=r"run1: encoder: expected .*start.* as in start, got .*mention"):
        average_models([start, other])
    longer = trained(start, 2)
    longer.encoder.register_buffer("more", torch.zeros(3))
    with pytest.raises(BadInput, match=r"run2: more: expected the shape None as in start, got \(3,\)"):
        average_models([start, longer])


def kept(name: str, mark: str) -> dict[str, object]:
    return {"name": name, "fingerprint": mark, "may_share": [], "train_statements": 9}


def saved(model: RelationModel, folder, apart: list[dict[str, object]], before: dict[str, object] | None = None):
    model.save_pretrained(folder, record={"leakage": {"apart_from": apart, "started_from": before}})
    return folder


def test_a_blend_was_kept_apart_only_from_what_all_its_runs_were_and_saw_what_any_saw(start, tmp_path, some_statements):
    test = tmp_path / "test.parquet"
    write_statements(some_statements, test)
    data = DataSet.at(test)
    mark = fingerprint(data.source())
    before = {"name": "older", "apart_from": [mark], "relations": ["leads"]}
    one = saved(trained(start, 1, "born_in", "spouse"), tmp_path / "one", [kept("test", mark), kept("x", "x")], before)
    other = saved(trained(start, 2, "born_in", "died_in"), tmp_path / "other", [kept("test", mark), kept("y", "y")])
    model = average_runs([one, other], tmp_path / "blend")
    record = read_record(tmp_path / "blend")
    assert [entry["name"] for entry in record["leakage"]["apart_from"]] == ["test"]
    assert [part["run"] for part in record["blend"]] == ["one", "other"]
    assert relations_seen(ModelSource.find(tmp_path / "blend")) == {"born_in", "spouse", "died_in", "leads"}
    found = run_leakage(model, data, ["leads", "born_in"], equivalents=load_equivalents(None))
    assert found.decontaminated
    assert set(found.known) == {"leads", "born_in"}
    third = saved(trained(start, 3), tmp_path / "third", [])
    model = average_runs([one, other, third], tmp_path / "all")
    found = run_leakage(model, data, ["x"], equivalents=load_equivalents(None))
    assert not found.decontaminated


def test_a_run_that_began_with_one_that_saw_the_test_set_does_not_count_as_kept_apart(start, tmp_path):
    before = {"name": "older", "apart_from": [], "relations": []}
    one = saved(trained(start, 1), tmp_path / "one", [kept("test", "t")], before)
    other = saved(trained(start, 2), tmp_path / "other", [kept("test", "t")])
    average_runs([one, other], tmp_path / "blend")
    assert read_record(tmp_path / "blend")["leakage"]["apart_from"] == []


def test_a_blend_can_be_loaded_and_blended_again(start, tmp_path, some_statements):
    runs = [saved(trained(start, seed), tmp_path / f"run{seed}", []) for seed in (1, 2)]
    made = average_runs(runs, tmp_path / "blend")
    assert torch.equal(
        RelationModel.from_pretrained(tmp_path / "blend").encode(some_statements), made.encode(some_statements)
    )
    again = average_runs([tmp_path / "blend", tmp_path / "blend"], tmp_path / "again")
    assert torch.equal(again.encode(some_statements), made.encode(some_statements))


def test_a_folder_that_exists_or_is_no_run_is_named_and_left_alone(start, tmp_path):
    runs = [saved(trained(start, seed), tmp_path / f"run{seed}", []) for seed in (1, 2)]
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match="there: exists already"):
        average_runs(runs, tmp_path / "there")
    with pytest.raises(BadInput, match="nowhere: expected a run folder; no such folder"):
        average_runs([runs[0], tmp_path / "nowhere"], tmp_path / "blend")
    (runs[1] / RECORD).unlink()
    (runs[1] / "state").mkdir()
    with pytest.raises(BadInput, match="has not finished"):
        average_runs(runs, tmp_path / "blend")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run1", "run2", "there"]


@pytest.mark.parametrize("leakage", ["yes", {"apart_from": ["x"]}, {"started_from": {"name": "older"}}])
def test_a_record_that_was_changed_by_hand_is_named_in_one_line(leakage, start, tmp_path, some_statements):
    good = saved(trained(start, 1), tmp_path / "good", [])
    trained(start, 2).save_pretrained(tmp_path / "bad", record={"leakage": leakage})
    with pytest.raises(
        BadInput, match=r"bad/protorel\.json: leakage.*expected an object, got|lacks leakage\.started_from\.apart_from"
    ):
        average_runs([good, tmp_path / "bad"], tmp_path / "blend")
    write_statements(some_statements, tmp_path / "test.parquet")
    data, bad = DataSet.at(tmp_path / "test.parquet"), str(tmp_path / "bad")
    with pytest.raises(BadInput, match=r"bad/protorel\.json: .*leakage"):
        run_leakage(RelationModel.from_pretrained(bad), data, ["leads"], equivalents=load_equivalents(None))
    assert not (tmp_path / "blend").exists()


def test_a_blend_that_cannot_be_written_names_the_folder_that_was_asked_for(start, tmp_path, monkeypatch):
    runs = [saved(trained(start, seed), tmp_path / f"run{seed}", []) for seed in (1, 2)]

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("protorel.model.relation_model.save_run", full)
    with pytest.raises(WorkFailed, match=r"/blend: cannot write here \(No space left on device"):
        average_runs(runs, tmp_path / "blend")


def test_a_blend_that_is_stopped_while_it_is_written_leaves_nothing(start, tmp_path, monkeypatch):
    runs = [saved(trained(start, seed), tmp_path / f"run{seed}", []) for seed in (1, 2)]

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Prototypes, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        average_runs(runs, tmp_path / "blend")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run1", "run2"]
