"""Small encoders of words, and sentences for them."""

from __future__ import annotations

import pytest
import torch

from protorel.batches import StatementTokenizer, TokenRows, tokenise_all
from protorel.encoders import WORD_KINDS, WordEncoder, word_tokenizer

WORDS = "ada kroll bela tarn was born in died lunsk oster , . the poet after a long illness"
SIZES = {
    "cnn": {"channels": 8, "position_width": 2},
    "pcnn": {"channels": 8, "position_width": 2},
    "rnn": {"hidden": 5},
    "self_attention": {"hidden": 12, "heads": 3, "position_width": 2},
}


@pytest.fixture(scope="session")
def tokenizer_of():
    """Give the tokenizer that a kind of encoder reads with."""
    made = {markers: word_tokenizer(WORDS.split(" "), markers=markers) for markers in (False, True)}

    def get(kind: str) -> StatementTokenizer:
        return made[WORD_KINDS[kind].markers]

    return get


@pytest.fixture(scope="session")
def small(tokenizer_of):
    """Make a small encoder of a kind, with dropout off: `small("rnn", cell="gru")`."""

    def make(kind: str, seed: int = 0, **settings) -> WordEncoder:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            sizes = {"words": tokenizer_of(kind).layout.vocabulary_size, "word_width": 6, **SIZES[kind], **settings}
            return WORD_KINDS[kind].make(**sizes).eval()

    return make


@pytest.fixture
def rows_of(some_statements, tokenizer_of):
    """Tokenise some statements for a kind of encoder."""

    def get(kind: str) -> TokenRows:
        return tokenise_all(some_statements, tokenizer_of(kind), max_length=64)

    return get


@pytest.fixture(params=WORD_KINDS)
def kind(request) -> str:
    return request.param
