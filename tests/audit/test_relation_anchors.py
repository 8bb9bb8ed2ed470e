"""What stands for a relation: prototypes by meaning, descriptions, or its own statements."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from protorel.audit.relation_anchors import RelationAnchors
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import Descriptions, Relation, RelationVocabulary, load_equivalents

KNOWN = ["P19", "born_in", "P26", "spouse_of"]


@pytest.fixture
def model(tiny_encoder, tiny_tokenizer):
    vectors = torch.randn(4, tiny_encoder.width, generator=torch.Generator().manual_seed(0))
    return RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.of(RelationVocabulary(KNOWN), vectors), max_length=32)


@pytest.fixture
def anchored(model):
    def of(relations, descriptions=None):
        return RelationAnchors.of(model, relations, descriptions, load_equivalents())

    return of


TEXTS = Descriptions.of({"P19": Relation("P19", "place of birth"), "flies": Relation("flies", "", "Head flies tail.")})


def test_a_prototype_of_the_same_name_stands_for_its_relation_alone(anchored):
    assert anchored(["P19", "spouse_of"]).means.tolist() == [[True, False, False, False], [False, False, False, True]]


def test_a_relation_of_another_name_is_found_by_its_meaning(anchored, tmp_path):
    [found] = anchored(["dbo:birthPlace"]).means.tolist()
    assert found[0]
    assert not found[2]
    assert not anchored(["NA"]).means.any()


def test_a_relation_is_scored_by_prototype_description_or_means(anchored):
    found = anchored(["P19", "flies", "swims"], TEXTS)
    assert found.scored_by == ["prototype", "description", "means"]
    assert found.described.tolist() == [True, True, False]
    assert found.names == ("place of birth", "", "")
    lengths = np.linalg.norm(found.texts, axis=1)
    assert lengths.tolist() == pytest.approx([1, 1, 0], abs=1e-5)


def test_a_model_that_did_not_learn_to_read_relations_has_no_texts_of_its_own(anchored):
    assert not anchored(["P19", "P26"]).described.any()


def test_a_model_without_prototypes_scores_by_means(tiny_encoder, tiny_tokenizer, clusters):
    none = Prototypes.of(RelationVocabulary([]), torch.empty(0, tiny_encoder.width))
    model = RelationModel(tiny_encoder, tiny_tokenizer, none, max_length=32)
    found = RelationAnchors.of(model, ["a", "b"], None, load_equivalents())
    assert found.scored_by == ["means", "means"]
    vectors = np.ones((2, tiny_encoder.width), dtype=np.float32)
    labels = np.array([0, 1])
    assert np.isnan(found.prototype_margins(vectors, labels)).all()
    assert np.isnan(found.description_fit(vectors, labels)).all()


def test_margins_are_those_of_a_plain_loop(anchored):
    found = anchored(["P19", "dbo:birthPlace", "swims"])
    chance = np.random.default_rng(0)
    vectors = chance.normal(size=(30, found.prototypes.shape[1])).astype(np.float32)
    labels = np.arange(30) % 3
    margins = found.prototype_margins(vectors, labels)
    for row in range(30):
        own = [
            float(vectors[row] @ one)
            for one, is_own in zip(found.prototypes, found.means[labels[row]], strict=True)
            if is_own
        ]
        others = [
            float(vectors[row] @ one)
            for one, is_own in zip(found.prototypes, found.means[labels[row]], strict=True)
            if not is_own
        ]
        if own:
            assert margins[row] == pytest.approx(max(own) - max(others), abs=1e-4)
        else:
            assert np.isnan(margins[row])


def test_the_fit_to_the_description_is_that_of_a_plain_loop(anchored):
    found = anchored(["P19", "flies", "swims"], TEXTS)
    vectors = np.random.default_rng(0).normal(size=(9, found.texts.shape[1])).astype(np.float32)
    labels = np.arange(9) % 3
    fits = found.description_fit(vectors, labels)
    for row in range(9):
        every = [float(vectors[row] @ found.texts[relation]) for relation in (0, 1)]
        if labels[row] == 2:
            assert np.isnan(fits[row])
        else:
            assert fits[row] == pytest.approx(every[labels[row]] - sum(every) / 2, abs=1e-4)
