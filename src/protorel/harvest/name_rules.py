"""Which names a text is searched for, and in which of their forms.

Case tells a name from a word, so a name is sought as it is written. It is also sought with a capital first letter (`the
Lanterns` at the beginning of a sentence) and, from five letters on, in capitals (`ADA KROLL` in a headline): never with
fewer capitals than it has.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_LENGTH = 100
"""The longest name, in characters."""
MAX_TOKENS = 12
_FEWEST_LETTERS_IN_CAPITALS = 5
_SHORT_WORD = 3
_LITTLE_WORDS = frozenset(
    {
        "an", "and", "any", "as", "at", "but", "by", "for", "from", "he", "her", "here", "him", "his", "if",
        "in", "is", "it", "its", "me", "my", "no", "not", "now", "of", "on", "one", "or", "our", "she", "so",
        "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "up", "us",
        "was", "we", "what", "when", "where", "who", "why", "with", "yes", "you",
    }
)  # fmt: skip
"""Words that begin sentences far more often than they name a film or a song."""

LABEL, TITLE, ALIAS, FORM = 0, 1, 2, 3
"""How an entity bears a name: as its label, its page's title, an alias, or only in another form of one of these."""
RANKS = {"label": LABEL, "title": TITLE, "alias": ALIAS}


def refused(name: str) -> str | None:
    """Return why a name is not searched for, or none."""
    if len(name) > MAX_LENGTH:
        return f"longer than {MAX_LENGTH} characters"
    if not any(map(str.isalpha, name)):
        return "without a letter"
    if len(name) == 1 and name.isascii():
        return "a single letter"
    if len(name) <= _SHORT_WORD and name.islower() and name.isascii():
        return f"a word of {_SHORT_WORD} letters or fewer in lower case"
    if name.lower() in _LITTLE_WORDS and not name.isupper():
        return "a little word such as It"
    return None


def forms(name: str) -> Sequence[str]:
    """Return the forms in which a name is sought: as it is, then with more capitals.

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
