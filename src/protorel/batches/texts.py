"""Plain texts as rows of tokens: what a relation means goes through the same encoder as statements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from protorel.batches.layout import StatementTokenizer
from protorel.batches.markers import TokenRow
from protorel.batches.token_rows import TokenRows, TokenRowsBuilder
from protorel.statements import BadInput


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
