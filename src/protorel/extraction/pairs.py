"""Pairs of mentions that are close enough to be asked about, and the text that the model reads for each.

Two mentions are close if they lie within `window` sentences. Pairs are found sentence by sentence, nearest first, and
never all at once: a text of any length costs memory for its mentions only. What is not asked is counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protorel.extraction.triples import Mention
from protorel.harvest import split_sentences
from protorel.statements import MAX_TEXT, Span

_CONTEXT = 200
"""Characters that are kept on each side of a pair, however far apart its mentions are."""


class Pair(NamedTuple):
    """Two mentions by number, the earlier one first, and the characters of the text that the model reads."""

    first: int
    second: int
    window: Span


@dataclass(frozen=True, slots=True)
class PairRule:
    """How far apart the mentions of a pair may be, and how many pairs are asked."""

    window: int
    most_pairs: int
    most_characters: int

    def pairs(
        self, text: str, mentions: Sequence[Mention], entities: Sequence[Hashable], counts: Counter[str]
    ) -> Iterator[Pair]:
        """Yield the pairs to ask, sentence by sentence; ordered pairs that are not asked are counted by reason.

        Args:
            text: The text of the mentions.
            mentions: In order and without overlap.
            entities: For each mention what it stands for; mentions of the same entity are no pair.
            counts: Gains `pairs`, `too_far`, `over_cap`, `same_entity` and `same_pair`.
        """
        counts["pairs"] += (far := len(mentions) * (len(mentions) - 1))
        sentences, owners = _sentences(text, mentions)
        low = 0
        while low < len(mentions):
            high = bisect_left(owners, owners[low] + 1, low)
            end = bisect_left(owners, owners[low] + self.window, low)
            near = sum(end - place - 1 for place in range(low, high))
            far -= 2 * near
            yield from self._of_sentence(range(low, high), end, near, (mentions, entities, sentences, owners), counts)
            low = high
        counts["too_far"] += far

    def _of_sentence(self, firsts: range, end: int, near: int, of: _Text, counts: Counter[str]) -> Iterator[Pair]:
        """Yield the pairs whose earlier mention is in one sentence, the fewest mentions between them first."""
        mentions, entities, sentences, owners = of
        most = max(1, self.most_pairs // 2)
        counts["over_cap"] += 2 * max(0, near - most)
        seen: set[tuple[int, frozenset[Hashable]]] = set()
        for first, second in _nearest_first(firsts, end, most):
            both = (owners[second], frozenset((entities[first], entities[second])))
            if entities[first] == entities[second]:
                counts["same_entity"] += 2
            elif both in seen:
                counts["same_pair"] += 2
            elif mentions[second].stop - mentions[first].start > MAX_TEXT - 2 * _CONTEXT:
                counts["too_far"] += 2
            else:
                seen.add(both)
                whole = Span(sentences[owners[first]].start, sentences[owners[second]].stop)
                yield Pair(first, second, whole)


_Text = tuple[Sequence[Mention], Sequence[Hashable], Sequence[Span], Sequence[int]]
"""Mentions, what they stand for, sentences, and the sentence of each mention."""


def _nearest_first(firsts: range, end: int, most: int) -> Iterator[tuple[int, int]]:
    given = 0
    for distance in range(1, end - firsts.start):
        for first in range(firsts.start, min(firsts.stop, end - distance)):
            if given == most:
                return
            given += 1
            yield first, first + distance


def _sentences(text: str, mentions: Sequence[Mention]) -> tuple[list[Span], list[int]]:
    """Return the sentences up to the last mention, and the sentence of each mention.

    A sentence end inside a mention is none: the two sentences are one.
    """
    ahead = split_sentences(text, longest=max(len(text), 1))
    passed: list[Span] = []
    owners: list[int] = []
    place = 0
    for mention in mentions:
        while place < len(ahead) - 1 and ahead[place].stop <= mention.start:
            passed.append(ahead[place])
            place += 1
        begin = place
        while place < len(ahead) - 1 and ahead[place + 1].start < mention.stop:
            place += 1
        start, stop = min(ahead[begin].start, mention.start), max(ahead[place].stop, mention.stop)
        ahead[place] = Span(start, stop)
        owners.append(len(passed))
    return [*passed, *ahead[place : place + 1]], owners


def cropped(text: str, window: Span, inner: Span, *, most: int) -> Span:
    """Return a window of at most `most` characters around the characters that must stay, cut between words.

    If these are longer, some context stays on both sides.
    """
    if window.stop - window.start <= most:
        return window
    spare = max(most - (inner.stop - inner.start), 2 * _CONTEXT)
    start = max(window.start, inner.start - max(spare // 2, spare - (window.stop - inner.stop)))
    stop = min(window.stop, inner.stop + spare - (inner.start - start))
    if start > window.start and (gap := text.find(" ", start, inner.start)) >= 0:
        start = gap + 1
    if stop < window.stop and (gap := text.rfind(" ", inner.stop, stop)) >= 0:
        stop = gap
    return Span(start, stop)
