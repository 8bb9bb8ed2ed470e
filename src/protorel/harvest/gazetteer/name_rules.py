"""Which names are searched for, in which forms, and which of them are also adjectives.

Case distinguishes a name from a word, so a name is searched for as written. It is also searched for with a capital
first letter (`the Lanterns` at the beginning of a sentence) and, from five letters on, in capitals (`ADA KROLL` in a
headline): never with fewer capitals than it has.

An entity called `Lunskian` and also `Lunskian language` or `Lunskian people` has `Lunskian` as an adjective. In `the
Lunskian poet` it describes the next word and does not name the language. Types of relations cannot make this
distinction: a poet may well have written in the language. The rule is for English, where an adjective comes right
before its noun.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.gazetteer.tokens import CAPITAL, WORD, Hashes, Tokens, mixed, tokenise

MAX_LENGTH = 100
"""The longest name, in characters."""
MAX_TOKENS = 12
_FEWEST_LETTERS_IN_CAPITALS = 5
_SHORT_WORD = 3
_COMMON_WORDS = frozenset(
    {
        "an", "and", "any", "as", "at", "but", "by", "for", "from", "he", "her", "here", "him", "his", "if",
        "in", "is", "it", "its", "me", "my", "no", "not", "now", "of", "on", "one", "or", "our", "she", "so",
        "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "up", "us",
        "was", "we", "what", "when", "where", "who", "why", "with", "yes", "you",
    }
)  # fmt: skip
"""Words that begin sentences far more often than they name a film or a song."""
_WORDS_AFTER_A_NOUN = (
    "after again all also although and are as at be became because been before being both but by can could did do does "
    "during either for from had has have he how if in into is it its may might more most must neither nor not of on "
    "only or over rather remains she should since so than that their then there they though through to too under until "
    "via was were what when where whereas whether which while who whom whose will with within without would yet"
)
"""Words that continue the sentence: before one of them, a language or people is named for itself."""
_NOUNS_AFTER_AN_ADJECTIVE = (" language", " people")

LABEL, TITLE, ALIAS, FORM = 0, 1, 2, 3
"""How an entity has a name: as its label, its page's title, an alias, or only another form of one of these."""
RANKS = {"label": LABEL, "title": TITLE, "alias": ALIAS}


def refused(name: str) -> str | None:
    """Return why a name is not searched for; None if it is."""
    if len(name) > MAX_LENGTH:
        return f"longer than {MAX_LENGTH} characters"
    if not any(map(str.isalpha, name)):
        return "without a letter"
    if len(name) == 1 and name.isascii():
        return "a single letter"
    if len(name) <= _SHORT_WORD and name.islower() and name.isascii():
        return f"a word of {_SHORT_WORD} letters or fewer in lower case"
    if name.lower() in _COMMON_WORDS and not name.isupper():
        return "a little word such as It"
    return None


def forms(name: str) -> Sequence[str]:
    """Return the forms in which a name is searched for: as written, then with more capitals.

    >>> forms("the Lanterns")
    ['the Lanterns', 'The Lanterns', 'THE LANTERNS']
    >>> forms("Who")
    ['Who']
    """
    found = [name]
    if name[:1].islower():
        found.append(name[0].upper() + name[1:])
    if sum(map(str.isalpha, name)) >= _FEWEST_LETTERS_IN_CAPITALS and not name.isupper():
        found.append(name.upper())
    return found


def adjective_in(name: str) -> str | None:
    """Return the adjective in the name of a language or people; None for other names.

    >>> adjective_in("Lunskian language")
    'Lunskian'
    """
    nouns = _NOUNS_AFTER_AN_ADJECTIVE
    return next((name.removesuffix(noun).rstrip() or None for noun in nouns if name.endswith(noun)), None)


def borne_names(names: Hashes, bearers: NDArray[np.int64] | NDArray[np.uint32]) -> Hashes:
    """Return one hash per pair of a name and its bearer."""
    return mixed(names ^ mixed(bearers.astype(np.uint64) + np.uint64(1)))


def before_a_word(tokens: Tokens, first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which runs are right before a word that they may describe."""
    if not len(tokens):
        return np.zeros(len(first), dtype=bool)
    behind = np.minimum(first + count, len(tokens) - 1)
    same_text = (first + count < len(tokens)) & (tokens.texts[behind] == tokens.texts[first])
    word = (tokens.kinds[behind] == WORD) | (tokens.kinds[behind] == CAPITAL)
    described: NDArray[np.bool_] = same_text & word & ~np.isin(tokens.hashes[behind], _words_after_a_noun())
    return described


@lru_cache(maxsize=1)
def _words_after_a_noun() -> Hashes:
    return tokenise(_WORDS_AFTER_A_NOUN.split()).hashes
