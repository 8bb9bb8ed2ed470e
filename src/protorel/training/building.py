"""Building the encoder that a recipe names, with its tokenizer."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import torch

from protorel.batches import StatementTokenizer
from protorel.encoders import (
    WORD_KINDS,
    RelationEncoder,
    TransformerEncoder,
    WordEncoder,
    WordVectors,
    embedding_matrix,
    packaged_glove,
    read_vector_file,
    resolve,
    word_tokenizer,
    words_of,
)
from protorel.model import ModelSource, RelationModel
from protorel.recipes import Recipe, TrainingSettings, WordEncoderSettings
from protorel.statements import BadInput, StatementSource


def build_encoder(recipe: Recipe, source: StatementSource) -> tuple[RelationEncoder, StatementTokenizer]:
    """Return the encoder of a recipe and its tokenizer; a word encoder knows the words of `source`."""
    if recipe.encoder in WORD_KINDS:
        return build_word_encoder(recipe.encoder, recipe, source)
    found = ModelSource.find(recipe.encoder)
    encoder, tokenizer = _load_transformer(found, recipe.readout)
    if recipe.marker_start == "brackets" and found.record is None:
        encoder.start_markers_as_brackets(tokenizer)
    if recipe.dropout is not None:
        encoder.use_dropout(recipe.dropout)
    check_length(encoder, recipe.max_length, name=recipe.encoder)
    return encoder, tokenizer


def _load_transformer(found: ModelSource, readout: str) -> tuple[TransformerEncoder, StatementTokenizer]:
    if found.record is not None and found.record.low_rank is not None:
        model = RelationModel.from_pretrained(found, readout=readout)
        if isinstance(model.encoder, TransformerEncoder):
            return model.encoder, model.tokenizer
    place = resolve(found.given)
    tokenizer = StatementTokenizer.load(place.name, markers=True, local=place.local)
    return TransformerEncoder.load(place, readout=readout, tokenizer=tokenizer), tokenizer


def check_length(encoder: RelationEncoder, max_length: int, *, name: str) -> None:
    """Raise `BadInput` if an encoder cannot read rows of `max_length` tokens."""
    if not isinstance(encoder, TransformerEncoder):
        return
    limit = encoder.most_tokens
    if limit is not None and max_length > limit:
        raise BadInput(f"max_length: expected at most {limit} tokens for {name}, got {max_length}")


def build_word_encoder(
    name: str, recipe: TrainingSettings, source: StatementSource
) -> tuple[WordEncoder, StatementTokenizer]:
    """Return a new word encoder with its word vectors, in the sizes of the recipe's section of its name."""
    kind = WORD_KINDS[name]
    settings: WordEncoderSettings = getattr(recipe, name)
    seen = {word for statement in source() for word in words_of(statement.text)}
    vectors = _vectors(settings, seen)
    _check_known(seen, vectors, name, settings)
    tokenizer = word_tokenizer(vectors.words, markers=kind.markers)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        encoder = kind.make(
            words=tokenizer.layout.vocabulary_size,
            word_width=vectors.vectors.shape[1],
            padding_id=tokenizer.layout.pad,
            **settings.sizes(),
        )
    encoder.use_word_vectors(torch.from_numpy(embedding_matrix(vectors, tokenizer)))
    return encoder, tokenizer


def _vectors(settings: WordEncoderSettings, seen: Set[str]) -> WordVectors:
    if settings.vectors is None:
        return packaged_glove(seen, most_frequent=settings.most_frequent_words)
    return read_vector_file(Path(settings.vectors), seen, most_frequent=settings.most_frequent_words)


def _check_known(seen: Set[str], vectors: WordVectors, encoder: str, settings: WordEncoderSettings) -> None:
    """Raise `BadInput` if no word of the data has a vector: all sentences would get the same vector."""
    written = {word for word in seen if any(character.isalpha() for character in word)}
    if written and written.isdisjoint(vectors.words):
        raise BadInput(
            f"none of the data's {len(written)} words has a vector in {settings.vectors or 'English GloVe'}. "
            f"Set {encoder}.vectors=FILE to word vectors of its language"
        )
