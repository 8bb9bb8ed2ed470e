"""How a statement becomes a row of tokens: what stands at its ends and around its two entities."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Encoding, Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from protorel.io import BadInput, read_json, shown

MARKERS = ("[unused1]", "[unused2]", "[unused3]", "[unused4]")
"""Before and after the head, before and after the tail: the tokens of the authors' released code."""
BLANK = "[unused5]"
"""Stands where an entity's name was, when names are hidden from the encoder."""

_MOST_WORDS = 10_000_000
"""No vocabulary has more; an encoder needs a vector for each."""

_COUNTS = re.compile("layer|label|block|expert|depth|stage|num_")
_MOST_COUNTED = 100_000
"""The most layers, labels and the like that a config.json may name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The token ids that we put into a row ourselves. None of them can come from a text."""

    prefix: tuple[int, ...]
    suffix: tuple[int, ...]
    head_markers: tuple[int, int] | None
    tail_markers: tuple[int, int] | None
    pad: int
    blank: int
    mask: int | None
    unknown: int | None
    vocabulary_size: int

    @property
    def frame(self) -> int:
        """How many places of a row our own tokens take."""
        return len(self.prefix) + len(self.suffix) + (0 if self.head_markers is None else 4)

    @property
    def structural(self) -> tuple[int, ...]:
        """The ids that carry structure, not content: never masked, never averaged."""
        markers = (*(self.head_markers or ()), *(self.tail_markers or ()))
        return tuple(sorted({*self.prefix, *self.suffix, *markers, self.pad}))


class StatementTokenizer:
    """A Hugging Face tokenizer together with the layout of a statement.

    A text is split with its own copy of the tokenizer in which special tokens mean nothing, so a sentence that
    contains "[SEP]" or "[unused1]" cannot forge a marker.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, *, markers: bool) -> None:
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if not isinstance(backend, Tokenizer):
            raise BadInput(f"tokenizer {type(tokenizer).__name__} gives no character offsets, a fast one is wanted")
        if tokenizer.pad_token_id is None:
            raise BadInput(f"tokenizer {type(tokenizer).__name__} has no padding token, one is wanted")
        # Unless they are declared special, "[unused1]" is split into pieces.
        tokenizer.add_special_tokens(
            {"additional_special_tokens": [*(MARKERS if markers else ()), BLANK]},
            replace_extra_special_tokens=False,
        )
        self.tokenizer = tokenizer
        self.layout = _layout_of(tokenizer, markers=markers)
        self._splitter = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
        self._splitter.no_truncation()
        self._splitter.no_padding()
        self._splitter.encode_special_tokens = True

    @classmethod
    def load(cls, folder: Path | str, *, markers: bool, local: bool = True) -> StatementTokenizer:
        """Load from a folder, or from the hub by name where `local` is False."""
        check_config(Path(folder))
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=local)
            known = tokenizer.get_vocab()
        except Exception as problem:  # whatever the libraries make of files that they did not write
            reason = (str(problem).strip() or type(problem).__name__).splitlines()[0][:200]
            raise BadInput(f"{folder}: no tokenizer can be loaded from here ({reason})") from problem
        # Where the files of a tokenizer are missing, the library makes one that knows no word and says nothing.
        if set(known) <= set(tokenizer.all_special_tokens):
            raise BadInput(f"{folder}: the tokenizer knows no word, are its files missing?")
        if max(known.values()) > _MOST_WORDS:
            raise BadInput(f"{folder}: expected token ids of at most {_MOST_WORDS:,}, got {max(known.values()):,}")
        try:
            return cls(tokenizer, markers=markers)
        except BadInput:
            raise
        except Exception as problem:  # of a tokenizer that can be read, and splits no text
            reason = (str(problem).strip() or type(problem).__name__).splitlines()[0][:200]
            raise BadInput(f"{folder}: the tokenizer cannot be used ({reason})") from problem

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files, special tokens included, into a folder."""
        self.tokenizer.save_pretrained(folder)

    def split(self, texts: Sequence[str]) -> list[Encoding]:
        """Split texts into tokens with character offsets, with no special token anywhere."""
        return list(self._splitter.encode_batch(texts, add_special_tokens=False))

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides how a text is split and laid out."""
        return hashlib.sha256(f"{self._splitter.to_str()}{self.layout}".encode()).hexdigest()


def check_config(folder: Path) -> None:
    """Refuse a config.json with numbers of layers, labels and the like beyond all use: libraries count up to them."""
    path = folder / "config.json"
    inside = [read_json(path)] if path.is_file() else []
    while inside:
        one = inside.pop()
        for name, value in one.items() if isinstance(one, dict) else ():
            if isinstance(value, int) and value > _MOST_COUNTED and _COUNTS.search(name):
                raise BadInput(f"{path}: {shown(name)}: expected at most {_MOST_COUNTED:,}, got {value:,}")
            inside.append(value)


def _layout_of(tokenizer: PreTrainedTokenizerBase, *, markers: bool) -> Layout:
    known = tokenizer.get_vocab()
    head = (known[MARKERS[0]], known[MARKERS[1]]) if markers else None
    tail = (known[MARKERS[2]], known[MARKERS[3]]) if markers else None
    prefix, suffix = _ends_of(tokenizer)
    return Layout(
        prefix=prefix,
        suffix=suffix,
        head_markers=head,
        tail_markers=tail,
        pad=tokenizer.pad_token_id,
        blank=known[BLANK],
        mask=tokenizer.mask_token_id,
        unknown=tokenizer.unk_token_id,
        vocabulary_size=len(tokenizer),
    )


def _ends_of(tokenizer: PreTrainedTokenizerBase) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find what a tokenizer puts before and after a text, by comparing one with and without it."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a", add_special_tokens=True)["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    raise BadInput(f"tokenizer {type(tokenizer).__name__} changes a text when it adds its special tokens")
