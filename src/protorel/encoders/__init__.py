"""Encoders: from a batch of statements to one vector each."""

from protorel.encoders.chunked import EncodedBatch, encode_in_chunks
from protorel.encoders.cnn import CNNEncoder
from protorel.encoders.protocol import RelationEncoder
from protorel.encoders.readout import READOUTS, Readout
from protorel.encoders.sources import MINILM, Source, resolve
from protorel.encoders.transformer import TransformerEncoder
from protorel.encoders.words import WordVectors, embedding_matrix, packaged_glove, word_tokenizer

__all__ = [
    "MINILM",
    "READOUTS",
    "CNNEncoder",
    "EncodedBatch",
    "Readout",
    "RelationEncoder",
    "Source",
    "TransformerEncoder",
    "WordVectors",
    "embedding_matrix",
    "encode_in_chunks",
    "packaged_glove",
    "resolve",
    "word_tokenizer",
]
