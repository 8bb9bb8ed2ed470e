"""Checks that weights, vectors and scores are finite.

A NaN compares with nothing, so an evaluation of such vectors would end normally, with meaningless figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.statements import BadInput

_ANOTHER_MODEL = (
    "The model's weights are damaged or too large: use another model, or train it again with a lower learning rate"
)


def check_weights(weights: Iterable[tuple[str, Tensor]], path: Path) -> None:
    """Refuse weights with NaN or infinity; `path` is the file that they come from."""
    for name, tensor in weights:
        # A finite sum means finite numbers; an infinite one may be an overflow.
        if not tensor.is_floating_point() or tensor.sum().isfinite() or tensor.isfinite().all():
            continue
        wrong = int((~tensor.isfinite()).sum())
        raise BadInput(
            f"{path}: expected finite numbers, got NaN or infinity in {wrong} of {tensor.numel()} values of the tensor "
            f"{name!r}. Use another copy of the file, or train the model again"
        )


def check_vectors(
    vectors: Float[Tensor, "batch ..."], rows: Sequence[int], *, ids: Sequence[str] = (), what: str = "statement"
) -> Float[Tensor, "batch ..."]:
    """Return the vectors or states of some rows; refuse one that is not finite or too long to be compared.

    Args:
        vectors: The encoder's output for each row.
        rows: The numbers of these rows among all rows.
        ids: The ids of all rows, if there are any.
        what: What a row is, for the error message.
    """
    if torch.linalg.vector_norm(vectors).isfinite():
        return vectors
    for row, vector in zip(rows, vectors, strict=True):
        # If the length overflows, the unit vector is zero, and all cosines are equal.
        if not torch.linalg.vector_norm(vector).isfinite():
            got = "one too long to be compared" if vector.isfinite().all() else "NaN or infinity"
            named = repr(ids[row]) if ids and ids[row] else f"{row + 1} (counted from 1)"
            raise BadInput(f"{what} {named}: expected a finite vector from the encoder, got {got}. {_ANOTHER_MODEL}")
    return vectors


def best_of(scores: Float[Tensor, "*rows candidates"], what: str) -> Int[Tensor, "*rows"]:
    """Return the index of the highest score in each row; refuse scores that are not finite.

    Args:
        scores: A score for each candidate.
        what: What the rows are, in the plural, for the error message.
    """
    best = scores.amax(-1)
    if wrong := int((~best.isfinite()).sum()):
        raise BadInput(
            f"{wrong} of {best.numel()} {what}: expected finite scores, got NaN or infinity. {_ANOTHER_MODEL}"
        )
    return scores.argmax(-1)
