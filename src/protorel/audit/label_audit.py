"""Audit: every label of a data set with its score and evidence, the most suspicious first; three files on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from protorel.audit.columns import AUDIT_SCHEMA, FORMAT_VERSION, ID_KEY, RELATION_SCHEMA, VERSION_KEY
from protorel.audit.sampling import Sample, draw_sample
from protorel.audit.wrong_share import WrongShare, estimate_wrong_share
from protorel.io import BadInput, as_path, check_source, check_type, read_json, write_json, written_whole
from protorel.statements import STATEMENT_FIELDS, Statement, statement_from_row

AUDIT, RELATIONS, SUMMARY = "audit.parquet", "relations.parquet", "summary.json"
"""The files of an audit folder."""


@dataclass(frozen=True, slots=True)
class KeptStatements:
    """The statements that an audit keeps, in the order of the data, and those that went."""

    statements: tuple[Statement, ...]
    dropped: tuple[tuple[Statement, str], ...]
    """Each with its reason, the lowest score first."""


@dataclass(frozen=True, repr=False)
class Audit:
    """The labels of a data set, scored.

    Args:
        table: One row per statement, the lowest score first; `AUDIT_SCHEMA` lists the columns.
        relations: One row per relation, the one with the highest share of wrong labels first.
        summary: Counts, model, data and settings, as `summary.json` has them.

    Example:
        `audit_labels` makes one; `read` and `write` are its way to disk and back.

        >>> from protorel import Audit, audit_labels
        >>> texts = ["Ada was born in Lunsk.", "Bela was born in Mere.", "Cato married Dora.", "Egon married Fay."]
        >>> rows = [
        ...     {"text": text, "head": text.split()[0], "tail": text[:-1].split()[-1], "relation": relation}
        ...     for text, relation in zip(texts, ["born_in", "born_in", "spouse", "spouse"])
        ... ]
        >>> found = audit_labels("minilm", rows)
        >>> found.write("audits/mine")
        >>> len(Audit.read("audits/mine")), found.relations.num_rows
        (4, 2)
    """

    table: pa.Table
    relations: pa.Table
    summary: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"Audit(statements={len(self)}, relations={self.relations.num_rows}, label_issues={self.label_issues})"

    @property
    def id(self) -> str:
        """A hash of the labels and their scores; judgements name the audit that they are for by it."""
        digest = hashlib.sha256()
        for name in ("row", "given_label", "label_score"):
            digest.update(str(self.table[name].to_pylist()).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()[:16]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The label scores, lowest first: 0 for a label that is certainly wrong, 1 for one that is certainly right."""
        return np.asarray(self.table["label_score"].to_numpy(), dtype=np.float64)

    @property
    def label_issues(self) -> int:
        """The number of labels that are more probably wrong than right."""
        return int(pc.sum(self.table["is_label_issue"]).as_py() or 0)

    def statements(self, places: Sequence[int] | None = None) -> list[Statement]:
        """Return the statements at some places of the ranking, or all of them, the most suspicious first."""
        columns = [name for name in AUDIT_SCHEMA.names if name in _STATEMENT_COLUMNS]
        table = self.table.select(columns)
        rows = (table if places is None else table.take(np.asarray(places, dtype=np.int64))).to_pylist()
        return [statement_from_row(row) for row in rows]

    def sample(self, size: int = 150, *, seed: int = 0) -> Sample:
        """Draw places to judge, doubtful labels with a higher probability; a larger sample extends a smaller one.

        Raises:
            BadInput: the size is below 1, or the seed below 0.
        """
        return draw_sample(self.scores, size, seed=seed)

    def wrong_share(
        self, verdicts: Mapping[int, bool | None] | None = None, *, sample: Sample | None = None
    ) -> WrongShare:
        """Estimate the share of wrong labels, of all and per relation, from verdicts on a sample.

        Args:
            verdicts: By place: True for a wrong label, False for a right one, None for an unclear one. Verdicts outside
                the sample do not count. None: the data's own, where `expresses` is given.
            sample: What was drawn to be judged; None: `sample()`.

        Returns:
            The share with a 95 % interval.

        Raises:
            BadInput: there is no verdict on the sample, or a place or a sample of another audit.
        """
        sample = self.sample() if sample is None else sample
        if verdicts is None:
            known = self.table["expresses"].to_pylist()
            verdicts = {place: None if known[place] is None else not known[place] for place in sample.places.tolist()}
        if outside := [place for place in verdicts if not 0 <= place < len(self)]:
            raise BadInput(f"wrong_share: expected places from 0 to {len(self) - 1}, got {outside[0]}")
        wrong = [verdicts.get(place) for place in sample.places.tolist()]
        return estimate_wrong_share(self.scores, sample, wrong, relations=self.table["given_label"].to_pylist())

    def keep(self, *, min_score: float = 0.5, most_dropped: float = 1.0) -> KeptStatements:
        """Return the statements whose labels look right, and the others, each with the reason why it went.

        Args:
            min_score: The lowest label score to keep.
            most_dropped: The largest share of statements to drop; the lowest scores go first.

        Raises:
            BadInput: a number is not between 0 and 1.
        """
        for name, value in (("min_score", min_score), ("most_dropped", most_dropped)):
            check_type(value, (int, float), where=name, expected="a number from 0 to 1")
            if not 0 <= value <= 1:
                raise BadInput(f"{name}: expected a number from 0 to 1, got {value}")
        dropped = min(int((self.scores < min_score).sum()), int(most_dropped * len(self)))
        everything = self.statements()
        rows = self.table["row"].to_numpy()[dropped:]
        kept = [everything[dropped + int(place)] for place in np.argsort(rows)]
        reasons = self.table["reason"].to_pylist()[:dropped]
        return KeptStatements(tuple(kept), tuple(zip(everything[:dropped], reasons, strict=True)))

    def write(self, folder: Path | str) -> None:
        """Write `audit.parquet`, `relations.parquet` and `summary.json` into a folder; the summary is written last.

        Raises:
            BadInput: the folder cannot be written into.
            WorkFailed: the disk is full or broken.
        """
        place = as_path(folder, "folder", expected="a folder")
        id = self.id
        marks = {VERSION_KEY: str(FORMAT_VERSION).encode(), ID_KEY: id.encode()}
        for name, table in ((AUDIT, self.table), (RELATIONS, self.relations)):
            with written_whole(place / name) as unfinished:
                pq.write_table(table.replace_schema_metadata(marks), unfinished, compression="zstd")
        write_json(place / SUMMARY, {**self.summary, "audit": id})

    @classmethod
    def read(cls, folder: Path | str) -> Self:
        """Read an audit that `write` wrote.

        Raises:
            BadInput: there is none, or a file of it is damaged or belongs to another audit.
        """
        place = as_path(folder, "folder", expected="a folder")
        (table, _), (relations, relations_of) = (
            _table(place / name, schema) for name, schema in ((AUDIT, AUDIT_SCHEMA), (RELATIONS, RELATION_SCHEMA))
        )
        summary = read_json(place / SUMMARY)
        if not isinstance(summary, dict):
            raise BadInput(f"{place / SUMMARY}: expected an object, got something else")
        found = cls(table, relations, summary)
        if not summary.get("audit") == relations_of == found.id:
            raise BadInput(f"{place}: expected the files of one audit, got those of two. Run `protorel audit` again.")
        return found


_STATEMENT_COLUMNS = {*STATEMENT_FIELDS, "head_start", "head_stop", "tail_start", "tail_stop"}


def _table(path: Path, schema: pa.Schema) -> tuple[pa.Table, str]:
    """Read a table and the id of the audit that it was written for."""
    check_source(path)
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as problem:
        reason = str(problem).partition("\n")[0]
        raise BadInput(f"{path}: expected a Parquet file, got damaged content ({reason})") from problem
    if missing := [name for name in schema.names if name not in table.schema.names]:
        raise BadInput(f"{path}: expected the columns of an audit, got none named {', '.join(missing[:5])}")
    id = (table.schema.metadata or {}).get(ID_KEY, b"").decode("utf-8", "replace")
    try:
        return table.select(schema.names).cast(schema.remove_metadata()), id
    except (pa.ArrowException, ValueError) as problem:
        reason = str(problem).partition("\n")[0]
        raise BadInput(f"{path}: expected the columns of an audit, got other types ({reason})") from problem
