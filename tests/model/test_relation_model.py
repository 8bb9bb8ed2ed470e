from __future__ import annotations

import dataclasses
import json
import shutil

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from protorel.batches import text_rows, tokenise_all
from protorel.geometry import Prototypes
from protorel.model import RelationModel, is_run, read_record, untrained
from protorel.statements import BadInput, RelationVocabulary, Span, Statement

RELATIONS = RelationVocabulary(["born_in", "died_in", "spouse"])


@pytest.fixture
def run(transformer, tmp_path):
    transformer.save_pretrained(tmp_path / "run", record={"recipe": {"name": "tiny"}})
    return tmp_path / "run"


def test_vectors_come_in_the_order_of_the_statements_whatever_the_batches(model, some_statements):
    one_by_one = torch.cat([model.encode([statement]) for statement in some_statements])
    for batch_size in (1, 2, 4, 32):
        together = model.encode(some_statements, batch_size=batch_size)
        torch.testing.assert_close(together, one_by_one, atol=1e-5, rtol=1e-4)
    assert one_by_one.unique(dim=0).shape == one_by_one.shape
    backwards = model.encode(some_statements[::-1])
    torch.testing.assert_close(backwards.flip(0), one_by_one, atol=1e-5, rtol=1e-4)


def test_some_rows_can_be_encoded_by_their_indices(transformer, some_statements):
    rows = tokenise_all(some_statements, transformer.tokenizer, max_length=32)
    expected = transformer.encode_rows(rows)
    found = transformer.encode_rows(rows, indices=[5, 0, 3], batch_size=2)
    torch.testing.assert_close(found, expected[[5, 0, 3]], atol=1e-5, rtol=1e-4)
    assert transformer.encode_rows(rows, indices=[]).shape == (0, transformer.encoder.width)


def test_no_statements_give_no_vectors(model):
    assert model.encode([]).shape == (0, model.encoder.width)


def test_dropout_is_off_while_encoding_and_back_on_afterwards(model, some_statements):
    model.encoder.train()
    first, second = (model.encode(some_statements) for _ in range(2))
    assert torch.equal(first, second)
    assert model.encoder.training
    model.encoder.eval()
    model.encode(some_statements)
    assert not model.encoder.training


def test_a_classifier_can_be_trained_on_encoded_vectors(model, some_statements):
    vectors = model.encode(some_statements)
    assert not vectors.requires_grad
    layer = torch.nn.Linear(model.encoder.width, 2)
    layer(vectors).sum().backward()
    assert layer.weight.grad.isfinite().all()


def test_a_statement_that_cannot_be_encoded_is_named(model, some_statements):
    long = Statement("ada " * 40 + "lunsk", Span(0, 159), Span(160, 165), id="the long one")
    with pytest.raises(BadInput, match="the long one"):
        model.encode([*some_statements, long])


def test_a_saved_model_loads_with_equal_vectors(model, some_statements, tmp_path):
    model.save_pretrained(tmp_path / "run", record={"results": {"accuracy": 0.5}})
    loaded = RelationModel.from_pretrained(tmp_path / "run")
    assert torch.equal(loaded.encode(some_statements), model.encode(some_statements))
    assert torch.equal(loaded.prototypes.vectors, model.prototypes.vectors)
    assert loaded.relations == RELATIONS
    assert (loaded.max_length, loaded.name) == (32, "run")
    assert loaded.encoder.settings == model.encoder.settings
    assert loaded.tokenizer.fingerprint == model.tokenizer.fingerprint


def test_the_fingerprint_tells_apart_what_gives_other_vectors(transformer, cnn, tmp_path):
    cnn.save_pretrained(tmp_path)
    assert RelationModel.from_pretrained(tmp_path).fingerprint == cnn.fingerprint
    prints = {transformer.fingerprint, cnn.fingerprint, dataclasses.replace(cnn, max_length=31).fingerprint}
    with torch.no_grad():
        cnn.encoder.word.weight[3, 0] += 1
    assert len({*prints, cnn.fingerprint}) == 4


def test_a_second_save_replaces_the_first(model, some_statements, tmp_path):
    model.save_pretrained(tmp_path)
    renamed = dataclasses.replace(model, prototypes=Prototypes.none(model.encoder.width), max_length=20)
    renamed.save_pretrained(tmp_path)
    loaded = RelationModel.from_pretrained(tmp_path)
    assert len(loaded.relations) == 0
    assert loaded.max_length == 20


