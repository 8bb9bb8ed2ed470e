"""A training set tokenised once, kept on disk and memory-mapped afterwards."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from jaxtyping import Bool
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches.balanced import rows_by_relation
from protorel.batches.layout import StatementTokenizer
from protorel.batches.token_rows import TokenRows, TokenRowsBuilder, tokenise
from protorel.io.files import cache_root, read_json, write_json, written_whole
from protorel.statements import BadInput, StatementError, StatementSource
from protorel.statements.pairs import EntityPair, entity_pair

CACHE_VERSION = 4
_ARRAYS = ("tokens", "starts", "places", "relations", "groups", "pairs", "origins")


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Tokenised, labelled statements: what a sampler draws from and an objective is told."""

    rows: TokenRows
    relations: NDArray[np.int32]
    """For each row the index of its label among `names`."""
    groups: NDArray[np.int32]
    """For each row the statement it is; rows with equal numbers are one statement under several labels."""
    pairs: NDArray[np.int32]
    """For each row the entity pair that it is about."""
    origins: NDArray[np.int64]
    """For each row which statement of the source it is, counted from 0: some give no row."""
    names: tuple[str, ...]
    folder: Path
    rejected: tuple[dict[str, str], ...]
    unlabelled: int
    labels_of_group: dict[int, tuple[int, ...]]
    """All labels of those statements that have more than one."""

    def __len__(self) -> int:
        return len(self.rows)

    def labels(self, indices: Sequence[int]) -> Bool[Tensor, "batch relations"]:
        """Tell for each row all the labels that its statement carries anywhere in the data."""
        labels = torch.zeros(len(indices), len(self.names), dtype=torch.bool)
        for target, index in zip(labels, indices, strict=True):
            own = (int(self.relations[index]),)
            target[list(self.labels_of_group.get(int(self.groups[index]), own))] = True
        return labels

    def ids(self, indices: Sequence[int]) -> list[str]:
        """Return the own ids of some statements."""
        ids = self.all_ids()
        return [ids[index] for index in indices]

    def all_ids(self) -> list[str]:
        """Return the own ids of all statements, in order."""
        ids: list[str] = pq.read_table(self.folder / "ids.parquet").column("id").to_pylist()
        return ids

    def rows_of_relation(self) -> list[NDArray[np.int64]]:
        """Return, for each relation, the rows that carry it."""
        return rows_by_relation(self.relations, len(self.names))

    def rows_of_pair(self) -> list[NDArray[np.int64]]:
        """Return, for each entity pair that stands in two statements or more, the rows that are about it."""
        of_pair = rows_by_relation(self.pairs, int(self.pairs.max()) + 1 if len(self) else 0)
        return [rows for rows in of_pair if len(np.unique(self.groups[rows])) > 1]


def training_rows(
    source: StatementSource,
    tokenizer: StatementTokenizer,
    *,
    max_length: int,
    data_fingerprint: str,
    root: Path | None = None,
) -> TrainingRows:
    """Open the tokenised form of a data set, making it first where it does not exist yet or is damaged."""
    key = hashlib.sha256(f"{CACHE_VERSION} {data_fingerprint} {tokenizer.fingerprint} {max_length}".encode())
    folder = (root or cache_root() / "tokens") / key.hexdigest()[:32]
    opened = _open(folder, tokenizer) if folder.exists() else None
    if opened is None:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _build(source, tokenizer, max_length, folder)
        except OSError:
            # Another process may have made the same cache meanwhile; where it is whole, ours is not needed.
            if _open(folder, tokenizer) is None:
                raise
        opened = _open(folder, tokenizer)
    if opened is None:
        raise BadInput(f"{folder}: the token cache cannot be read back; set PROTOREL_CACHE to a sound disk")
    return opened


def _build(source: StatementSource, tokenizer: StatementTokenizer, max_length: int, folder: Path) -> None:
    builder = TokenRowsBuilder(tokenizer.layout)
    relations: list[str] = []
    keys: list[bytes] = []
    pairs: list[EntityPair] = []
    ids: list[str] = []
    origins: list[int] = []
    rejected: list[dict[str, str]] = []
    unlabelled = 0
    for number, (statement, row) in enumerate(tokenise(source(), tokenizer, max_length=max_length)):
        if statement.relation is None:
            unlabelled += 1
        elif isinstance(row, StatementError):
            rejected.append({"id": statement.id, "field": row.field, "reason": row.reason})
        else:
            builder.add(row)
            relations.append(statement.relation)
            keys.append(statement.key)
            pairs.append(entity_pair(statement))
            ids.append(statement.id)
            origins.append(number)
    rows = builder.finish()
    names = sorted(set(relations))
    code = {name: index for index, name in enumerate(names)}
    group_of: dict[bytes, int] = {}
    pair_of: dict[EntityPair, int] = {}
    arrays: dict[str, NDArray[Any]] = {
        "tokens": rows.tokens,
        "starts": rows.starts,
        "places": rows.places,
        "relations": np.asarray([code[name] for name in relations], dtype=np.int32),
        "groups": np.asarray([group_of.setdefault(key, len(group_of)) for key in keys], dtype=np.int32),
        "pairs": np.asarray([pair_of.setdefault(pair, len(pair_of)) for pair in pairs], dtype=np.int32),
        "origins": np.asarray(origins, dtype=np.int64),
    }
    with written_whole(folder) as beside:
        beside.mkdir(parents=True)
        for name, array in arrays.items():
            np.save(beside / f"{name}.npy", array, allow_pickle=False)
        pq.write_table(pa.table({"id": pa.array(ids, type=pa.string())}), beside / "ids.parquet")
        sizes = {path.name: path.stat().st_size for path in beside.iterdir()}
        meta = {"names": names, "rejected": rejected, "unlabelled": unlabelled, "sizes": sizes}
        write_json(beside / "meta.json", meta)


def _open(folder: Path, tokenizer: StatementTokenizer) -> TrainingRows | None:
    """Memory-map a cache folder, or return None where it is damaged."""
    try:
        meta: dict[str, Any] = read_json(folder / "meta.json")
        if any((folder / name).stat().st_size != size for name, size in meta["sizes"].items()):
            return None
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS}
        names, rejected, unlabelled = tuple(meta["names"]), tuple(meta["rejected"]), meta["unlabelled"]
    except (BadInput, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return TrainingRows(
        rows=TokenRows(arrays["tokens"], arrays["starts"], arrays["places"], tokenizer.layout),
        relations=arrays["relations"],
        groups=arrays["groups"],
        pairs=arrays["pairs"],
        origins=arrays["origins"],
        names=names,
        folder=folder,
        rejected=rejected,
        unlabelled=unlabelled,
        labels_of_group=_labels_of_groups(arrays["groups"], arrays["relations"]),
    )


def _labels_of_groups(groups: NDArray[np.int32], relations: NDArray[np.int32]) -> dict[int, tuple[int, ...]]:
    pairs = set(zip(groups.tolist(), relations.tolist(), strict=True))
    count = Counter(group for group, _ in pairs)
    shared: dict[int, list[int]] = {}
    for group, relation in sorted(pairs):
        if count[group] > 1:
            shared.setdefault(group, []).append(relation)
    return {group: tuple(labels) for group, labels in shared.items()}
