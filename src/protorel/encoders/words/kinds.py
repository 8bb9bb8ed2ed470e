"""The word encoders by name, and how one is loaded from a run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.encoders.stored_weights import load_module
from protorel.encoders.words.cnn import CNNEncoder, PCNNEncoder
from protorel.encoders.words.rnn import RNNEncoder
from protorel.encoders.words.self_attention import SelfAttentionEncoder
from protorel.encoders.words.word_encoder import WEIGHTS, WordEncoder


@dataclass(frozen=True, slots=True)
class WordKind:
    """A kind of word encoder; `markers` says whether its rows have markers around both entities."""

    make: Callable[..., WordEncoder]
    markers: bool = False


WORD_KINDS: Mapping[str, WordKind] = {
    "cnn": WordKind(CNNEncoder),
    "pcnn": WordKind(PCNNEncoder),
    "rnn": WordKind(RNNEncoder, markers=True),
    "self_attention": WordKind(SelfAttentionEncoder),
}


def load_word_encoder(folder: Path, settings: Mapping[str, Any]) -> WordEncoder:
    """Build an encoder from its settings and load its weights from a folder."""
    sizes = {name: value for name, value in settings.items() if name != "kind"}
    return load_module(lambda: WORD_KINDS[settings["kind"]].make(**sizes), folder / WEIGHTS, sizes="protorel.json")
