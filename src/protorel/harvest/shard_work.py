"""The work on one shard, as a function that any process on any machine can import and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.gazetteer import Gazetteer
from protorel.harvest.mentions import MOST_MENTIONS, MentionFinder
from protorel.harvest.ner import Recogniser
from protorel.harvest.sentences import split_sentences
from protorel.harvest.shards import Shard
from protorel.harvest.tally import Tally
from protorel.harvest.text_stream import Unread, read


@dataclass(frozen=True, slots=True)
class MentionRule:
    """What may be chosen about mentions."""

    most_mentions: int = MOST_MENTIONS
    """Sentences that name more are left out."""
    ner: str | None = None
    """A spaCy pipeline that checks names and gives types; none to do without."""
    drop_adjectives: bool = False
    """Whether a language or people is left out whose name describes the word behind it: `the Lunskian poet`."""


@dataclass(frozen=True, slots=True)
class WorkPlaces:
    """Where a shard's work finds what it needs, and where it leaves what it found."""

    gazetteer: Path
    shards: Path
    redirects: Path | None = None


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Some documents, read or not, and where to work."""

    number: int
    documents: Sequence[Unread]
    places: WorkPlaces
    rule: MentionRule

    @property
    def shard(self) -> Shard:
        """Where the result stands, when it does."""
        return Shard.numbered(self.number, self.places.shards)


def do_shard(task: ShardTask) -> int:
    """Read the documents of a shard, find what they name, write that, and return the shard's number."""
    rejects: list[Reject] = []
    tally = Tally(on_reject=rejects.append)
    read_ones = (read(given, tally, task.places.redirects) for given in task.documents)
    documents = [document for document in read_ones if document is not None]
    finder = MentionFinder(
        _gazetteer(task.places.gazetteer),
        split=partial(split_sentences, tally=tally),
        most_mentions=task.rule.most_mentions,
        drop_adjectives=task.rule.drop_adjectives,
    )
    found = finder.find(documents)
    if task.rule.ner is not None:
        found = _recogniser(task.rule.ner).checked(found, finder.counts)
    task.shard.write(list(found), finder.counts, tally, rejects)
    return task.number


@lru_cache(maxsize=1)
def _gazetteer(folder: Path) -> Gazetteer:
    # Mapped once for each process.
    return Gazetteer.load(folder)


@lru_cache(maxsize=1)
def _recogniser(pipeline: str) -> Recogniser:
    return Recogniser(pipeline)
