"""Mentions of entities in the sentences of documents: by links and titles, by name, and checked by an NER if asked for.

A link is believed, also where it leads to a page of no known entity: what stands there is not an entity that has a page
of its own. Where no link stands, the longest name that begins first is taken, be it one that the page itself
has linked before or one of the gazetteer's. A name that several entities bear goes to the one that the page speaks of
(a link or its title), else to the only one whose label or title it is, else it is dropped. A dropped name still covers
the shorter names inside it. A language or people whose name describes the word behind it is dropped where that is
asked for (see `adjectives`). Everything dropped is counted by its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.adjectives import before_a_word
from protorel.harvest.gazetteer import Gazetteer
from protorel.harvest.name_choice import Taken, covered_by, hyphenated, leftmost_longest
from protorel.harvest.name_rules import LABEL, TITLE
from protorel.harvest.page_names import PageNames, page_names
from protorel.harvest.phrase_table import PhraseTable, Runs, sequence_hashes
from protorel.harvest.sentences import Splitter
from protorel.harvest.tokens import Tokens, mixed, tokenise
from protorel.harvest.types import Document

MOST_MENTIONS = 40
"""A sentence that names more entities than this is a list; it would give a row for each pair of them."""
_CHARACTERS_AT_A_TIME = 200_000


class Mention(NamedTuple):
    """An entity named in a sentence."""

    # A tuple, because there are billions of them and a frozen dataclass takes three times as long to make.
    start: int
    stop: int
    entity: str
    type: str | None
    origin: str
    """`link`, `page` (a name that the page linked before, or its title) or `name` (of the gazetteer)."""


@dataclass(frozen=True, slots=True)
class MentionedSentence:
    """A sentence that names two entities or more."""

    document: str
    number: int
    """Of the sentence in its document."""
    start: int
    """Where it stands in the document's text."""
    text: str
    mentions: tuple[Mention, ...]


_LINK, _PAGE, _NAME = range(3)
_ORIGINS = ("link", "page", "name")


class _Found(NamedTuple):
    """Mentions as columns: the sentence, the range of its characters, the entity's number, and the origin."""

    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    entities: NDArray[np.int64]
    origins: NDArray[np.int64]

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> _Found:
        return _Found(*(column[chosen] for column in self))


