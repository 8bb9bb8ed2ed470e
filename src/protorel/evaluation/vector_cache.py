"""Vectors of a data set under a model, encoded once and kept: four settings of an evaluation need one encoding."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from protorel.io import ArrayCache, CachedArrays, cache_root
from protorel.model import RelationModel
from protorel.statements import Statement, fingerprint

_SCHEMA = "vectors of statements, version 2"


def encode_once(
    model: RelationModel, statements: Sequence[Statement], *, root: Path | None = None
) -> Float[Tensor, "statements width"]:
    """Return the statements' vectors, from the cache where this model has encoded just these before.

    A cache that was changed or damaged is built again; where none can be written, the vectors are computed each time.
    """
    key = hashlib.sha256(f"{model.fingerprint} {fingerprint(statements)}".encode()).hexdigest()
    shape = (len(statements), model.encoder.width)

    def make() -> CachedArrays:
        return CachedArrays({"vectors": model.encode(statements).numpy()}, {})

    def check(found: CachedArrays) -> None:
        vectors = found.arrays["vectors"]
        if vectors.shape != shape or vectors.dtype != np.float32:
            raise ValueError(f"its vectors are {vectors.dtype} of shape {vectors.shape}, expected float32 of {shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("it holds vectors that are not finite")

    folder = (root or cache_root() / "vectors") / key[:32]
    found = ArrayCache(folder, _SCHEMA, key).get(make, check)
    return torch.from_numpy(np.array(found.arrays["vectors"]))
