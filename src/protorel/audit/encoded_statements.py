"""Vectors of the audited statements, a few thousand at a time, reduced to their principal directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray

from protorel.audit.relation_anchors import RelationAnchors, Vectors
from protorel.evaluation import encode_once
from protorel.model import RelationModel
from protorel.statements import Statement

WIDTH = 256
"""Most directions that are kept: they hold all but a small part of the variance, at a third of the cost."""
_AT_ONCE = 8192

Count = Callable[[int, int], None]
"""Called with the number of statements read so far, and of all."""


@dataclass(frozen=True, slots=True)
class EncodedStatements:
    """Unit vectors in reduced form, and what was measured on the full ones."""

    vectors: Vectors
    basis: Vectors
    """Width of the encoder × kept directions."""
    reversed: Vectors | None
    """The same statements from tail to head."""
    in_sample_margin: Vectors
    description_fit: Vectors


def encode_statements(
    model: RelationModel,
    statements: Sequence[Statement],
    labels: NDArray[np.int64],
    anchors: RelationAnchors,
    *,
    reverse: bool,
    count: Count | None = None,
) -> EncodedStatements:
    """Encode every statement, and measure it against prototypes and descriptions.

    Full vectors are held in half precision, and only until the principal directions are known.
    """
    total = len(statements) * (2 if reverse else 1)
    width = model.encoder.width
    full = np.empty((len(statements), width), dtype=np.float16)
    moments = np.zeros((width, width))
    margins, fits = [], []
    for part, unit in _units(model, statements):
        full[part] = unit
        moments += unit.T.astype(np.float64) @ unit
        margins.append(anchors.prototype_margins(unit, labels[part]))
        fits.append(anchors.description_fit(unit, labels[part]))
        if count is not None:
            count(part.stop, total)
    # eigh sorts by size, the largest last.
    basis = np.linalg.eigh(moments)[1][:, ::-1][:, : min(WIDTH, width)].astype(np.float32)
    vectors = np.empty((len(statements), basis.shape[1]), dtype=np.float32)
    for start in range(0, len(statements), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        vectors[part] = full[part].astype(np.float32) @ basis
    del full
    backwards = None
    if reverse:
        backwards = np.empty_like(vectors)
        turned = _Turned(statements)
        for part, unit in _units(model, turned):
            backwards[part] = unit @ basis
            if count is not None:
                count(len(statements) + part.stop, total)
    return EncodedStatements(vectors, basis, backwards, np.concatenate(margins), np.concatenate(fits))


class _Turned(Sequence[Statement]):
    """The statements with head and tail swapped, made when they are asked for."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements

    def __len__(self) -> int:
        return len(self._statements)

    def __getitem__(self, place: int | slice) -> Statement | list[Statement]:  # type: ignore[override]
        found = self._statements[place]
        if isinstance(found, Statement):
            return replace(found, head=found.tail, tail=found.head)
        return [replace(one, head=one.tail, tail=one.head) for one in found]


def _units(model: RelationModel, statements: Sequence[Statement]) -> Iterator[tuple[slice, Vectors]]:
    for start in range(0, len(statements), _AT_ONCE):
        part = slice(start, min(start + _AT_ONCE, len(statements)))
        yield part, F.normalize(encode_once(model, statements[part]), dim=-1).numpy()
