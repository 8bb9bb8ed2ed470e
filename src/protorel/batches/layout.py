"""The layout of a statement as a row of tokens: special tokens at its ends, markers around its two entities."""

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
"""Replaces an entity's name when names are hidden from the encoder."""

_MOST_WORDS = 10_000_000
"""The largest token id that is accepted; an encoder needs a vector for each."""

_COUNTS = re.compile("layer|label|block|expert|depth|stage|num_")
_MOST_COUNTED = 100_000
"""The largest number of layers, labels and the like that a config.json may have."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The token ids that we add to a row. None of them can come from a text."""

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
        """Number of tokens in a row that are not text."""
        return len(self.prefix) + len(self.suffix) + (0 if self.head_markers is None else 4)

    @property
    def structural(self) -> tuple[int, ...]:
        """The ids of special tokens and markers: never masked, never averaged."""
        markers = (*(self.head_markers or ()), *(self.tail_markers or ()))
        return tuple(sorted({*self.prefix, *self.suffix, *markers, self.pad}))

    @property
    def new_tokens(self) -> tuple[int, ...]:
        """The ids of tokens that no encoder has read before we train it: markers, and the token of hidden names."""
        return (*(self.head_markers or ()), *(self.tail_markers or ()), self.blank)


class StatementTokenizer:
    """A Hugging Face tokenizer together with the layout of a statement.

    Texts are split by a copy of the tokenizer that treats special tokens as plain text, so a sentence that contains
    "[SEP]" or "[unused1]" cannot forge a marker.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, *, markers: bool) -> None:
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if not isinstance(backend, Tokenizer):
            raise BadInput(
                f"tokenizer {type(tokenizer).__name__}: expected a fast tokenizer, got one without character offsets"
            )
        if tokenizer.pad_token_id is None:
            raise BadInput(f"tokenizer {type(tokenizer).__name__}: expected a padding token, got none")
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
        """Load from a folder, or from the hub by name if `local` is False."""
        check_config(Path(folder))
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=local)
            known = tokenizer.get_vocab()
        except Exception as problem:  # the libraries raise anything for files that they did not write
            reason = (str(problem).strip() or type(problem).__name__).splitlines()[0][:200]
            raise BadInput(f"{folder}: expected a tokenizer that can be loaded, got an error ({reason})") from problem
        # If the files of a tokenizer are missing, the library silently returns one without words.
        if set(known) <= set(tokenizer.all_special_tokens):
            raise BadInput(
                f"{folder}: expected a tokenizer with words, got an empty vocabulary. Check that its files are complete"
            )
        if max(known.values()) > _MOST_WORDS:
            raise BadInput(f"{folder}: expected token ids of at most {_MOST_WORDS:,}, got {max(known.values()):,}")
        try:
            return cls(tokenizer, markers=markers)
        except BadInput:
            raise
        except Exception as problem:  # of a tokenizer that loads and cannot split a text
            reason = (str(problem).strip() or type(problem).__name__).splitlines()[0][:200]
            raise BadInput(f"{folder}: expected a tokenizer that splits texts, got an error ({reason})") from problem

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files, special tokens included, into a folder."""
        self.tokenizer.save_pretrained(folder)

    def split(self, texts: Sequence[str]) -> list[Encoding]:
        """Split texts into tokens with character offsets, without special tokens."""
        return list(self._splitter.encode_batch(texts, add_special_tokens=False))

    @property
    def fingerprint(self) -> str:
        """A hash of everything that determines the tokens of a statement."""
        return hashlib.sha256(f"{self._splitter.to_str()}{self.layout}".encode()).hexdigest()


def check_config(folder: Path) -> None:
    """Refuse a config.json with absurd numbers of layers, labels and the like: libraries loop over them."""
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
    """Return the special tokens before and after a text, by splitting one with and without them."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a", add_special_tokens=True)["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    raise BadInput(
        f"tokenizer {type(tokenizer).__name__}: expected the same text with and without special tokens, got another"
    )
