"""Small models of both kinds, with prototypes of three relations."""

from __future__ import annotations

import pytest
import torch

from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import RelationVocabulary

RELATIONS = RelationVocabulary(["born_in", "died_in", "spouse"])


def prototypes_of(width: int) -> Prototypes:
    return Prototypes.of(RELATIONS, torch.randn(3, width, generator=torch.Generator().manual_seed(0)))


@pytest.fixture
def transformer(tiny_encoder, tiny_tokenizer) -> RelationModel:
    return RelationModel(tiny_encoder, tiny_tokenizer, prototypes_of(tiny_encoder.width), max_length=32)


@pytest.fixture
def cnn() -> RelationModel:
    tokenizer = word_tokenizer(["ada", "kroll", "bela", "tarn", "born", "in", "died", "lunsk", "oster", "poet"])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
    return RelationModel(encoder, tokenizer, prototypes_of(8), max_length=32)


@pytest.fixture(params=["transformer", "cnn"])
def model(request) -> RelationModel:
    return request.getfixturevalue(request.param)
