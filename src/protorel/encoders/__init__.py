"""Encoders: from a batch of statements to one vector each."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.encoders.chunked import EncodedBatch, encode_in_chunks
    from protorel.encoders.cnn import CNNEncoder
    from protorel.encoders.pairs import PairEncoder, check_reads_pairs, encode_pairs
    from protorel.encoders.pcnn import PCNNEncoder
    from protorel.encoders.protocol import RelationEncoder
    from protorel.encoders.readout import READOUTS, Readout
    from protorel.encoders.rnn import RNNEncoder
    from protorel.encoders.self_attention import SelfAttentionEncoder
    from protorel.encoders.sources import MINILM, Source, resolve
    from protorel.encoders.transformer import TransformerEncoder
    from protorel.encoders.vector_file import read_vector_file
    from protorel.encoders.word_encoder import WordEncoder
    from protorel.encoders.word_kinds import WORD_KINDS, load_word_encoder
    from protorel.encoders.words import WordVectors, embedding_matrix, packaged_glove, word_tokenizer, words_of

__all__ = [
    "MINILM",
    "READOUTS",
    "WORD_KINDS",
    "CNNEncoder",
    "EncodedBatch",
    "PCNNEncoder",
    "PairEncoder",
    "RNNEncoder",
    "Readout",
    "RelationEncoder",
    "SelfAttentionEncoder",
    "Source",
    "TransformerEncoder",
    "WordEncoder",
    "WordVectors",
    "check_reads_pairs",
    "embedding_matrix",
    "encode_in_chunks",
    "encode_pairs",
    "load_word_encoder",
    "packaged_glove",
    "read_vector_file",
    "resolve",
    "word_tokenizer",
    "words_of",
]

__getattr__ = lazy_names(__name__)
