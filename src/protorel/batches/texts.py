"""Plain texts as rows of tokens: what a relation means goes through the same encoder as statements.

Statements that were made up from a relation's name stand beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.batches.layout import StatementTokenizer
from protorel.batches.markers import TokenRow
from protorel.batches.token_rows import TokenRows, TokenRowsBuilder, tokenise_all
from protorel.statements import BadInput, Wording


@dataclass(frozen=True, slots=True)
class WordingRows:
    """All that can be read of some relations: texts and made-up statements, which are read in unlike ways."""

    texts: TokenRows
    made_up: TokenRows
    owners_of_texts: NDArray[np.int64]
    """The number of the relation that each belongs to."""
    owners_of_made_up: NDArray[np.int64]


def wording_rows(
    wordings: Sequence[Sequence[Wording]], tokenizer: StatementTokenizer, *, max_length: int
) -> WordingRows:
    """Lay out the wordings of relations, the n-th of which belong to relation n."""
    owned = [(owner, one) for owner, wording in enumerate(wordings) for one in wording]
    texts = [(owner, one) for owner, one in owned if isinstance(one, str)]
    made_up = [(owner, one) for owner, one in owned if not isinstance(one, str)]
    return WordingRows(
        text_rows([text for _, text in texts], tokenizer, max_length=max_length),
        tokenise_all([statement for _, statement in made_up], tokenizer, max_length=max_length),
        np.asarray([owner for owner, _ in texts], dtype=np.int64),
        np.asarray([owner for owner, _ in made_up], dtype=np.int64),
    )


def text_rows(texts: Sequence[str], tokenizer: StatementTokenizer, *, max_length: int) -> TokenRows:
    """Lay texts out without markers, cut at `max_length` tokens.

    A text has no entities. Encoders that measure distances to them are told its first and its last token.
    """
    layout = tokenizer.layout
    room = max_length - len(layout.prefix) - len(layout.suffix)
    builder = TokenRowsBuilder(layout)
    for text, encoding in zip(texts, tokenizer.split(texts), strict=True):
        kept = encoding.ids[:room]
        if not kept:
            raise BadInput(f"the tokenizer leaves nothing of the text {text[:80]!r}")
        first = len(layout.prefix)
        last = first + len(kept) - 1
        ids = np.asarray([*layout.prefix, *kept, *layout.suffix], dtype=np.int32)
        builder.add(TokenRow(ids, (first, first + 1), (last, last + 1)))
    return builder.finish()