class MentionFinder:
    """Finds mentions in documents, many at a time, and counts what it finds and drops."""

    def __init__(
        self,
        gazetteer: Gazetteer,
        *,
        split: Splitter,
        most_mentions: int = MOST_MENTIONS,
        drop_adjectives: bool = False,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._gazetteer, self._split, self._most = gazetteer, split, most_mentions
        self._drops_adjectives = drop_adjectives

    def find(self, documents: Sequence[Document]) -> Iterator[MentionedSentence]:
        """Yield the sentences that name two or more different entities, in order."""
        for some in _portions(documents):
            yield from self._find(some)

    def _find(self, documents: Sequence[Document]) -> Iterator[MentionedSentence]:
        spans = [self._split(document.text) for document in documents]
        pages = page_names(documents, spans, self._gazetteer, self.counts)
        owners = [(number, at) for number, of_page in enumerate(spans) for at in range(len(of_page))]
        texts = [span.of(document.text) for document, of_page in zip(documents, spans, strict=True) for span in of_page]
        self.counts["documents"] += len(documents)
        self.counts["sentences"] += len(texts)
        for place, mentions in self._named(self._mentions(texts, owners, pages)):
            number, at = owners[place]
            document = documents[number]
            name = document.id if document.revision is None else f"{document.id}@{document.revision}"
            yield MentionedSentence(name, at, spans[number][at].start, texts[place], mentions)

    def _mentions(self, texts: list[str], owners: list[tuple[int, int]], pages: list[PageNames]) -> _Found:
        """Return what the sentences name, in order of place."""
        first_of: dict[int, int] = {}
        for place, (number, _) in enumerate(owners):
            first_of.setdefault(number, place)
        links, strangers = [], []
        for number, page in enumerate(pages):
            links += [
                (first_of[number] + one.sentence, one.span.start, one.span.stop, one.entity) for one in page.links
            ]
            strangers += [(first_of[number] + at, span.start, span.stop) for at, span in page.strangers]
        self.counts["mentions by link"] += len(links)
        tokens = tokenise(texts)
        by_page, meant = _learned(tokens, owners, pages)
        under = covered_by(tokens, [link[:3] for link in links])
        taken = leftmost_longest(tokens, by_page, self._gazetteer.find(tokens), under)
        joined = hyphenated(tokens, taken.first, taken.count)
        self.counts["dropped: joined to a word by a hyphen"] += int(joined.sum())
        kept = taken.only(~joined)
        places = tokens.texts[kept.first]
        entities = self._meant(kept, [pages[owners[place][0]] for place in places.tolist()], meant)
        self._drop_strangers(entities, kept.overlapping(covered_by(tokens, strangers)) & (kept.page_hashes == 0))
        if self._drops_adjectives:
            self._drop_adjectives(entities, kept, before_a_word(tokens, kept.first, kept.count))
        origins = np.where(kept.page_hashes != 0, _PAGE, _NAME)
        starts, stops = tokens.starts[kept.first], tokens.stops[kept.first + kept.count - 1]
        named = _Found(places, starts, stops, entities, origins).only(entities >= 0)
        self.counts["mentions by the page's own names"] += int((named.origins == _PAGE).sum())
        self.counts["mentions by name"] += int((named.origins == _NAME).sum())
        columns = np.array([(*link, _LINK) for link in links], dtype=np.int64).reshape(-1, 5).T
        linked = _Found(*columns)
        both = _Found(*(np.concatenate(parts) for parts in zip(linked, named, strict=True)))
        return both.only(np.lexsort((both.starts, both.places)))

    def _meant(self, kept: Taken, pages: list[PageNames], meant: dict[int, int]) -> NDArray[np.int64]:
        """Return the entity that each name means, on the page where it stands; -1 where that is unclear."""
        entities = np.full(len(kept.first), -1)
        of_page = np.flatnonzero(kept.page_hashes)
        entities[of_page] = [meant[hash] for hash in kept.page_hashes[of_page].tolist()]
        by_name = np.flatnonzero(kept.page_hashes == 0)
        positions = self._gazetteer.positions(kept.name_hashes[by_name])
        entities[by_name] = self._gazetteer.only_bearers(positions)
        for place in np.flatnonzero(entities[by_name] < 0).tolist():
            at = int(by_name[place])
            entities[at] = self._bearer(int(positions[place]), pages[at])
        return entities

    def _drop_strangers(self, entities: NDArray[np.int64], linked_elsewhere: NDArray[np.bool_]) -> None:
        """Drop entities that have a page of their own where a link leads to another page."""
        at = np.flatnonzero(linked_elsewhere & (entities >= 0))
        at = at[self._gazetteer.have_page(entities[at])]
        entities[at] = -1
        self.counts["dropped: a link says that it is something else"] += len(at)

    def _drop_adjectives(self, entities: NDArray[np.int64], kept: Taken, described: NDArray[np.bool_]) -> None:
        """Drop languages and peoples whose name says what the word behind it is like."""
        at = np.flatnonzero(described & (entities >= 0))
        at = at[self._gazetteer.are_adjectives(kept.name_hashes[at], entities[at])]
        entities[at] = -1
        self.counts["dropped: describes the word behind it"] += len(at)

    def _bearer(self, position: int, page: PageNames) -> int:
        """Return which of several bearers a name means on a page, by the stated rule; -1 where it is unclear."""
        bearers = self._gazetteer.bearers_at(position)
        spoken_of = [entity for entity, _ in bearers if entity in page.entities]
        if len(spoken_of) == 1:
            self.counts["ambiguous names decided by the page"] += 1
            return spoken_of[0]
        proper = [entity for entity, rank in bearers if rank in (LABEL, TITLE)]
        if not spoken_of and len(proper) == 1:
            self.counts["ambiguous names decided by label or title"] += 1
            return proper[0]
        self.counts["dropped: ambiguous"] += 1
        return -1

    def _named(self, found: _Found) -> Iterator[tuple[int, tuple[Mention, ...]]]:
        """Yield the sentences worth keeping, with the ids and types of what they name."""
        numbers, which = np.unique(found.entities, return_inverse=True)
        ids, types = self._gazetteer.ids(numbers), self._gazetteer.types(numbers)
        begins = np.flatnonzero(np.diff(found.places, prepend=-1)).tolist()
        rows = [column.tolist() for column in (found.places, found.starts, found.stops, which, found.origins)]
        places, starts, stops, entities, origins = rows
        for begin, end in pairwise([*begins, len(places)]):
            if len(set(entities[begin:end])) < 2:
                self.counts["sentences that name one entity"] += 1
            elif end - begin > self._most:
                self.counts[f"dropped: sentences with more than {self._most} mentions"] += 1
            else:
                self.counts["sentences that name two entities or more"] += 1
                yield (
                    places[begin],
                    tuple(
                        Mention(starts[at], stops[at], ids[entities[at]], types[entities[at]], _ORIGINS[origins[at]])
                        for at in range(begin, end)
                    ),
                )


def _portions(documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """Cut documents into portions of bounded size: arrays are long enough to be fast and short enough to be cheap."""
    begin = size = 0
    for place, document in enumerate(documents):
        size += len(document.text)
        if size >= _CHARACTERS_AT_A_TIME:
            yield documents[begin : place + 1]
            begin, size = place + 1, 0
    if begin < len(documents):
        yield documents[begin:]


def _learned(tokens: Tokens, owners: list[tuple[int, int]], pages: list[PageNames]) -> tuple[Runs, dict[int, int]]:
    """Find the names that pages use, each on its own page and from its first use on; say what each means there."""
    listed = [(number, name) for number, page in enumerate(pages) for name in page.names]
    if not listed:
        return PhraseTable.of(tokenise([])).find(tokens), {}
    # A page's number begins its hashes, so that one table serves all pages and each finds its own names only.
    seeds_of_pages = mixed(np.arange(1, len(pages) + 1, dtype=np.uint64))
    seeds = seeds_of_pages[[number for number, _ in listed]]
    names = tokenise([name for _, name in listed])
    hashes = sequence_hashes(names, texts=len(listed), seeds=seeds).tolist()
    meant = {hash: pages[number].names[name] for hash, (number, name) in zip(hashes, listed, strict=True)}
    of_sentences = seeds_of_pages[[number for number, _ in owners]] if owners else seeds[:0]
    runs = PhraseTable.of(names, seeds=seeds).find(tokens, seeds=of_sentences)
    late = [
        meant[hash][1] <= owners[place][1]
        for hash, place in zip(runs.hashes.tolist(), tokens.texts[runs.first].tolist(), strict=True)
    ]
    return runs.only(np.array(late, dtype=bool)), {hash: entity for hash, (entity, _) in meant.items()}
