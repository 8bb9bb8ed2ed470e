"""Which entities of an annotated document the mentions found in its text are, by exact span or by overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Literal

from protorel.corpora import AnnotatedDocument
from protorel.extraction import Mention

Match = Literal["strict", "lenient"]
MATCHES: tuple[Match, ...] = ("strict", "lenient")
"""By the exact span of a gold mention, or by overlap with one."""


def matched_entities(document: AnnotatedDocument, mention: Mention, match: Match) -> tuple[int, ...]:
    """Return the entities that a mention names: none, one, or several that share the span.

    With `lenient`, these are the entities whose mention shares the most characters with it.
    """
    shared = {
        number: max(
            min(mention.stop, one.span.stop) - max(mention.start, one.span.start)
            if match == "lenient" or (one.span.start, one.span.stop) == (mention.start, mention.stop)
            else 0
            for one in own
        )
        for number, own in enumerate(document.entities)
        if own
    }
    most = max(shared.values(), default=0)
    return tuple(number for number, characters in shared.items() if characters == most > 0)


@dataclass(frozen=True, slots=True)
class FoundMentions:
    """How many mentions of a document were found, and which pairs of entities in one sentence."""

    gold: Counter[str]
    """Gold mentions by type."""
    found: Counter[str]
    """Those of them that were found."""
    mentions: int
    """Mentions that were found in the text."""
    matched: int
    """Those of them that match a gold mention."""
    pairs: frozenset[tuple[int, int]]
    """Ordered pairs of entities of which a sentence has two different mentions that were found."""


def found_mentions(document: AnnotatedDocument, mentions: Sequence[Mention], match: Match) -> FoundMentions:
    """Match the mentions found in a text with the gold mentions of the document."""
    entities = [matched_entities(document, one, match) for one in mentions]
    gold: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for own in document.entities:
        for one in own:
            gold[one.type or ""] += 1
            found[one.type or ""] += any(_matches(one.span.start, one.span.stop, other, match) for other in mentions)
    return FoundMentions(gold, found, len(mentions), sum(map(bool, entities)), _pairs(document, mentions, entities))


def _matches(start: int, stop: int, mention: Mention, match: Match) -> bool:
    if match == "strict":
        return (start, stop) == (mention.start, mention.stop)
    return mention.start < stop and start < mention.stop


def _pairs(
    document: AnnotatedDocument, mentions: Iterable[Mention], entities: Iterable[tuple[int, ...]]
) -> frozenset[tuple[int, int]]:
    matched = [(mention, own) for mention, own in zip(mentions, entities, strict=True) if own]
    found: set[tuple[int, int]] = set()
    for sentence in document.sentences:
        here = [own for mention, own in matched if sentence.start <= mention.start < sentence.stop]
        for heads, tails in permutations(here, 2):
            found.update(pair for pair in product(heads, tails) if pair[0] != pair[1])
    return frozenset(found)
