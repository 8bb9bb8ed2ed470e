"""Precision, recall and F1 from three counts: right, answered, and there to be found."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shares(NamedTuple):
    """Precision, recall and F1, of one relation or of many at once; 0 where a share has nothing below its line."""

    precision: Any
    recall: Any
    f1: Any


def shares(right: Any, answered: Any, wanted: Any) -> Shares:
    """Divide; the three may be numbers or arrays of one shape."""
    precision, recall = _share(right, answered), _share(right, wanted)
    return Shares(precision, recall, _share(2 * precision * recall, precision + recall))


def macro(each: Shares, counted: NDArray[np.bool_]) -> Shares:
    """Average over the relations, the last axis, that are counted; NaN where none is."""
    number = counted.sum(-1)
    return Shares(*(_or_nan(np.where(counted, share, 0.0).sum(-1), number) for share in each))


def _share(above: Any, below: Any) -> NDArray[np.float64]:
    top, bottom = np.broadcast_arrays(np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64))
    share: NDArray[np.float64] = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
    return share


def _or_nan(above: NDArray[np.float64], below: NDArray[np.int64]) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
    return share
