"""Building what a recipe names: an encoder with its tokenizer."""

from __future__ import annotations

import re

import torch

from protorel.batches import StatementTokenizer
from protorel.encoders import (
    CNNEncoder,
    RelationEncoder,
    TransformerEncoder,
    embedding_matrix,
    packaged_glove,
    resolve,
    word_tokenizer,
)
from protorel.statements import BadInput, StatementSource
from protorel.training.config import Recipe

_WORD = re.compile(r"\w+|[^\w\s]+")


def build_encoder(recipe: Recipe, source: StatementSource) -> tuple[RelationEncoder, StatementTokenizer]:
    """Load or make the encoder that a recipe asks for; `source` says which words a word encoder should know."""
    if recipe.encoder == "cnn":
        return _build_cnn(recipe, source)
    place = resolve(recipe.encoder)
    tokenizer = StatementTokenizer.load(place.name, markers=True, local=place.local)
    encoder = TransformerEncoder.load(place, readout=recipe.readout, tokenizer=tokenizer)
    limit = getattr(encoder.backbone.config, "max_position_embeddings", None)
    if limit is not None and recipe.max_length > limit:
        raise BadInput(f"max_length={recipe.max_length}: {recipe.encoder} reads no more than {limit} tokens")
    return encoder, tokenizer


def _build_cnn(recipe: Recipe, source: StatementSource) -> tuple[CNNEncoder, StatementTokenizer]:
    seen = {word for statement in source() for word in _WORD.findall(statement.text.lower())}
    vectors = packaged_glove(seen, most_frequent=recipe.cnn.most_frequent_words)
    tokenizer = word_tokenizer(vectors.words)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        encoder = CNNEncoder(
            words=tokenizer.layout.vocabulary_size,
            word_width=vectors.vectors.shape[1],
            position_width=recipe.cnn.position_width,
            channels=recipe.cnn.channels,
            window=recipe.cnn.window,
            dropout=recipe.cnn.dropout,
            padding_id=tokenizer.layout.pad,
        )
    encoder.use_word_vectors(torch.from_numpy(embedding_matrix(vectors, tokenizer)))
    return encoder, tokenizer
