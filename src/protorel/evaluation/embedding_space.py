"""Vectors of statements and relation texts: encoded once, and whitened by statements of other relations if given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.labelled_data import HeldOut, hold_out
from protorel.geometry import CENTRING, SHRINKAGE, Whitening, fit_whitening
from protorel.io import ArrayCache, CachedArrays, cache_root
from protorel.model import RelationModel
from protorel.statements import BadInput, Descriptions, Equivalents, Statement, fingerprint, load_equivalents

_SCHEMA = "vectors of statements, version 2"


def encode_once(
    model: RelationModel, statements: Sequence[Statement], *, root: Path | None = None
) -> Float[Tensor, "statements width"]:
    """Return one vector per statement, from the cache if this model has encoded the same statements before.

    A cache that was changed or damaged is built again. If the cache cannot be written, vectors are computed each time.
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


@dataclass(frozen=True, slots=True)
class HeldOutWhitening:
    """A whitening, and the held-out statements that it was fitted on."""

    whitening: Whitening
    others: HeldOut

    def as_json(self) -> dict[str, Any]:
        """Return what the whitening was fitted on, and how."""
        return self.others.as_json() | {"shrinkage": SHRINKAGE, "centring": CENTRING}


def whiten_by(
    model: RelationModel,
    statements: Sequence[Statement],
    tested: Iterable[str],
    *,
    equivalents: Equivalents | None = None,
) -> HeldOutWhitening:
    """Fit a whitening on labelled statements, without the relations under test or any with their meaning.

    Raises:
        BadInput: no other relation has two statements.
    """
    others = hold_out(statements, tested, equivalents=equivalents or load_equivalents())
    names = others.names
    if len(others.statements) <= len(names):
        raise BadInput(
            f"whitening: expected two or more statements of a relation that is not under test, "
            f"got {len(others.statements)} statements of {len(names)} such relations"
        )
    code = {name: index for index, name in enumerate(names)}
    relations = torch.tensor([code[relation] for relation in others.relations])
    return HeldOutWhitening(fit_whitening(encode_once(model, others.statements), relations), others)


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """The space in which statements and relation texts are compared: a model's vectors, whitened if that is given."""

    model: RelationModel
    whitened: HeldOutWhitening | None = None

    def statements(self, statements: Sequence[Statement]) -> Float[Tensor, "statements width"]:
        """Return one vector per statement."""
        vectors = encode_once(self.model, statements)
        return vectors if self.whitened is None else self.whitened.whitening(vectors)

    def texts(self, descriptions: Descriptions | None, names: Sequence[str]) -> Float[Tensor, "relations width"] | None:
        """Return one vector per named relation from its description, comparable with those of statements.

        Texts are spread differently from statements, so they are not whitened: they are only rotated to the same axes.
        """
        if descriptions is None:
            return None
        vectors = self.model.encode_wordings(descriptions.wordings(names))
        return vectors if self.whitened is None else self.whitened.whitening.turned(vectors)
