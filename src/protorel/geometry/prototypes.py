"""Prototypes: one unit vector per relation, and how far the statements of the relation spread around it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from pydantic import BaseModel, Field
from safetensors.torch import save_file
from torch import Tensor

from protorel.encoders import read_tensors
from protorel.geometry.similarity import cosine
from protorel.io import READ_BACK, as_path, kind, read_model
from protorel.statements import BadInput, Relation, RelationVocabulary

Origin = Literal["learned", "words", "examples", "words_and_examples"]
"""What a prototype was made from: training, or without it the relation's words, a few examples, or both."""
_Cosine = Annotated[float, Field(ge=-1.01, le=1.01)]


class _Row(BaseModel):
    """The entry of a relation in relations.json."""

    model_config = READ_BACK

    id: str
    name: str
    description: str
    radius: _Cosine | None
    threshold: _Cosine | None
    origin: Origin = "learned"


@dataclass(frozen=True, slots=True)
class Prototypes:
    """The relations of a model and a unit vector for each.

    Args:
        relations: The relations, in the order of the vectors.
        vectors: One unit vector per relation.
        radius: The median cosine of each relation's training statements to its prototype; NaN if not measured.
        threshold: The 5th percentile of the same cosines; NaN if not measured.
        origins: What each prototype was made from; by default all are learned.

    Raises:
        ValueError: The numbers of relations, vectors, radii and thresholds differ.

    >>> import torch
    >>> from protorel import Prototypes, RelationVocabulary
    >>> prototypes = Prototypes.of(RelationVocabulary(["born_in", "spouse"]), torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
    >>> prototypes.similarity(torch.tensor([[1.0, 0.0]])).tolist()
    [[1.0, 0.0]]
    """

    relations: RelationVocabulary
    vectors: Float[Tensor, "relations width"]
    radius: Float[Tensor, " relations"]
    threshold: Float[Tensor, " relations"]
    origins: tuple[Origin, ...] = ()

    def __post_init__(self) -> None:
        if not self.origins:
            object.__setattr__(self, "origins", ("learned",) * len(self.relations))
        counts = {len(self.relations), len(self.vectors), len(self.radius), len(self.threshold), len(self.origins)}
        if len(counts) != 1:
            raise ValueError(
                f"prototypes: expected one vector, radius and threshold for each of {len(self.relations)} relations, "
                f"got {len(self.vectors)}, {len(self.radius)} and {len(self.threshold)}"
            )

    @classmethod
    def of(cls, relations: RelationVocabulary, vectors: Float[Tensor, "relations width"]) -> Prototypes:
        """Return prototypes in the directions of vectors of any length; radius and threshold are not measured yet.

        Raises:
            BadInput: `relations` is not a `RelationVocabulary`, or `vectors` is not a tensor.
        """
        if not isinstance(relations, RelationVocabulary):
            raise BadInput(f"relations: expected a RelationVocabulary, got {kind(relations)}")
        if not isinstance(vectors, Tensor):
            raise BadInput(f"vectors: expected a tensor with one row per relation, got {kind(vectors)}")
        unknown = torch.full((len(relations),), torch.nan)
        return cls(relations, F.normalize(vectors.detach(), dim=-1), unknown, unknown)

    @classmethod
    def none(cls, width: int) -> Prototypes:
        """Return an empty set of prototypes, for an encoder without relations."""
        return cls.of(RelationVocabulary([]), torch.empty(0, width))

    def measured(self, cosines: Float[Tensor, " statements"], relations: Int[Tensor, " statements"]) -> Prototypes:
        """Return the same prototypes with radius and threshold from statements' cosines to their own prototype."""
        radius, threshold = self.radius.clone(), self.threshold.clone()
        for relation in relations.unique().tolist():
            own = cosines[relations == relation]
            radius[relation], threshold[relation] = torch.quantile(own, torch.tensor([0.5, 0.05]))
        return Prototypes(self.relations, self.vectors, radius, threshold, self.origins)

    def extended(self, other: Prototypes) -> Prototypes:
        """Return these prototypes followed by others, of other relations."""
        return Prototypes(
            RelationVocabulary([*self.relations, *other.relations]),
            torch.cat([self.vectors, other.vectors]),
            torch.cat([self.radius, other.radius]),
            torch.cat([self.threshold, other.threshold]),
            (*self.origins, *other.origins),
        )

    def kept(self, places: Sequence[int]) -> Prototypes:
        """Return some of the prototypes, in this order."""
        chosen = torch.as_tensor(list(places), dtype=torch.long)
        return Prototypes(
            RelationVocabulary(self.relations[place] for place in places),
            self.vectors[chosen],
            self.radius[chosen],
            self.threshold[chosen],
            tuple(self.origins[place] for place in places),
        )

    def similarity(self, vectors: Float[Tensor, "statements width"]) -> Float[Tensor, "statements relations"]:
        """Return the cosine of each statement to each prototype."""
        return cosine(vectors, self.vectors)

    def save(self, folder: Path | str) -> None:
        """Write prototypes.safetensors and relations.json into a folder that exists."""
        folder = as_path(folder, "folder", expected="a folder")
        save_file({"prototypes": self.vectors.contiguous()}, folder / "prototypes.safetensors")
        rows = [
            {
                "id": relation.id,
                "name": relation.name,
                "description": relation.description,
                "radius": _number(radius),
                "threshold": _number(threshold),
                **({"origin": origin} if origin != "learned" else {}),
            }
            for relation, radius, threshold, origin in zip(
                self.relations, self.radius, self.threshold, self.origins, strict=True
            )
        ]
        text = json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)
        (folder / "relations.json").write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path | str) -> Prototypes:
        """Read what `save` wrote.

        Raises:
            BadInput: A file is missing or damaged, or the two do not fit each other.
        """
        folder = as_path(folder, "folder", expected="a folder")
        path = folder / "prototypes.safetensors"
        vectors = read_tensors(path).get("prototypes")
        if vectors is None or vectors.dim() != 2 or not vectors.is_floating_point():
            raise BadInput(f"{path}: expected a matrix of numbers called prototypes, got none")
        rows = read_model(folder / "relations.json", list[_Row])
        try:
            relations = RelationVocabulary(Relation(row.id, row.name, row.description) for row in rows)
        except ValueError as problem:
            raise BadInput(f"{folder / 'relations.json'}: {problem}") from problem
        if len(rows) != len(vectors):
            expected = f"a relation for each of {len(vectors)} prototypes"
            raise BadInput(f"{folder / 'relations.json'}: expected {expected}, got {len(rows)}")
        radius, threshold = _column(row.radius for row in rows), _column(row.threshold for row in rows)
        return cls(relations, vectors.float(), radius, threshold, tuple(row.origin for row in rows))


def random_prototypes(count: int, width: int, *, generator: torch.Generator) -> Float[Tensor, "relations width"]:
    """Draw unit vectors, uniformly distributed over the sphere."""
    return F.normalize(torch.randn(count, width, generator=generator), dim=-1)


def mean_prototypes(
    vectors: Float[Tensor, "statements width"], relations: Int[Tensor, " statements"], count: int
) -> Float[Tensor, "relations width"]:
    """Return the direction of the mean of each relation's unit vectors: its class mean."""
    sums = vectors.new_zeros(count, vectors.shape[1]).index_add(0, relations, F.normalize(vectors, dim=-1))
    return F.normalize(sums, dim=-1)


def _number(value: Tensor) -> float | None:
    return None if value.isnan() else round(value.item(), 6)


def _column(values: Iterable[float | None]) -> Float[Tensor, " relations"]:
    return torch.tensor([math.nan if value is None else value for value in values], dtype=torch.float32)
