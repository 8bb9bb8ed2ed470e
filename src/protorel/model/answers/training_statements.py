"""The training statements that a run keeps as evidence: sentences in Parquet, their unit vectors next to them.

The vectors are float16 and are read a few thousand at a time, so neither a million kept statements nor as many
questions need much memory.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from torch import Tensor

from protorel.io import disk_errors, printable, sha256
from protorel.model.answers.prediction import Evidence
from protorel.statements import BadInput, Statement, count_statements, read_rows, write_statements

STATEMENTS = "training_statements.parquet"
VECTORS = "training_statements.safetensors"
FILES = (STATEMENTS, VECTORS)
"""The files of a run that keeps training statements."""
_TENSOR = "vectors"
_ROWS_PER_GROUP = 1_000
"""Statements per row group: what is read from the disk to show one of them."""
_KEPT_AT_ONCE, _ASKED_AT_ONCE = 4_096, 512
"""Kept vectors, and statements compared with them, in memory at a time."""
_STEPS = 1_000_000
"""Cosines are compared to six digits: equal statements have equal cosines, whatever batch they are in."""
_LAST = 2**32 - 1
_LENGTH_OFF = 0.01
"""How far the length of a unit vector in float16 may be from 1."""


@dataclass(frozen=True, slots=True)
class TrainingStatements:
    """The training statements of a run, on disk.

    `len` is their number. `nearest` finds those that are most similar to given vectors.
    """

    folder: Path
    count: int
    width: int
    encoder: str
    """The fingerprint of the encoder that made the vectors."""
    statements: str
    """The SHA-256 of the Parquet file that the vectors belong to."""

    @classmethod
    def open(cls, folder: Path) -> TrainingStatements:
        """Read what the files say of themselves, not yet the vectors.

        Raises:
            BadInput: a file is missing or damaged, or the two do not have the same number of statements.
        """
        path = folder / VECTORS
        with _opened(path) as file:
            said: Mapping[str, str] = file.metadata() or {}
            if list(file.keys()) != [_TENSOR]:
                raise BadInput(f"{path}: expected one matrix called {_TENSOR}, got other tensors")
            rows = file.get_slice(_TENSOR)
            shape, kind = rows.get_shape(), rows.get_dtype()
        if len(shape) != 2 or kind != "F16":
            raise BadInput(f"{path}: expected a matrix of float16, got {kind} of shape {tuple(shape)}")
        for name in ("encoder", "statements"):
            if not said.get(name):
                raise BadInput(f"{path}: expected the fingerprint of its {name} in its header, got none")
        if (found := count_statements(folder / STATEMENTS)) != shape[0]:
            raise BadInput(f"{folder / STATEMENTS}: expected {shape[0]} statements, as many as {VECTORS}, got {found}")
        return cls(folder.absolute(), shape[0], shape[1], said["encoder"], said["statements"])

    def __len__(self) -> int:
        return self.count

    def check(self, *, width: int, encoder: str, statements: str) -> None:
        """Raise `BadInput` unless the vectors are of these statements, by this encoder, and have length 1.

        Args:
            width: The width of the encoder.
            encoder: The encoder's fingerprint.
            statements: The SHA-256 of the Parquet file in the folder.
        """
        path = self.folder / VECTORS
        if self.width != width:
            raise BadInput(f"{path}: expected the encoder's width {width}, got {self.width}")
        if self.encoder != encoder:
            raise BadInput(
                f"{path}: expected vectors of the run's own encoder, got those of another one "
                f"({printable(self.encoder, longest=16)}). Train the run again to keep its statements"
            )
        if self.statements != statements:
            raise BadInput(
                f"{self.folder / STATEMENTS}: expected the statements that {VECTORS} was made from, got others"
            )
        for start, vectors in self._chunks():
            lengths = torch.linalg.vector_norm(vectors, dim=1)
            # An encoder may give the vector 0, which has no direction.
            wrong = ~(((lengths - 1).abs() <= _LENGTH_OFF) | (lengths == 0))
            if wrong.any():
                row = int(wrong.nonzero()[0])
                got = f"one of length {lengths[row]:.3g}" if lengths[row].isfinite() else "NaN or infinity"
                raise BadInput(f"{path}: row {start + row}: expected a vector of length 1, got {got}")

    def copy_to(self, folder: Path) -> None:
        """Copy the files into a folder.

        Raises:
            BadInput: they are gone, or are others than those that were opened.
        """
        for name in FILES:
            with disk_errors(self.folder / name, cannot="copy this file"):
                shutil.copyfile(self.folder / name, folder / name)
        copied = TrainingStatements.open(folder)
        if (copied.encoder, copied.statements) != (self.encoder, sha256(folder / STATEMENTS)):
            raise BadInput(f"{self.folder / STATEMENTS}: was changed since the model was loaded. Load the model again")

    def nearest(
        self, vectors: Float[Tensor, "distinct width"], asked: NDArray[np.int64], most: int
    ) -> NearestStatements:
        """Return the kept statements whose vectors are most similar, the earlier ones first where cosines are equal.

        Args:
            vectors: Vectors of any length, made by the same encoder.
            asked: Which of them are compared: a row number per question.
            most: How many statements per question.

        Raises:
            BadInput: a file was changed since it was opened.
        """
        distinct, back = np.unique(asked, return_inverse=True)
        most = min(most, self.count)
        best = torch.full((len(distinct), most), torch.iinfo(torch.int64).min)
        for start, kept in self._chunks():
            for first in range(0, len(distinct), _ASKED_AT_ONCE):
                rows = slice(first, first + _ASKED_AT_ONCE)
                cosines = (F.normalize(vectors[distinct[rows]], dim=-1) @ kept.T).clamp_(-1, 1)
                best[rows] = torch.cat([best[rows], _ranks(cosines, start)], dim=1).topk(most, dim=1).values
        ranks = best.numpy()
        found = _LAST - (ranks & _LAST)
        path = self.folder / STATEMENTS
        statements = read_rows(path, np.unique(found).tolist())
        if (row := next((row for row, one in statements.items() if one.relation is None), None)) is not None:
            raise BadInput(f"{path}: row {row}: relation: expected a label, got none")
        return NearestStatements(found[back], ((ranks >> 32) / _STEPS)[back], statements)

    def _chunks(self) -> Iterator[tuple[int, Float[Tensor, "kept width"]]]:
        """Yield the vectors, a few thousand at a time, with the row of the first."""
        path = self.folder / VECTORS
        with _opened(path) as file:
            rows = file.get_slice(_TENSOR)
            if rows.get_shape() != [self.count, self.width]:
                raise BadInput(f"{path}: was changed since the model was loaded. Load the model again")
            for start in range(0, self.count, _KEPT_AT_ONCE):
                yield start, rows[start : min(start + _KEPT_AT_ONCE, self.count)].float()


@dataclass(frozen=True, slots=True)
class NearestStatements:
    """For each question the training statements that are most similar to it."""

    rows: NDArray[np.int64]
    """Row numbers of the statements, one line per question."""
    cosines: NDArray[np.float64]
    statements: Mapping[int, Statement]
    """The statements by row number."""

    def evidence(self, question: int) -> tuple[Evidence, ...]:
        """Return the statements that are nearest to one question, the most similar first."""
        return tuple(
            _evidence(self.statements[row], similarity)
            for row, similarity in zip(self.rows[question].tolist(), self.cosines[question].tolist(), strict=True)
        )


def _evidence(one: Statement, similarity: float) -> Evidence:
    named = {"id": one.id, "text": one.text, "head": one.head_text, "tail": one.tail_text}
    return Evidence("statement", one.relation or "", similarity, **named)


def write_training_statements(
    folder: Path,
    statements: Iterable[Statement],
    vectors: Iterable[Float[Tensor, "some width"]],
    *,
    count: int,
    width: int,
    encoder: str,
) -> TrainingStatements:
    """Write training statements and their vectors into a folder, both as they come.

    Args:
        folder: A folder that exists.
        statements: The statements, each with a label.
        vectors: Their vectors in the same order, in pieces of any size; they are scaled to length 1.
        count: The number of statements.
        width: The width of the vectors.
        encoder: The fingerprint of the encoder.

    Raises:
        BadInput: there are more or fewer statements than `count`, or one cannot be stored.
    """
    found = write_statements(map(_storable, statements), folder / STATEMENTS, rows_per_group=_ROWS_PER_GROUP)
    if found != count:
        raise BadInput(
            f"the data: expected {count} statements to keep, got {found}; did a file change in the meantime?"
        )
    header = _header((count, width), {"encoder": encoder, "statements": sha256(folder / STATEMENTS)})
    with (folder / VECTORS).open("wb") as file:
        file.write(header)
        for some in vectors:
            file.write(F.normalize(some, dim=-1).numpy().astype("<f2").tobytes())
    return TrainingStatements.open(folder)


def _header(shape: tuple[int, int], metadata: Mapping[str, str]) -> bytes:
    """Return the beginning of a safetensors file with one matrix: the library cannot write one in pieces."""
    tensor = {"dtype": "F16", "shape": list(shape), "data_offsets": [0, 2 * shape[0] * shape[1]]}
    said = json.dumps({"__metadata__": dict(metadata), _TENSOR: tensor}).encode()
    said += b" " * (-len(said) % 8)
    return len(said).to_bytes(8, "little") + said


def _storable(statement: Statement) -> Statement:
    """Return a statement that Parquet can hold: a Statement made by hand may have an id that is not text."""
    names = ("id", "source", "document", "head_id", "tail_id", "head_type", "tail_type")
    given = {name: getattr(statement, name) for name in names}
    try:
        "".join(value for value in given.values() if value is not None).encode()
    except (TypeError, UnicodeEncodeError):
        text = {name: str(value) for name, value in given.items() if value is not None}
        escaped = {name: value.encode("utf-8", "backslashreplace").decode() for name, value in text.items()}
        return replace(statement, **escaped)  # type: ignore[arg-type]
    return statement


def _ranks(cosines: Float[Tensor, "asked kept"], start: int) -> Int[Tensor, "asked kept"]:
    """Return whole numbers that order as cosines do and, where these are equal, as earlier rows before later ones."""
    rows = torch.arange(start, start + cosines.shape[1])
    return cosines.mul(_STEPS).round_().long().mul_(_LAST + 1).add_(_LAST - rows)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a safetensors file, memory-mapped; what is wrong with it is one line."""
    try:
        with safe_open(path, "pt") as file:
            yield file
    except FileNotFoundError:
        raise BadInput(f"{path}: expected a file with vectors, got no such file") from None
    except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as problem:
        if isinstance(problem, BadInput):
            raise
        reason = " ".join(str(problem).split())[:200]
        raise BadInput(f"{path}: expected a safetensors file, got an error ({reason})") from problem
