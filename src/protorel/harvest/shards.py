"""What is kept of a shard of documents: its sentences and mentions as Parquet, and its counts, in one folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.corpora import Reject
from protorel.harvest.mentions import MentionedSentence
from protorel.harvest.records import ShardRecord, read_record, readable
from protorel.harvest.tally import Tally
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
_SENTENCES_A_SHARD = 2**32


@dataclass(frozen=True, slots=True)
class Shard:
    """A folder that is there whole or not at all, so that its presence says that the shard is done."""

    number: int
    folder: Path

    @classmethod
    def numbered(cls, number: int, parent: Path) -> Shard:
        """Return a shard by its number."""
        return cls(number, parent / f"{number:06d}")

    @property
    def is_done(self) -> bool:
        """Whether the shard was written."""
        return readable(self.folder / "counts.json", ShardRecord) is not None

    @property
    def sentences(self) -> Path:
        """Sentences that name two entities or more, each with its number in all of the text."""
        return self.folder / "sentences.parquet"

    @property
    def mentions(self) -> Path:
        """What they name."""
        return self.folder / "mentions.parquet"

    def counts(self) -> ShardRecord:
        """Return what was counted on the way."""
        return read_record(self.folder / "counts.json", ShardRecord)

    @property
    def rejects(self) -> Path:
        """Documents of the shard that could not be read, one line of JSON each."""
        return self.folder / "rejects.jsonl"

    def write(
        self, sentences: Sequence[MentionedSentence], counts: Mapping[str, int], tally: Tally, rejects: Sequence[Reject]
    ) -> None:
        """Write what was found in the documents, what was counted, and what could not be read."""
        first = self.number * _SENTENCES_A_SHARD
        texts: list[tuple[Any, ...]] = []
        mentions: list[tuple[Any, ...]] = []
        for place, one in enumerate(sentences, start=first):
            texts.append((place, one.text))
            mentions += [
                (place, one.document, one.number, m.start, m.stop, m.entity, m.type, m.origin) for m in one.mentions
            ]
        # One that was altered, and is so not done, is there all the same.
        shutil.rmtree(self.folder, ignore_errors=True)
        with written_whole(self.folder) as beside:
            beside.mkdir()
            _write(texts, SENTENCES, beside / "sentences.parquet")
            _write(mentions, MENTIONS, beside / "mentions.parquet")
            write_text(beside / "rejects.jsonl", "".join(f"{reject.as_json()}\n" for reject in rejects))
            write_json(beside / "counts.json", {"text": tally.as_json(), "mentions": dict(sorted(counts.items()))})


def done_shards(parent: Path) -> list[Shard]:
    """Return the shards that were written, in order."""
    found = (Shard(int(folder.name), folder) for folder in sorted(parent.glob("[0-9]*")))
    return [shard for shard in found if shard.is_done]


def _write(rows: list[tuple[Any, ...]], schema: pa.Schema, path: Path) -> None:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, compression="zstd")
