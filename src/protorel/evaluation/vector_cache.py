"""Vectors of a data set under a model, encoded once and kept: four settings of an evaluation need one encoding."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from protorel.io.files import cache_root, written_whole
from protorel.model import RelationModel
from protorel.statements import Statement, fingerprint


def encode_once(
    model: RelationModel, statements: Sequence[Statement], *, root: Path | None = None
) -> Float[Tensor, "statements width"]:
    """Return the statements' vectors, from the cache where this model has encoded just these before."""
    key = hashlib.sha256(f"{model.fingerprint} {fingerprint(statements)}".encode()).hexdigest()[:32]
    path = (root or cache_root() / "vectors") / f"{key}.safetensors"
    if path.is_file():
        try:
            return load_file(path)["vectors"]
        except (SafetensorError, KeyError):
            path.unlink()
    vectors = model.encode(statements)
    with written_whole(path) as beside:
        save_file({"vectors": vectors}, beside)
    return vectors
