"""Finding mentions of entities in the sentences of documents: by links, by the page's own names, and by the gazetteer.

A link is trusted. If it leads to the page of an unknown entity, its words do not mean an entity with another page.
Outside links, the leftmost longest name is taken, whether the page has linked it before or the gazetteer has it. A name
of several entities means the one that the page links or is about; else the only one with that label or title; else it
is dropped. A dropped name still covers the shorter names inside it. A name inside a longer capitalised one, `Ford` in
`Harrison Ford`, is dropped unless the page links or defines it. On request, the name of a language or people that
describes the next word is dropped (see `name_rules`). Everything dropped is counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.gazetteer.name_choice import Taken, covered_by, hyphenated, inside_longer_name, leftmost_longest
from protorel.harvest.gazetteer.name_rules import LABEL, TITLE, before_a_word
from protorel.harvest.gazetteer.phrase_table import PhraseTable, Runs, sequence_hashes
from protorel.harvest.gazetteer.tokens import Tokens, mixed, tokenise
from protorel.harvest.mentions.page_names import PageNames, page_names
from protorel.harvest.mentions.sentences import Splitter
from protorel.harvest.types import Document

MOST_MENTIONS = 40
"""A sentence with more mentions is a list; it would give a row per pair of them."""
_CHARACTERS_AT_A_TIME = 200_000


@dataclass(frozen=True, slots=True)
class MentionRule:
    """Settings of the search for mentions."""

    most_mentions: int = MOST_MENTIONS
    """Sentences with more mentions are left out."""
    ner: str | None = None
    """A spaCy pipeline that checks names and adds types; None for no check."""
    drop_adjectives: bool = False
    """Whether to drop the name of a language or people that describes the next word: `the Lunskian poet`."""
    parts_of_names: bool = False
    """Whether to keep a name inside a longer capitalised name, such as `Ford` in `Harrison Ford`."""


class Mention(NamedTuple):
    """An entity named in a sentence."""

    # A tuple: there are billions of them, and a frozen dataclass takes three times as long to create.
    start: int
    stop: int
    entity: str
    type: str | None
    origin: str
    """`link`, `page` (a name that the page linked before, or its title) or `name` (from the gazetteer)."""


@dataclass(frozen=True, slots=True)
class MentionedSentence:
    """A sentence that names at least two entities."""

    document: str
    number: int
    """The number of the sentence in its document."""
    start: int
    """Its position in the document's text."""
    text: str
    mentions: tuple[Mention, ...]


_LINK, _PAGE, _NAME = range(3)
_ORIGINS = ("link", "page", "name")


class _Found(NamedTuple):
    """Mentions as columns: sentence, character range, number of the entity, origin."""

    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    entities: NDArray[np.int64]
    origins: NDArray[np.int64]

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> _Found:
        return _Found(*(column[chosen] for column in self))


