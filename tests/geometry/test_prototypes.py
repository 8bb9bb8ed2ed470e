from __future__ import annotations

import json
import math

import pytest
import torch

from protorel.geometry import Prototypes, cosine, mean_prototypes, random_prototypes
from protorel.statements import BadInput, Relation, RelationVocabulary

RELATIONS = RelationVocabulary(
    [Relation("P19", "place of birth", "geboren in – „Lunsk“"), Relation("P20", "place of death"), Relation("born_in")]
)


def some_prototypes() -> Prototypes:
    vectors = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    return Prototypes.of(RELATIONS, vectors)


def test_prototypes_are_unit_vectors_without_a_radius_at_first():
    prototypes = some_prototypes()
    torch.testing.assert_close(prototypes.vectors.norm(dim=1), torch.ones(3))
    assert prototypes.radius.isnan().all()
    assert prototypes.threshold.isnan().all()


def test_prototypes_made_of_a_parameter_do_not_follow_it():
    vectors = torch.nn.Parameter(torch.eye(3))
    prototypes = Prototypes.of(RELATIONS, vectors)
    with torch.no_grad():
        vectors.mul_(-1)
    assert not prototypes.vectors.requires_grad
    assert torch.equal(prototypes.vectors, torch.eye(3))


def test_saving_and_loading_keeps_everything(tmp_path):
    cosines, relations = torch.tensor([0.5, 0.25, 0.75]), torch.tensor([0, 0, 2])
    before = some_prototypes().measured(cosines, relations)
    before.save(tmp_path)
    after = Prototypes.load(tmp_path)
    assert after.relations == RELATIONS
    assert torch.equal(after.vectors, before.vectors)
    torch.testing.assert_close(after.radius, before.radius, equal_nan=True, atol=1e-6, rtol=0)
    torch.testing.assert_close(after.threshold, before.threshold, equal_nan=True, atol=1e-6, rtol=0)
    assert after.radius[1].isnan()


def test_the_files_are_plain_json_and_safetensors(tmp_path):
    some_prototypes().save(tmp_path)
    rows = json.loads((tmp_path / "relations.json").read_text(encoding="utf-8"))
    assert rows[0] == {
        "id": "P19",
        "name": "place of birth",
        "description": "geboren in – „Lunsk“",
        "radius": None,
        "threshold": None,
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prototypes.safetensors", "relations.json"]


def test_no_prototypes_at_all_can_be_saved_and_loaded(tmp_path):
    Prototypes.none(7).save(tmp_path)
    loaded = Prototypes.load(tmp_path)
    assert len(loaded.relations) == 0
    assert loaded.vectors.shape == (0, 7)


def test_similarity_is_the_cosine_to_each_prototype():
    prototypes, vectors = some_prototypes(), torch.randn(5, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(prototypes.similarity(vectors), cosine(vectors, prototypes.vectors))


def test_radius_and_threshold_are_what_half_and_19_of_20_statements_reach():
    cosines = torch.cat([torch.arange(101) / 100, torch.tensor([0.3])])
    relations = torch.tensor([1] * 101 + [2])
    found = some_prototypes().measured(cosines, relations)
    torch.testing.assert_close(found.radius[1:], torch.tensor([0.5, 0.3]))
    torch.testing.assert_close(found.threshold[1:], torch.tensor([0.05, 0.3]))
    assert found.radius[0].isnan()
    assert (cosines[:101] >= found.threshold[1]).float().mean() >= 0.95


def test_measuring_makes_new_prototypes_and_leaves_the_old_alone():
    before = some_prototypes()
    before.measured(torch.tensor([0.5]), torch.tensor([0]))
    assert before.radius.isnan().all()


def test_a_relation_without_a_vector_is_refused():
    with pytest.raises(ValueError, match="for each of 3 relations, got 2, "):
        Prototypes(RELATIONS, torch.eye(2), torch.zeros(2), torch.zeros(2))


@pytest.mark.parametrize("file", ["prototypes.safetensors", "relations.json"])
@pytest.mark.parametrize("harm", ["missing", "cut short", "empty", "another"])
def test_a_damaged_file_is_named(tmp_path, file, harm):
    some_prototypes().save(tmp_path)
    path = tmp_path / file
    if harm == "missing":
        path.unlink()
    elif harm == "cut short":
        path.write_bytes(path.read_bytes()[:-10])
    elif harm == "empty":
        path.write_bytes(b"")
    else:
        (tmp_path / "another").mkdir()
        Prototypes.none(4).save(tmp_path / "another")
        path.write_bytes((tmp_path / "another" / file).read_bytes())
    with pytest.raises(BadInput, match="relations.json" if harm == "another" else file):
        Prototypes.load(tmp_path)


@pytest.mark.parametrize("rows", [{"a": 1}, [1, 2, 3], [{"id": "P19"}] * 3, [None] * 3, 5])
def test_a_description_that_is_no_list_of_relations_is_refused(tmp_path, rows):
    some_prototypes().save(tmp_path)
    (tmp_path / "relations.json").write_text(json.dumps(rows))
    with pytest.raises(BadInput, match=r"relations\.json"):
        Prototypes.load(tmp_path)


def test_mean_prototypes_equal_plain_loops():
    vectors = torch.randn(7, 3, generator=torch.Generator().manual_seed(2))
    relations = torch.tensor([0, 2, 2, 0, 2, 1, 0])
    found = mean_prototypes(vectors, relations, 3)
    for relation in range(3):
        total = [0.0, 0.0, 0.0]
        for vector, own in zip(vectors.tolist(), relations.tolist(), strict=True):
            if own == relation:
                length = math.sqrt(sum(x * x for x in vector))
                total = [t + x / length for t, x in zip(total, vector, strict=True)]
        length = math.sqrt(sum(t * t for t in total))
        assert found[relation].tolist() == pytest.approx([t / length for t in total], rel=1e-4, abs=1e-6)


def test_a_long_vector_weighs_no_more_in_the_mean_than_a_short_one():
    vectors = torch.tensor([[1000.0, 0.0], [0.0, 0.001]])
    found = mean_prototypes(vectors, torch.tensor([0, 0]), 1)
    torch.testing.assert_close(found, torch.tensor([[0.5**0.5, 0.5**0.5]]))


def test_a_relation_without_statements_has_a_zero_mean():
    found = mean_prototypes(torch.eye(2), torch.tensor([0, 0]), 2)
    assert found[1].tolist() == [0, 0]


def test_random_prototypes_are_unit_vectors_that_point_anywhere():
    drawn, again = (random_prototypes(2000, 3, generator=torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(drawn, again)
    torch.testing.assert_close(drawn.norm(dim=1), torch.ones(2000))
    assert drawn.mean(0).abs().max() < 0.05
    torch.testing.assert_close(drawn.T @ drawn / 2000, torch.eye(3) / 3, atol=0.03, rtol=0)
