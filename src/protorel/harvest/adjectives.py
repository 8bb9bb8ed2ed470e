"""Names of languages and peoples that describe the word behind them: `Lunskian` in `the Lunskian poet` is no language.

Which names may do so, the names themselves say: an entity that is called `Lunskian` and also `Lunskian language` or
`Lunskian people` bears `Lunskian` as an adjective. No type of a relation tells the two apart: a poet may well have
written in the language. The rule is of English, where such a word stands right before what it describes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.tokens import CAPITAL, WORD, Hashes, Tokens, mixed, tokenise

_WHAT_IT_IS = (" language", " people")
_LITTLE_WORDS = (
    "after again all also although and are as at be became because been before being both but by can could did do does "
    "during either for from had has have he how if in into is it its may might more most must neither nor not of on "
    "only or over rather remains she should since so than that their then there they though through to too under until "
    "via was were what when where whereas whether which while who whom whose will with within without would yet"
)
"""Words that go on with the sentence: a language or people named before one of them stands for itself."""


def adjective_in(name: str) -> str | None:
    """Return the adjective with which a name says what language or people it means; none for other names.

    >>> adjective_in("Lunskian language")
    'Lunskian'
    """
    return next((name.removesuffix(end).rstrip() or None for end in _WHAT_IT_IS if name.endswith(end)), None)


def borne_names(names: Hashes, bearers: NDArray[np.int64] | NDArray[np.uint32]) -> Hashes:
    """Return one number for each name with who bears it."""
    return mixed(names ^ mixed(bearers.astype(np.uint64) + np.uint64(1)))


def before_a_word(tokens: Tokens, first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which runs stand right before a word that is none of the little ones."""
    if not len(tokens):
        return np.zeros(len(first), dtype=bool)
    behind = np.minimum(first + count, len(tokens) - 1)
    same_text = (first + count < len(tokens)) & (tokens.texts[behind] == tokens.texts[first])
    word = (tokens.kinds[behind] == WORD) | (tokens.kinds[behind] == CAPITAL)
    described: NDArray[np.bool_] = same_text & word & ~np.isin(tokens.hashes[behind], _little_words())
    return described


@lru_cache(maxsize=1)
def _little_words() -> Hashes:
    return tokenise(_LITTLE_WORDS.split()).hashes