def test_nothing_in_a_run_is_pickled_and_no_half_made_file_stays(model, tmp_path):
    model.save_pretrained(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_hugging_face_tools_open_a_transformer_run(run, transformer):
    backbone = AutoModel.from_pretrained(run).eval()
    tokenizer = AutoTokenizer.from_pretrained(run)
    found = tokenizer("[unused1] Ada [unused2] was born in [unused3] Lunsk [unused4]", return_tensors="pt")
    layout = transformer.tokenizer.layout
    assert {*layout.head_markers, *layout.tail_markers} <= set(found["input_ids"][0].tolist())
    with torch.no_grad():
        expected = transformer.encoder.backbone(**found).last_hidden_state
        torch.testing.assert_close(backbone(**found).last_hidden_state, expected)


def test_the_record_holds_what_it_was_given_and_the_hash_of_every_file(run):
    record = read_record(run)
    assert record["recipe"] == {"name": "tiny"}
    assert record["encoder"] == {"kind": "transformer", "readout": "start"}
    assert {"torch", "transformers", "protorel"} <= record["versions"].keys()
    assert set(record["files"]) == {path.name for path in run.iterdir()} - {"protorel.json"}


def test_a_run_can_be_read_in_another_way(run, some_statements):
    assert RelationModel.from_pretrained(run).encoder.width == 64
    assert RelationModel.from_pretrained(run, readout="cls").encoder.width == 32


@pytest.mark.parametrize(
    "file", ["model.safetensors", "tokenizer.json", "config.json", "prototypes.safetensors", "relations.json"]
)
def test_a_missing_or_changed_file_is_named(run, file):
    path = run / file
    contents = path.read_bytes()
    path.write_bytes(contents[:-1])
    with pytest.raises(BadInput, match=f"{file}: .*changed"):
        RelationModel.from_pretrained(run)
    path.unlink()
    with pytest.raises(BadInput, match=f"{file}: .*missing"):
        RelationModel.from_pretrained(run)


@pytest.mark.parametrize("text", ["", "{", '"text"', "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_a_record_that_cannot_be_read_is_named(run, text):
    (run / "protorel.json").write_text(text)
    with pytest.raises(BadInput, match=r"protorel\.json"):
        RelationModel.from_pretrained(run)


def test_an_unfinished_run_says_how_to_go_on(tmp_path):
    (tmp_path / "state").mkdir()
    assert is_run(tmp_path)
    with pytest.raises(BadInput, match=r"has not finished; repeat the command .*--resume"):
        RelationModel.from_pretrained(tmp_path)


def test_a_folder_with_an_encoder_is_a_model_that_knows_no_relation(tiny_encoder_folder, some_statements):
    model = RelationModel.from_pretrained(tiny_encoder_folder)
    assert len(model.relations) == 0
    assert model.encoder.settings["readout"] == "mean"
    assert model.max_length == 96, "no longer than the encoder's positions reach"
    assert model.encode(some_statements).shape == (6, 32)
    assert RelationModel.from_pretrained(tiny_encoder_folder, readout="start").encoder.width == 64


def test_an_untrained_model_can_be_saved_as_a_run(tiny_encoder_folder, some_statements, tmp_path):
    model = untrained(str(tiny_encoder_folder), readout="mention")
    model.save_pretrained(tmp_path)
    assert torch.equal(RelationModel.from_pretrained(tmp_path).encode(some_statements), model.encode(some_statements))


def test_an_encoder_without_its_tokenizer_is_named(tiny_encoder_folder, tmp_path):
    folder = tmp_path / "bare"
    shutil.copytree(tiny_encoder_folder, folder)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(BadInput, match=str(folder)):
        RelationModel.from_pretrained(folder)


def test_a_hub_id_that_cannot_be_reached_is_named_in_one_line(monkeypatch):
    def unreachable(*_, **__):
        raise OSError("We couldn't connect.\nCheck your internet connection.")

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", unreachable)
    with pytest.raises(BadInput, match=r"^nobody/nothing: .*the hub is not reachable \(OSError\)$"):
        RelationModel.from_pretrained("nobody/nothing")


def test_a_record_with_a_strange_encoder_is_refused(run):
    record = json.loads((run / "protorel.json").read_text())
    (run / "protorel.json").write_text(json.dumps({**record, "encoder": {"kind": "cnn", "channels": 3}}))
    with pytest.raises(BadInput, match=str(run)):
        RelationModel.from_pretrained(run)


def test_a_place_that_cannot_be_written_is_named(cnn, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput, match="cannot make this folder"):
        cnn.save_pretrained(tmp_path / "file" / "run")


def test_only_an_encoder_that_is_not_a_run_has_its_markers_set_to_brackets(
    make_tiny_encoder, some_statements, tmp_path
):
    texts = [statement.text for statement in some_statements]
    folder = make_tiny_encoder([*texts, "( ) [ ]"], tmp_path / "encoder", words=160)
    as_brackets, unused = (
        untrained(str(folder), readout="start", marker_start=start).encode(some_statements)
        for start in ("brackets", "unused")
    )
    assert not torch.allclose(as_brackets, unused)
    untrained(str(folder), readout="start", marker_start="unused").save_pretrained(tmp_path / "run")
    assert torch.equal(RelationModel.from_pretrained(tmp_path / "run").encode(some_statements), unused)


def encode_texts(model, texts, *, batch_size=32):
    return model.encode_rows(text_rows(texts, model.tokenizer, max_length=32), batch_size=batch_size, texts=True)


def test_a_text_has_one_vector_whatever_stands_beside_it(model):
    texts = ["born in", "ada kroll was born in lunsk", "died"]
    together = encode_texts(model, texts, batch_size=2)
    assert together.shape == (3, model.encoder.width)
    for text, vector in zip(texts, together, strict=True):
        torch.testing.assert_close(encode_texts(model, [text])[0], vector, atol=1e-5, rtol=1e-5)


def test_wordings_of_a_relation_count_alike_whatever_their_lengths(model):
    wordings = [("born in",), ("died", "died: ada kroll died in lunsk")]
    expected = []
    for wording in wordings:
        units = [vector / vector.norm() for vector in encode_texts(model, wording)]
        summed = sum(units[1:], start=units[0])
        expected.append(summed / summed.norm())
    torch.testing.assert_close(model.encode_wordings(wordings), torch.stack(expected), atol=1e-5, rtol=1e-5)


def test_a_text_is_read_by_its_first_state_and_the_mean_of_all(transformer):
    rows = text_rows(["ada was born in lunsk"], transformer.tokenizer, max_length=32)
    states = transformer.encoder.eval().states(rows.batch([0]))[0].detach()
    expected = torch.cat([states[0], states.mean(0)])
    torch.testing.assert_close(transformer.encode_rows(rows, texts=True)[0], expected)


def test_a_model_is_shown_in_one_line_and_in_a_notebook_as_text(cnn):
    named = dataclasses.replace(cnn, name='<b>mine</b> & "yours"')
    assert repr(named) == "RelationModel('<b>mine</b> & \"yours\"', encoder='cnn', relations=3, width=8)"
    shown = named._repr_html_()
    assert "&lt;b&gt;mine&lt;/b&gt; &amp; &quot;yours&quot;" in shown
    assert "<b>" not in shown


def test_the_length_of_a_model_is_its_number_of_relations_and_none_is_still_a_model(cnn):
    bare = dataclasses.replace(cnn, prototypes=Prototypes.none(8))
    assert (len(cnn), len(bare)) == (3, 0)
    assert bare


def test_a_model_cannot_be_changed(model):
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        model._hub_mixin_config = {}


def test_the_old_names_work_and_say_the_new_ones(cnn, tmp_path):
    with pytest.warns(FutureWarning, match=r"RelationModel\.save is now RelationModel\.save_pretrained"):
        cnn.save(tmp_path, record={"recipe": {"name": "tiny"}})
    with pytest.warns(FutureWarning, match=r"RelationModel\.load is now RelationModel\.from_pretrained"):
        loaded = RelationModel.load(tmp_path, readout=None)
    assert loaded.fingerprint == cnn.fingerprint
    assert loaded.record.recipe.name == "tiny"


def test_a_model_that_is_loaded_and_saved_keeps_its_record(cnn, tmp_path):
    leakage = {"apart_from": [{"name": "test", "fingerprint": "f" * 64}], "removed": 3}
    cnn.save_pretrained(tmp_path / "one", record={"recipe": {"name": "tiny"}, "leakage": leakage, "colour": "red"})
    RelationModel.from_pretrained(tmp_path / "one").save_pretrained(tmp_path / "two")
    one, two = (read_record(tmp_path / name) for name in ("one", "two"))
    assert {**two, "files": None} == {**one, "files": None}
    assert two["files"].keys() == one["files"].keys()
    assert RelationModel.from_pretrained(tmp_path / "two").lineage.apart_from == {"f" * 64}


class OnAnotherDevice(torch.nn.Module):
    """An encoder that seems to be on another device, and checks that batches are moved there."""

    width, settings = 8, {"kind": "other"}

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1, device="meta"))

    def states(self, batch):
        assert {getattr(batch, name).device.type for name in ("tokens", "present", "head", "tail")} == {"meta"}
        return torch.ones(len(batch), 3, 8)

    def read(self, states, _):
        return states[:, 0]


def test_encode_moves_batches_to_the_device_of_the_encoder(cnn, some_statements):
    assert cnn.device == torch.device("cpu")
    elsewhere = dataclasses.replace(cnn, encoder=OnAnotherDevice())
    assert elsewhere.device.type == "meta"
    assert elsewhere.encode(some_statements).device.type == "cpu"


def test_a_model_can_be_loaded_on_a_device_and_moved_to_another(cnn, tmp_path):
    cnn.save_pretrained(tmp_path)
    loaded = RelationModel.from_pretrained(tmp_path, device="cpu")
    assert loaded.device.type == "cpu"
    assert loaded.to("meta") is loaded
    assert loaded.device.type == "meta"


@pytest.mark.parametrize("device", ["nosuch", "cpu:x", 3.5, "hpu"])
def test_a_device_that_torch_cannot_use_is_refused_in_one_line(cnn, device):
    with pytest.raises(BadInput, match=r"^device: expected one that torch can use here, got ") as refused:
        cnn.to(device)
    assert "\n" not in str(refused.value)