class MentionFinder:
    """Finds mentions in documents, many documents at a time, and counts what it finds and drops."""

    def __init__(
        self,
        gazetteer: Gazetteer,
        *,
        split: Splitter,
        most_mentions: int = MOST_MENTIONS,
        fewest_entities: int = 2,
        drop_adjectives: bool = False,
        parts_of_names: bool = False,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._gazetteer, self._split, self._most = gazetteer, split, most_mentions
        self._fewest = fewest_entities
        self._drops_adjectives, self._keeps_parts = drop_adjectives, parts_of_names

    def find(self, documents: Sequence[Document]) -> Iterator[MentionedSentence]:
        """Yield the sentences that name enough different entities, in order."""
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
        """Return the mentions of all sentences, in order of position."""
        first_of: dict[int, int] = {}
        for place, (number, _) in enumerate(owners):
            first_of.setdefault(number, place)
        links, unknown = [], []
        for number, page in enumerate(pages):
            links += [
                (first_of[number] + one.sentence, one.span.start, one.span.stop, one.entity) for one in page.links
            ]
            unknown += [(first_of[number] + at, span.start, span.stop) for at, span in page.unknown]
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
        elsewhere = covered_by(tokens, unknown)
        self._drop_linked_elsewhere(entities, kept.overlapping(elsewhere) & (kept.page_hashes == 0))
        if self._drops_adjectives:
            self._drop_adjectives(entities, kept, before_a_word(tokens, kept.first, kept.count))
        if not self._keeps_parts:
            inside = inside_longer_name(tokens, kept.first, kept.count, under + elsewhere)
            # In a headline in capitals they tell nothing; a page's own names are believed.
            headlines = np.array([text.isupper() for text in texts], dtype=bool)
            self._drop_parts(entities, inside & ~headlines[places] & (kept.page_hashes == 0))
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
        """Return the entity that each name means on its page; -1 if that is unclear."""
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

    def _drop_linked_elsewhere(self, entities: NDArray[np.int64], linked_elsewhere: NDArray[np.bool_]) -> None:
        """Drop entities that have a page if a link on the name leads to another page."""
        at = np.flatnonzero(linked_elsewhere & (entities >= 0))
        at = at[self._gazetteer.have_page(entities[at])]
        entities[at] = -1
        self.counts["dropped: a link says that it is something else"] += len(at)

    def _drop_parts(self, entities: NDArray[np.int64], inside: NDArray[np.bool_]) -> None:
        """Drop names inside longer ones."""
        at = np.flatnonzero(inside & (entities >= 0))
        entities[at] = -1
        self.counts["dropped: part of a longer name"] += len(at)

    def _drop_adjectives(self, entities: NDArray[np.int64], kept: Taken, described: NDArray[np.bool_]) -> None:
        """Drop languages and peoples whose name describes the next word."""
        at = np.flatnonzero(described & (entities >= 0))
        at = at[self._gazetteer.are_adjectives(kept.name_hashes[at], entities[at])]
        entities[at] = -1
        self.counts["dropped: describes the word behind it"] += len(at)

    def _bearer(self, position: int, page: PageNames) -> int:
        """Return which of its bearers an ambiguous name means on a page; -1 if that is unclear."""
        bearers = self._gazetteer.bearers_at(position)
        on_page = [entity for entity, _ in bearers if entity in page.entities]
        if len(on_page) == 1:
            self.counts["ambiguous names decided by the page"] += 1
            return on_page[0]
        proper = [entity for entity, rank in bearers if rank in (LABEL, TITLE)]
        if not on_page and len(proper) == 1:
            self.counts["ambiguous names decided by label or title"] += 1
            return proper[0]
        self.counts["dropped: ambiguous"] += 1
        return -1

    def _named(self, found: _Found) -> Iterator[tuple[int, tuple[Mention, ...]]]:
        """Yield the sentences to keep, with the ids and types of their entities."""
        numbers, which = np.unique(found.entities, return_inverse=True)
        ids, types = self._gazetteer.ids(numbers), self._gazetteer.types(numbers)
        begins = np.flatnonzero(np.diff(found.places, prepend=-1)).tolist()
        rows = [column.tolist() for column in (found.places, found.starts, found.stops, which, found.origins)]
        places, starts, stops, entities, origins = rows
        for begin, end in pairwise([*begins, len(places)]):
            if len(set(entities[begin:end])) < self._fewest:
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
    """Yield portions of documents of bounded size: arrays long enough to be fast, short enough for memory."""
    begin = size = 0
    for place, document in enumerate(documents):
        size += len(document.text)
        if size >= _CHARACTERS_AT_A_TIME:
            yield documents[begin : place + 1]
            begin, size = place + 1, 0
    if begin < len(documents):
        yield documents[begin:]


def _learned(tokens: Tokens, owners: list[tuple[int, int]], pages: list[PageNames]) -> tuple[Runs, dict[int, int]]:
    """Find the names that pages define, each on its own page from its first use on; return also what each means."""
    listed = [(number, name) for number, page in enumerate(pages) for name in page.names]
    if not listed:
        return PhraseTable.of(tokenise([])).find(tokens), {}
    # The hashes of a page start from its number: one table serves all pages, and each finds only its own names.
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
