"""Building a gazetteer from names in Parquet (name, entity, kind): read in batches, written to a folder atomically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from protorel.harvest.gazetteer.gazetteer import FORMAT_VERSION, Gazetteer
from protorel.harvest.gazetteer.name_rules import (
    FORM,
    MAX_TOKENS,
    RANKS,
    TITLE,
    adjective_in,
    borne_names,
    forms,
    refused,
)
from protorel.harvest.gazetteer.phrase_table import PhraseTable, sequence_hashes, token_counts
from protorel.harvest.gazetteer.tokens import Hashes, tokenise
from protorel.io import write_json, written_whole

_NAMES_AT_A_TIME = 5_000
Number = TypeVar("Number", bound=np.generic)


def build_gazetteer(names: Path, folder: Path, *, entities: Path | None = None) -> Gazetteer:
    """Build a gazetteer from `names` and load it; `entities` (entity, kind) gives the known types."""
    encoded = pq.read_table(names, columns=["entity"])["entity"].combine_chunks().dictionary_encode()
    ids, numbers = encoded.dictionary, encoded.indices.to_numpy()
    collected = _Collected()
    for batch, kinds, at in _batches(names):
        collected.add(batch, kinds, numbers[at : at + len(batch)].tolist())
    with written_whole(folder) as partial:
        partial.mkdir()
        collected.write(partial, ids, _types(ids, entities))
    return Gazetteer.load(folder)


class _Collected:
    """The sum of batches of names: flagged prefixes, and full names with their bearers."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._beginnings: list[Hashes] = []
        self._names: list[Hashes] = []
        self._bearers: list[NDArray[np.uint32]] = []
        self._ranks: list[NDArray[np.uint8]] = []
        self._adjectives: list[Hashes] = []
        self._longest = 0

    def add(self, names: list[str], kinds: list[str], numbers: list[int]) -> None:
        """Add a batch of names, each in all its forms."""
        texts: list[str] = []
        rows: list[tuple[int, int]] = []
        adjectives: list[tuple[str, int]] = []
        for name, kind, number in zip(names, kinds, numbers, strict=True):
            self.counts["names given"] += 1
            if reason := refused(name):
                self.counts[f"names left out: {reason}"] += 1
                continue
            for place, form in enumerate(forms(name)):
                texts.append(form)
                rows.append((number, FORM if place else RANKS[kind]))
            if adjective := adjective_in(name):
                adjectives += [(form, number) for form in forms(adjective)]
        tokens = tokenise(texts)
        short = token_counts(tokens, texts=len(texts)) <= MAX_TOKENS
        ranks = np.array([rank for _, rank in rows], dtype=np.uint8)
        self.counts[f"names left out: more than {MAX_TOKENS} tokens"] += int((~short & (ranks != FORM)).sum())
        kept = tokens.of_texts(short)
        table = PhraseTable.of(kept)
        self._longest = max(self._longest, table.longest)
        self._beginnings.append(table.cells[table.cells != 0])
        self._names.append(sequence_hashes(tokens, texts=len(texts))[short])
        self._bearers.append(np.array([number for number, _ in rows], dtype=np.uint32)[short])
        self._ranks.append(ranks[short])
        self._adjectives.append(_borne(adjectives))

    def write(self, folder: Path, ids: pa.Array, types: pa.Array) -> None:
        """Write the arrays, the entities and the counts."""
        beginnings = _joined(self._beginnings, np.uint64)
        self._beginnings.clear()
        table = PhraseTable.of_beginnings(beginnings, longest=self._longest)
        del beginnings
        names, bearers, ranks = (
            _joined(self._names, np.uint64),
            _joined(self._bearers, np.uint32),
            _joined(self._ranks, np.uint8),
        )
        titled = np.unique(bearers[ranks == TITLE])
        order = np.lexsort((ranks, bearers, names))
        names, bearers, ranks = names[order], bearers[order], ranks[order]
        # If an entity has a name in two ways, the better one counts: that row comes first.
        new = np.ones(len(names), dtype=bool)
        new[1:] = (names[1:] != names[:-1]) | (bearers[1:] != bearers[:-1])
        names, bearers, ranks = names[new], bearers[new], ranks[new]
        starts = (
            np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]])) if len(names) else np.zeros(0, np.int64)
        )
        first = np.append(starts, len(names)).astype(np.uint32)
        arrays: dict[str, NDArray[Any]] = {
            "cells": table.cells,
            "names": names[starts],
            "first": first,
            "bearers": bearers,
            "ranks": ranks,
            "adjectives": np.unique(_joined(self._adjectives, np.uint64)),
        }
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        has_page = np.zeros(len(ids), dtype=bool)
        has_page[titled] = True
        entities = pa.table({"id": ids.cast(pa.large_string()), "type": types, "has_page": has_page})
        with pa.ipc.new_file(str(folder / "entities.arrow"), entities.schema) as writer:
            writer.write_table(entities)
        self.counts["forms sought"] = len(starts)
        self.counts["forms that several entities bear"] = int((np.diff(first) > 1).sum())
        self.counts["entities"] = len(ids)
        about = {"version": FORMAT_VERSION, "places": table.places, "longest": table.longest}
        write_json(folder / "gazetteer.json", {**about, "counts": dict(sorted(self.counts.items()))})


def _batches(names: Path) -> Iterator[tuple[list[str], list[str], int]]:
    """Yield names, kinds, and the row number of the first."""
    at = 0
    with pq.ParquetFile(names) as file:
        for batch in file.iter_batches(batch_size=_NAMES_AT_A_TIME, columns=["name", "kind"]):
            yield batch["name"].to_pylist(), batch["kind"].to_pylist(), at
            at += len(batch)


def _types(ids: pa.Array, entities: Path | None) -> pa.Array:
    """Return the type of each entity, dictionary-encoded; all null without a file."""
    if entities is None:
        return pa.nulls(len(ids), pa.string())
    known = pq.read_table(entities, columns=["entity", "kind"])
    at = pc.index_in(ids, value_set=known["entity"].combine_chunks())
    return known["kind"].combine_chunks().take(at).dictionary_encode()


def _borne(adjectives: list[tuple[str, int]]) -> Hashes:
    hashes = sequence_hashes(tokenise([name for name, _ in adjectives]), texts=len(adjectives))
    return borne_names(hashes, np.array([number for _, number in adjectives], dtype=np.uint32))


def _joined(parts: Sequence[NDArray[Number]], kind: type[Number]) -> NDArray[Number]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
