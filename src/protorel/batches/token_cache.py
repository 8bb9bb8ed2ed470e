"""The token cache: a training set is tokenised once, stored on disk and memory-mapped."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches.layout import StatementTokenizer
from protorel.batches.samplers import rows_by_relation
from protorel.batches.token_rows import TokenRows, TokenRowsBuilder, tokenise
from protorel.io import ArrayCache, CachedArrays, cache_root
from protorel.statements import EntityPair, StatementError, StatementSource, entity_pair

_SCHEMA = "token rows, version 5"
_TYPES = {
    "tokens": np.int32, "starts": np.int64, "places": np.int32, "relations": np.int32, "groups": np.int32,
    "pairs": np.int32, "origins": np.int64, "id_bytes": np.uint8, "id_ends": np.int64,
}  # fmt: skip
"""The arrays of a cache."""


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Tokenised, labelled statements: what a sampler draws from, and the input of an objective."""

    rows: TokenRows
    relations: NDArray[np.int32]
    """For each row the index of its label among `names`; -1: a label that means no relation."""
    groups: NDArray[np.int32]
    """For each row the number of its statement; rows with equal numbers are one statement under several labels."""
    pairs: NDArray[np.int32]
    """For each row the number of its entity pair."""
    origins: NDArray[np.int64]
    """For each row its position in the source, counted from 0: some statements give no row."""
    id_bytes: NDArray[np.uint8]
    """The statements' ids in UTF-8, concatenated."""
    id_ends: NDArray[np.int64]
    """For each row where its id ends."""
    names: tuple[str, ...]
    folder: Path | None
    """The folder that the rows are memory-mapped from; None: they are in memory."""
    rejected: tuple[dict[str, str], ...]
    unlabelled: int
    labels_of_group: dict[int, tuple[int, ...]]
    """All labels of each statement that has more than one."""

    def __len__(self) -> int:
        return len(self.rows)

    def labels(self, indices: Sequence[int]) -> Bool[Tensor, "batch relations"]:
        """Return for each row all labels that its statement has anywhere in the data."""
        labels = torch.zeros(len(indices), len(self.names), dtype=torch.bool)
        for target, index in zip(labels, indices, strict=True):
            own = () if self.relations[index] < 0 else (int(self.relations[index]),)
            target[list(self.labels_of_group.get(int(self.groups[index]), own))] = True
        return labels

    def without_labels(self, names: Collection[str]) -> TrainingRows:
        """Return the same rows, in which some labels are none: their index is -1, unless the statement has others."""
        kept = [number for number, name in enumerate(self.names) if name not in names]
        if len(kept) == len(self.names):
            return self
        code = np.full(len(self.names), -1, dtype=np.int32)
        code[kept] = np.arange(len(kept), dtype=np.int32)
        relations = code[self.relations]
        return replace(
            self,
            relations=relations,
            names=tuple(self.names[number] for number in kept),
            labels_of_group={
                group: tuple(int(code[label]) for label in labels if code[label] >= 0)
                for group, labels in self.labels_of_group.items()
            },
        )

    @property
    def unlabelled_rows(self) -> NDArray[np.int64]:
        """One row of each statement whose labels all are none."""
        labelled = np.unique(self.groups[self.relations >= 0])
        rows = np.flatnonzero((self.relations < 0) & ~np.isin(self.groups, labelled))
        return rows[np.unique(self.groups[rows], return_index=True)[1]].astype(np.int64)

    def ids(self, indices: Sequence[int]) -> list[str]:
        """Return the ids of some statements."""
        ids = self.all_ids()
        return [ids[index] for index in indices]

    def all_ids(self) -> list[str]:
        """Return the ids of all statements, in order."""
        whole = self.id_bytes.tobytes()
        ends = pairwise([0, *self.id_ends.tolist()])
        return [whole[start:stop].decode("utf-8", "surrogatepass") for start, stop in ends]

    def rows_of_relation(self) -> list[NDArray[np.int64]]:
        """Return the rows of each relation."""
        return rows_by_relation(self.relations, len(self.names))

    def rows_of_pair(self) -> list[NDArray[np.int64]]:
        """Return the rows of each entity pair that has two statements or more."""
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
    """Open the tokenised form of a data set; build it first if it does not exist or is damaged."""
    inputs = f"{data_fingerprint} {tokenizer.fingerprint} {max_length}"
    key = hashlib.sha256(inputs.encode()).hexdigest()
    cache = ArrayCache((root or cache_root() / "tokens") / key[:32], _SCHEMA, key)
    found = cache.get(lambda: _build(source, tokenizer, max_length), _check)
    arrays, facts = found.arrays, found.facts
    return TrainingRows(
        rows=TokenRows(arrays["tokens"], arrays["starts"], arrays["places"], tokenizer.layout),
        **{name: arrays[name] for name in ("relations", "groups", "pairs", "origins", "id_bytes", "id_ends")},
        names=tuple(facts["names"]),
        folder=found.folder,
        rejected=tuple(facts["rejected"]),
        unlabelled=facts["unlabelled"],
        labels_of_group=_labels_of_groups(arrays["groups"], arrays["relations"]),
    )


def _build(source: StatementSource, tokenizer: StatementTokenizer, max_length: int) -> CachedArrays:
    builder = TokenRowsBuilder(tokenizer.layout)
    relations: list[str] = []
    keys: list[bytes] = []
    pairs: list[EntityPair] = []
    ids: list[bytes] = []
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
            ids.append(statement.id.encode("utf-8", "surrogatepass"))
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
        "id_bytes": np.frombuffer(b"".join(ids), dtype=np.uint8),
        "id_ends": np.cumsum([len(one) for one in ids], dtype=np.int64),
    }
    return CachedArrays(arrays, {"names": names, "rejected": rejected, "unlabelled": unlabelled})


def _check(found: CachedArrays) -> None:
    """Refuse arrays that do not fit together."""
    arrays, facts = found.arrays, found.facts
    if {name: array.dtype for name, array in arrays.items()} != _TYPES:
        raise ValueError("expected other arrays")
    rows, names = len(arrays["relations"]), len(facts["names"])
    if not isinstance(facts["rejected"], list) or not isinstance(facts["unlabelled"], int):
        raise ValueError("expected the statements that were left out, got none")
    of_rows = ("groups", "pairs", "origins", "id_ends")
    shapes = {"places": (rows, 4), "starts": (rows + 1,), **dict.fromkeys(of_rows, (rows,))}
    if any(arrays[name].shape != shape for name, shape in shapes.items()):
        raise ValueError("expected arrays with one row per statement")
    for ends, within in ((arrays["starts"], arrays["tokens"]), (arrays["id_ends"], arrays["id_bytes"])):
        if (np.diff(ends, prepend=0) < 0).any() or (len(ends) and ends[-1] != len(within)):
            raise ValueError("expected each row to end where the next begins")
    if rows and not 0 <= arrays["relations"].min() <= arrays["relations"].max() < names:
        raise ValueError("expected a name for each relation")


def _labels_of_groups(groups: NDArray[np.int32], relations: NDArray[np.int32]) -> dict[int, tuple[int, ...]]:
    pairs = set(zip(groups.tolist(), relations.tolist(), strict=True))
    count = Counter(group for group, _ in pairs)
    shared: dict[int, list[int]] = {}
    for group, relation in sorted(pairs):
        if count[group] > 1:
            shared.setdefault(group, []).append(relation)
    return {group: tuple(labels) for group, labels in shared.items()}
