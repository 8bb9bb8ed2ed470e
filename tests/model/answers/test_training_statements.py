"""Training statements that a run keeps: the nearest ones are evidence, and damaged files are refused in one line."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import shutil
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from protorel.model import RelationModel, TrainingStatements, average_runs, compress_run, write_training_statements
from protorel.model.answers import training_statements as room
from protorel.statements import BadInput, Statement, read_statements, write_statements

PARQUET, VECTORS = room.STATEMENTS, room.VECTORS
VERBS = {"born_in": "born in", "died_in": "died in", "spouse": "poet in"}


def sentences(count: int = 12) -> list[Statement]:
    found = []
    for number in range(count):
        relation = list(VERBS)[number % 3]
        person, town = ("ada", "bela", "kroll")[number % 3], ("lunsk", "oster")[number % 2]
        text = " ".join([person, VERBS[relation], town, *["tarn"] * (number // 6)])
        head, tail = (0, len(person)), (text.index(town), text.index(town) + len(town))
        found.append(Statement(text, head, tail, relation, id=f"s{number}", document="d"))
    return found


def keeping(model: RelationModel, folder: Path, statements: list[Statement]) -> RelationModel:
    """Return a model that keeps statements, encoded by itself."""
    folder.mkdir()
    kept = write_training_statements(
        folder, statements, [model.encode(statements)], count=len(statements), width=model.encoder.width,
        encoder=model.fingerprint,
    )  # fmt: skip
    return dataclasses.replace(model, training_statements=kept)


@pytest.fixture
def keeper(model, tmp_path) -> RelationModel:
    return keeping(model, tmp_path / "kept", sentences())


@pytest.fixture
def run(keeper, tmp_path) -> Path:
    keeper.save_pretrained(tmp_path / "run", record={"training_statements": {"kept": 12, "of": 40}})
    return tmp_path / "run"


# ---- nearest ----


def by_loop(kept: np.ndarray, asked: np.ndarray, most: int) -> list[list[tuple[int, float]]]:
    """The nearest kept vectors of each question, one cosine after the other."""
    found = []
    for question in asked:
        length = np.linalg.norm(question)
        cosines = [round(float(np.clip(question @ one / length if length else 0.0, -1, 1)), 6) for one in kept]
        ranked = sorted(range(len(kept)), key=lambda row: (-cosines[row], row))
        found.append([(row, cosines[row]) for row in ranked[:most]])
    return found


whole_numbers = st.integers(-3, 3)


@settings(max_examples=60)
@given(
    kept=st.lists(st.lists(whole_numbers, min_size=2, max_size=2), min_size=1, max_size=20),
    asked=st.lists(st.lists(whole_numbers, min_size=2, max_size=2), min_size=1, max_size=9),
    most=st.integers(1, 5),
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 4)),
)
def test_the_nearest_are_those_of_a_plain_loop_whatever_is_read_at_a_time(kept, asked, most, sizes):
    """Vectors of small whole numbers often point in one direction: equal cosines are in the order of the file."""
    text = "ada met bela"
    statements = [Statement(text, (0, 3), (8, 12), "met", id=str(row)) for row in range(len(kept))]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_KEPT_AT_ONCE", sizes[0])
        patch.setattr(room, "_ASKED_AT_ONCE", sizes[1])
        written = write_training_statements(
            Path(folder), statements, [torch.tensor(kept).float()], count=len(kept), width=2, encoder="e"
        )
        stored = load_file(Path(folder) / VECTORS)["vectors"].double().numpy()
        vectors = torch.tensor(asked).float()
        places = np.asarray([*range(len(asked)), 0])
        found = written.nearest(vectors, places, most)
    expected = by_loop(stored, vectors.double().numpy(), most)
    for question, place in enumerate(places):
        near = found.evidence(question)
        similarities = [one.similarity for one in near]
        assert similarities == sorted(similarities, reverse=True)
        assert len({one.id for one in near}) == len(near) == min(most, len(kept))
        # To six digits two roundings of the same number may differ by one.
        assert similarities == pytest.approx([cosine for _, cosine in expected[place]], abs=2e-6)
        every = dict(by_loop(stored, vectors[place : place + 1].double().numpy(), len(kept))[0])
        assert similarities == pytest.approx([every[int(one.id)] for one in near], abs=2e-6)


def test_equal_statements_are_given_in_the_order_of_the_data(tmp_path):
    statements = [Statement("ada met bela", (0, 3), (8, 12), "met", id=str(row)) for row in range(50)]
    kept = write_training_statements(tmp_path, statements, [torch.ones(50, 3)], count=50, width=3, encoder="e")
    found = kept.nearest(torch.ones(1, 3), np.asarray([0]), 4)
    assert [one.id for one in found.evidence(0)] == ["0", "1", "2", "3"]


def test_questions_and_kept_statements_are_never_multiplied_out(tmp_path, monkeypatch):
    count, asked = 10_000, 2_000
    statement = Statement("ada met bela", (0, 3), (8, 12), "met")
    generator = torch.Generator().manual_seed(0)
    blocks = (torch.randn(2_500, 4, generator=generator) for _ in range(4))
    kept = write_training_statements(
        tmp_path, (statement for _ in range(count)), blocks, count=count, width=4, encoder="e"
    )
    at_once, ranks = [], room._ranks
    monkeypatch.setattr(room, "_ranks", lambda cosines, start: at_once.append(cosines.shape) or ranks(cosines, start))
    kept.nearest(torch.randn(asked, 4, generator=generator), np.arange(asked), 3)
    assert sum(rows * columns for rows, columns in at_once) == count * asked
    assert max(rows * columns for rows, columns in at_once) <= 512 * 4_096


# ---- predict ----


def test_the_evidence_of_an_answer_is_prototypes_and_then_the_nearest_statements(keeper):
    asked = sentences(7)
    vectors = F.normalize(keeper.encode(sentences()), dim=-1)
    for statement, answer in zip(asked, keeper.predict(asked), strict=True):
        assert [one.kind for one in answer.evidence] == ["prototype"] * 3 + ["statement"] * 3
        near = answer.evidence[3:]
        cosines = vectors @ F.normalize(keeper.encode([statement])[0], dim=-1)
        assert [one.similarity for one in near] == pytest.approx(cosines.topk(3).values.tolist(), abs=2e-3)
        own = {one.id: one for one in sentences()}
        for one in near:
            kept = own[one.id]
            assert (one.relation, one.text) == (kept.relation, kept.text)
            assert (one.head, one.tail) == (kept.head_text, kept.tail_text)
            assert one.similarity == pytest.approx(float(cosines[int(one.id[1:])]), abs=2e-3)
        assert near[0].similarity > 0.998, "the statement itself was kept"


def test_as_many_are_given_as_are_asked_for(keeper):
    kinds = [[one.kind for one in keeper.predict(sentences(1), nearest=n)[0].evidence] for n in (0, 1, 50)]
    assert kinds == [[], ["prototype", "statement"], ["prototype"] * 3 + ["statement"] * 12]
    for wrong in (-1, 1.5, "3"):
        with pytest.raises(BadInput, match="nearest: expected a whole number of 0 or more, got "):
            keeper.predict(sentences(1), nearest=wrong)


def test_evidence_changes_no_probability(keeper):
    plain = keeper.without_statements().predict(sentences())
    assert [dataclasses.replace(one, evidence=()) for one in keeper.predict(sentences())] == [
        dataclasses.replace(one, evidence=()) for one in plain
    ]
    assert {e.kind for one in plain for e in one.evidence} == {"prototype"}


def test_neither_the_order_nor_the_number_of_questions_changes_evidence(keeper):
    asked = sentences()
    alone = [keeper.predict([one])[0].evidence for one in asked]
    together = [one.evidence for one in keeper.predict(asked[::-1])][::-1]
    for one, other in zip(alone, together, strict=True):
        assert [e.similarity for e in one] == pytest.approx([e.similarity for e in other], abs=1e-5)


# ---- a run folder ----


def test_a_run_folder_has_them_and_the_record_their_hashes(run, keeper):
    loaded = RelationModel.from_pretrained(run)
    assert read_statements(run / PARQUET) == sentences()
    assert len(loaded.training_statements) == 12
    assert {PARQUET, VECTORS} <= loaded.record.files.keys()
    assert (loaded.record.training_statements.kept, loaded.record.training_statements.of) == (12, 40)
    vectors = load_file(run / VECTORS)["vectors"]
    assert vectors.dtype == torch.float16
    cosines = (vectors.float() * F.normalize(loaded.encode(sentences()), dim=-1)).sum(1)
    assert cosines.min() > 0.999
    before, after = (one.predict(sentences(3)) for one in (keeper, loaded))
    assert [one.evidence[3:] for one in before] == [one.evidence[3:] for one in after]


def test_a_copy_is_whole_and_a_run_may_be_saved_where_it_is(run, tmp_path):
    loaded = RelationModel.from_pretrained(run)
    expected = loaded.predict(sentences(2))
    loaded.save_pretrained(tmp_path / "copy")
    loaded.save_pretrained(run)
    assert loaded.predict(sentences(2)) == expected
    shutil.rmtree(run)
    assert RelationModel.from_pretrained(tmp_path / "copy").predict(sentences(2)) == expected
    with pytest.raises(BadInput, match=f"{VECTORS}: expected a file with vectors, got no such file"):
        loaded.predict(sentences(1))
    with pytest.raises((BadInput, RuntimeError), match=f"{PARQUET}: cannot copy this file"):
        loaded.save_pretrained(tmp_path / "again")


def test_a_run_saved_without_them_has_none_in_its_folder_or_record(run):
    RelationModel.from_pretrained(run).without_statements().save_pretrained(run)
    assert not (run / PARQUET).exists()
    assert not (run / VECTORS).exists()
    assert "training_statements" not in json.loads((run / "protorel.json").read_text())
    assert RelationModel.from_pretrained(run).training_statements is None


def test_a_model_that_was_loaded_by_a_relative_path_is_used_from_another_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(run.parent)
    loaded = RelationModel.from_pretrained("run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(loaded.predict(sentences(1))[0].evidence) == 6


def test_other_prototypes_and_probabilities_keep_them(run, tmp_path):
    loaded = RelationModel.from_pretrained(run)
    held_out = [*sentences(), *(dataclasses.replace(s, relation="no_relation", head=s.tail, tail=s.head)
                                for s in sentences())]  # fmt: skip
    changed = loaded.with_relations(["met"], examples=[dataclasses.replace(sentences(1)[0], relation="met")])
    for number, one in enumerate((loaded.calibrated(held_out), changed, changed.without_relations(["born_in"]))):
        one.save_pretrained(tmp_path / f"{number}")
        again = RelationModel.from_pretrained(tmp_path / f"{number}")
        expected = [e for e in loaded.predict(sentences(1))[0].evidence if e.kind == "statement"]
        assert [e for e in again.predict(sentences(1))[0].evidence if e.kind == "statement"] == expected


def test_another_readout_has_other_vectors_so_they_are_left_out(transformer, tmp_path):
    keeping(transformer, tmp_path / "kept", sentences()).save_pretrained(tmp_path / "run")
    own = transformer.encoder.settings["readout"]
    other = "mean" if own != "mean" else "start"
    assert RelationModel.from_pretrained(tmp_path / "run", readout=other).training_statements is None
    assert RelationModel.from_pretrained(tmp_path / "run", readout=own).training_statements is not None


def test_they_are_not_saved_with_an_encoder_that_did_not_make_them(keeper, tmp_path):
    other = deepcopy(keeper.encoder)
    with torch.no_grad():
        next(other.parameters()).add_(1)
    with pytest.raises(BadInput, match=r"got those of another one\. Leave them out with `without_statements`"):
        dataclasses.replace(keeper, encoder=other).save_pretrained(tmp_path / "other")
    assert not (tmp_path / "other").exists()


# ---- what other commands make of them ----


def test_an_average_keeps_none_and_says_so(run, tmp_path, caplog):
    with caplog.at_level(logging.INFO, "protorel"):
        average = average_runs([run, run], tmp_path / "mean")
    assert average.training_statements is None
    assert not (tmp_path / "mean" / PARQUET).exists()
    assert caplog.messages == [
        f"{tmp_path / 'mean'}: keeps no training statements: their vectors were made by the runs' own encoders"
    ]


def test_a_compressed_run_has_no_training_sentence(transformer, tmp_path, tiny_encoder_folder):
    keeping(transformer, tmp_path / "kept", sentences()).save_pretrained(tmp_path / "run")
    compress_run(tmp_path / "run", tmp_path / "small", base=str(tiny_encoder_folder))
    assert not list((tmp_path / "small").glob("training_statements*"))
    assert "training_statements" not in (tmp_path / "small" / "protorel.json").read_text()
    assert RelationModel.from_pretrained(tmp_path / "small").training_statements is None


class FakeApi:
    """What `push_to_hub` asks the hub for."""

    uploaded: set[str]

    def __call__(self, **_):
        return self

    def create_repo(self, *_, **__):
        return SimpleNamespace(repo_id="org/mine")

    def file_exists(self, *_, **__):
        return True

    def upload_folder(self, *, folder_path, **_):
        self.uploaded = {path.name for path in Path(folder_path).iterdir()}
        self.record = json.loads((Path(folder_path) / "protorel.json").read_text())
        return "https://huggingface.co/org/mine/commit/1"


@pytest.mark.parametrize("asked", [False, True])
def test_training_sentences_are_uploaded_only_when_asked_for(run, monkeypatch, caplog, asked):
    api = FakeApi()
    monkeypatch.setattr("protorel.model.hub_model.HfApi", api)
    monkeypatch.setattr("huggingface_hub.hub_mixin.HfApi", api)
    with caplog.at_level(logging.WARNING, "protorel"):
        RelationModel.from_pretrained(run).push_to_hub("mine", **({"training_statements": True} if asked else {}))
    assert ({PARQUET, VECTORS} <= api.uploaded) is asked
    assert ({PARQUET, VECTORS} & api.record["files"].keys() == {PARQUET, VECTORS}) is asked
    assert ("training_statements" in api.record) is asked
    said = "org/mine: the run's 12 training statements are not uploaded. "
    said += "push_to_hub(..., training_statements=True) uploads them"
    assert caplog.messages == ([] if asked else [said])


# ---- damage ----


def sealed(run: Path, name: str) -> None:
    """Write the hash of a changed file into the record: what is wrong must be seen without it."""
    record = json.loads((run / "protorel.json").read_text())
    record["files"][name] = hashlib.sha256((run / name).read_bytes()).hexdigest()
    (run / "protorel.json").write_text(json.dumps(record))


def rewritten(run: Path, vectors: torch.Tensor, **metadata: str) -> None:
    kept = TrainingStatements.open(run)
    said = {"encoder": kept.encoder, "statements": kept.statements} | metadata
    save_file({"vectors": vectors.contiguous()}, run / VECTORS, metadata=said)


def truncated(name):
    def damage(run: Path) -> None:
        whole = (run / name).read_bytes()
        (run / name).write_bytes(whole[: len(whole) - 20])

    return name, damage


def changed(change, **metadata):
    def damage(run: Path) -> None:
        rewritten(run, change(load_file(run / VECTORS)["vectors"]), **metadata)

    return VECTORS, damage


def with_value(value):
    def change(vectors):
        vectors[7, 0] = value
        return vectors

    return change


def fewer_statements(run: Path) -> None:
    write_statements(read_statements(run / PARQUET)[:-1], run / PARQUET)


def other_order(run: Path) -> None:
    write_statements(read_statements(run / PARQUET)[::-1], run / PARQUET)


def other_tensor(run: Path) -> None:
    save_file({"prototypes": torch.ones(12, 3)}, run / VECTORS)


DAMAGE = {
    "truncated vectors": (*truncated(VECTORS), "expected a safetensors file, got an error"),
    "truncated statements": (*truncated(PARQUET), "cannot be read as Parquet"),
    "empty statements": (PARQUET, lambda run: (run / PARQUET).write_bytes(b""), "got an empty file"),
    "another tensor": (VECTORS, other_tensor, "expected one matrix called vectors, got other tensors"),
    "no header": (*changed(lambda v: v, encoder=""), "expected the fingerprint of its encoder in its header, got none"),
    "nan": (*changed(with_value(torch.nan)), "row 7: expected a vector of length 1, got NaN or infinity"),
    "infinite": (*changed(with_value(torch.inf)), "row 7: expected a vector of length 1, got NaN or infinity"),
    "too long": (*changed(with_value(3.0)), "row 7: expected a vector of length 1, got one of length 3."),
    "a vector too few": (*changed(lambda v: v[:-1]), f"expected 11 statements, as many as {VECTORS}, got 12"),
    "a statement too few": (PARQUET, fewer_statements, f"expected 12 statements, as many as {VECTORS}, got 11"),
    "another order": (PARQUET, other_order, f"expected the statements that {VECTORS} was made from, got others"),
    "another width": (*changed(lambda v: v[:, 1:]), "expected the encoder's width"),
    "another type": (*changed(lambda v: v.float()), "expected a matrix of float16, got F32 of shape (12, "),
    "another shape": (*changed(lambda v: v[0]), "expected a matrix of float16, got F16 of shape ("),
    "another encoder": (
        *changed(lambda v: v, encoder="e" * 64), "expected vectors of the run's own encoder, got those of another one",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_one_line_that_names_it_with_its_hash_mended_or_not(run, kind):
    name, damage, said = DAMAGE[kind]
    damage(run)
    with pytest.raises(BadInput, match=rf"{name}: this file of the run is damaged or was changed"):
        RelationModel.from_pretrained(run)
    sealed(run, name)
    with pytest.raises(BadInput) as problem:
        RelationModel.from_pretrained(run)
    assert said in str(problem.value)
    assert str(run / "training_statements") in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("name", [PARQUET, VECTORS])
def test_one_file_without_the_other_is_refused(run, name):
    (run / name).unlink()
    with pytest.raises(BadInput, match=f"{name}: this file of the run is missing"):
        RelationModel.from_pretrained(run)
    record = json.loads((run / "protorel.json").read_text())
    del record["files"][name]
    (run / "protorel.json").write_text(json.dumps(record))
    with pytest.raises(BadInput, match=rf"protorel\.json: files: expected {PARQUET} and {VECTORS}, got only "):
        RelationModel.from_pretrained(run)


def test_vectors_of_another_run_are_refused(run, tmp_path, keeper):
    other = deepcopy(keeper.encoder)
    with torch.no_grad():
        next(other.parameters()).add_(0.01)
    again = keeping(dataclasses.replace(keeper, encoder=other), tmp_path / "other kept", sentences())
    again.save_pretrained(tmp_path / "other")
    for name in (PARQUET, VECTORS):
        shutil.copy(tmp_path / "other" / name, run / name)
        sealed(run, name)
    with pytest.raises(BadInput, match="expected vectors of the run's own encoder"):
        RelationModel.from_pretrained(run)


def test_files_that_change_after_the_model_was_loaded_are_noticed(run, tmp_path):
    loaded = RelationModel.from_pretrained(run)
    rewritten(run, load_file(run / VECTORS)["vectors"][:-1])
    with pytest.raises(BadInput, match=f"{VECTORS}: was changed since the model was loaded"):
        loaded.predict(sentences(1))
    loaded = RelationModel.from_pretrained(_mended(run))
    other_order(run)
    with pytest.raises(BadInput, match=f"{PARQUET}: was changed since the model was loaded"):
        loaded.save_pretrained(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def _mended(run: Path) -> Path:
    vectors = load_file(run / VECTORS)["vectors"]
    rewritten_whole = torch.cat([vectors, vectors[-1:]])
    kept = read_statements(run / PARQUET)
    assert len(kept) == 12
    said = {"encoder": RelationModel.from_pretrained(_bare(run)).fingerprint,
            "statements": hashlib.sha256((run / PARQUET).read_bytes()).hexdigest()}  # fmt: skip
    save_file({"vectors": rewritten_whole}, run / VECTORS, metadata=said)
    sealed(run, VECTORS)
    return run


def _bare(run: Path) -> Path:
    """Return a copy of a run that keeps nothing."""
    bare = run.with_name("bare")
    shutil.copytree(run, bare)
    record = json.loads((bare / "protorel.json").read_text())
    for name in (PARQUET, VECTORS):
        del record["files"][name]
    (bare / "protorel.json").write_text(json.dumps(record))
    return bare


def test_a_label_that_is_gone_from_the_file_is_one_line(run):
    statements = read_statements(run / PARQUET)
    loaded = RelationModel.from_pretrained(run)
    write_statements([dataclasses.replace(one, relation=None) for one in statements], run / PARQUET)
    with pytest.raises(BadInput, match=f"{PARQUET}: row 0: relation: expected a label, got none"):
        loaded.predict(statements[:1])


def test_an_id_that_no_file_can_hold_is_escaped(cnn, tmp_path):
    strange = [dataclasses.replace(sentences(1)[0], id="\ud800", document=7, head_id="Q1")]
    kept = keeping(cnn, tmp_path / "kept", strange).training_statements
    [one] = read_statements(kept.folder / PARQUET)
    assert (one.id, one.document, one.head_id, one.tail_id) == ("\\ud800", "7", "Q1", None)


def test_a_source_that_ends_early_is_noticed(tmp_path):
    with pytest.raises(BadInput, match="expected 3 statements to keep, got 2; did a file change in the meantime"):
        write_training_statements(tmp_path, sentences(2), [torch.ones(3, 4)], count=3, width=4, encoder="e")
