"""Encoders: from a batch of statements to one vector each."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.encoders.bf16 import bf16_here
    from protorel.encoders.chunked import EncodedBatch, check_reads_pairs, encode_in_chunks, encode_pairs
    from protorel.encoders.finite import best_of, check_vectors
    from protorel.encoders.parallel_batches import side_by_side
    from protorel.encoders.products import linear
    from protorel.encoders.protocol import PairEncoder, RelationEncoder
    from protorel.encoders.readout import READOUTS, Readout, maximum
    from protorel.encoders.sources import MINILM, Source, fetch_files, find_on_hub, locate, resolve, weights_file
    from protorel.encoders.stored_weights import load_module, read_tensors
    from protorel.encoders.transformer import TransformerEncoder
    from protorel.encoders.words.cnn import CNNEncoder, PCNNEncoder
    from protorel.encoders.words.kinds import WORD_KINDS, load_word_encoder
    from protorel.encoders.words.rnn import RNNEncoder, read_both_ways
    from protorel.encoders.words.self_attention import SelfAttentionEncoder
    from protorel.encoders.words.vector_file import read_vector_file
    from protorel.encoders.words.vectors import WordVectors, embedding_matrix, packaged_glove, word_tokenizer, words_of
    from protorel.encoders.words.word_encoder import WordEncoder

__all__ = [
    "CNNEncoder",
    "EncodedBatch",
    "MINILM",
    "PCNNEncoder",
    "PairEncoder",
    "READOUTS",
    "RNNEncoder",
    "Readout",
    "RelationEncoder",
    "SelfAttentionEncoder",
    "Source",
    "TransformerEncoder",
    "WORD_KINDS",
    "WordEncoder",
    "WordVectors",
    "best_of",
    "bf16_here",
    "check_reads_pairs",
    "check_vectors",
    "embedding_matrix",
    "encode_in_chunks",
    "encode_pairs",
    "fetch_files",
    "find_on_hub",
    "linear",
    "load_module",
    "load_word_encoder",
    "locate",
    "maximum",
    "packaged_glove",
    "read_both_ways",
    "read_tensors",
    "read_vector_file",
    "resolve",
    "side_by_side",
    "weights_file",
    "word_tokenizer",
    "words_of",
]

__getattr__ = lazy_names(__name__)
