"""A shard of documents: what is kept of it in one folder, and the work on it as a function that any process can run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.corpora import Reject
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.mentions.finder import MentionedSentence, MentionFinder, MentionRule
from protorel.harvest.mentions.ner import Recogniser
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.records import ShardRecord, read_record, readable
from protorel.harvest.sources.text import RawDocument, parse
from protorel.harvest.types import Tally
from protorel.io import write_json, write_text, written_whole

SENTENCES = pa.schema([("place", pa.int64()), ("text", pa.string())])
MENTIONS = pa.schema(
    [
        ("place", pa.int64()),
        ("document", pa.string()),
        ("sentence", pa.int32()),
        ("starts_at", pa.int32()),
        ("stops_at", pa.int32()),
        ("entity", pa.string()),
        ("type", pa.string()),
        ("origin", pa.string()),
    ]
)
_SENTENCES_PER_SHARD = 2**32


@dataclass(frozen=True, slots=True)
class Shard:
    """A folder that is written atomically: if it exists, the shard is done."""

    number: int
    folder: Path

    @classmethod
    def numbered(cls, number: int, parent: Path) -> Shard:
        """Return a shard by its number."""
        return cls(number, parent / f"{number:06d}")

    @property
    def is_done(self) -> bool:
        """Whether the shard was written and its counts are intact."""
        return readable(self.folder / "counts.json", ShardRecord) is not None

    @property
    def sentences(self) -> Path:
        """Sentences that name at least two entities, each with its number in the entire text."""
        return self.folder / "sentences.parquet"

    @property
    def mentions(self) -> Path:
        """The mentions in these sentences."""
        return self.folder / "mentions.parquet"

    def counts(self) -> ShardRecord:
        """Return the counts of the shard."""
        return read_record(self.folder / "counts.json", ShardRecord)

    @property
    def rejects(self) -> Path:
        """Documents of the shard that could not be read, one JSON object per line."""
        return self.folder / "rejects.jsonl"

    def write(
        self, sentences: Sequence[MentionedSentence], counts: Mapping[str, int], tally: Tally, rejects: Sequence[Reject]
    ) -> None:
        """Write sentences, mentions, counts and rejects."""
        first = self.number * _SENTENCES_PER_SHARD
        texts: list[tuple[Any, ...]] = []
        mentions: list[tuple[Any, ...]] = []
        for place, one in enumerate(sentences, start=first):
            texts.append((place, one.text))
            mentions += [
                (place, one.document, one.number, m.start, m.stop, m.entity, m.type, m.origin) for m in one.mentions
            ]
        # A folder that was altered is not done, but it exists.
        shutil.rmtree(self.folder, ignore_errors=True)
        with written_whole(self.folder) as folder:
            folder.mkdir()
            _write(texts, SENTENCES, folder / "sentences.parquet")
            _write(mentions, MENTIONS, folder / "mentions.parquet")
            write_text(folder / "rejects.jsonl", "".join(f"{reject.as_json()}\n" for reject in rejects))
            write_json(folder / "counts.json", {"text": tally.as_json(), "mentions": dict(sorted(counts.items()))})


def _write(rows: list[tuple[Any, ...]], schema: pa.Schema, path: Path) -> None:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, compression="zstd")


@dataclass(frozen=True, slots=True)
class WorkPlaces:
    """Where the work on a shard finds its inputs and writes its output."""

    gazetteer: Path
    shards: Path
    redirects: Path | None = None


@dataclass(frozen=True, slots=True)
class ShardTask:
    """The documents of a shard, parsed or not, and where to work."""

    number: int
    documents: Sequence[RawDocument]
    places: WorkPlaces
    rule: MentionRule

    @property
    def shard(self) -> Shard:
        """The shard that this task writes."""
        return Shard.numbered(self.number, self.places.shards)


def do_shard(task: ShardTask) -> int:
    """Parse the documents of a shard, find and write their mentions, and return the shard's number."""
    rejects: list[Reject] = []
    tally = Tally(on_reject=rejects.append)
    parsed = (parse(raw, tally, task.places.redirects) for raw in task.documents)
    documents = [document for document in parsed if document is not None]
    finder = MentionFinder(
        _gazetteer(task.places.gazetteer),
        split=partial(split_sentences, tally=tally),
        most_mentions=task.rule.most_mentions,
        drop_adjectives=task.rule.drop_adjectives,
        parts_of_names=task.rule.parts_of_names,
    )
    found = finder.find(documents)
    if task.rule.ner is not None:
        found = _recogniser(task.rule.ner).checked(found, finder.counts)
    task.shard.write(list(found), finder.counts, tally, rejects)
    return task.number


@lru_cache(maxsize=1)
def _gazetteer(folder: Path) -> Gazetteer:
    # Mapped once per process.
    return Gazetteer.load(folder)


@lru_cache(maxsize=1)
def _recogniser(pipeline: str) -> Recogniser:
    return Recogniser(pipeline)
