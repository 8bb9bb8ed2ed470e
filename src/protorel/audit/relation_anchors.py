"""What a model knows of the audited relations: its prototypes by meaning, and vectors of their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray

from protorel.model import RelationModel
from protorel.statements import Descriptions, Equivalents, Relation

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RelationAnchors:
    """Unit vectors that stand for relations, and which of them mean which audited relation."""

    prototypes: Vectors
    """All prototypes of the model."""
    means: NDArray[np.bool_]
    """Audited relations × prototypes: whether the prototype means the relation."""
    texts: Vectors
    """Audited relations × width; zeros for a relation without a text."""
    described: NDArray[np.bool_]
    """Whether each audited relation has a text."""
    names: tuple[str, ...]
    """The name of each audited relation; empty if unknown."""

    @classmethod
    def of(
        cls,
        model: RelationModel,
        relations: Sequence[str],
        descriptions: Descriptions | None,
        equivalents: Equivalents,
    ) -> Self:
        """Find the anchors of the audited relations.

        Args:
            model: Its prototypes, and its encoder for the descriptions.
            relations: The audited relations.
            descriptions: Names and descriptions. None: those that the model keeps with its prototypes, if it learned to
                read relations in words.
            equivalents: Relations that mean the same.
        """
        known = model.relations
        own = [np.asarray([one == name for one in known.ids], dtype=bool) for name in relations]
        meanings = [equivalents.meaning(one) for one in known.ids]
        for place, name in enumerate(relations):
            if not own[place].any():
                sought = equivalents.meaning(name)
                own[place] = np.asarray([not sought.isdisjoint(one) for one in meanings], dtype=bool)
        kept = {one.id: one for one in known if one.name or one.description}
        texts = dict(descriptions.relations) if descriptions is not None else {}
        named = [texts.get(name) or kept.get(name) or Relation(name) for name in relations]
        readable = texts if descriptions is not None else (kept if model.phrase is not None else {})
        described = np.asarray([name in readable for name in relations], dtype=bool)
        vectors = np.zeros((len(relations), model.encoder.width), dtype=np.float32)
        if described.any():
            asked = [name for name, has in zip(relations, described, strict=True) if has]
            words = Descriptions.of({name: readable[name] for name in asked}).phrased(model.phrase).wordings(asked)
            vectors[described] = F.normalize(model.encode_wordings(words), dim=-1).numpy()
        prototypes = F.normalize(model.prototypes.vectors.float(), dim=-1).numpy()
        means = np.stack(own) if len(known) else np.zeros((len(relations), 0), dtype=bool)
        return cls(prototypes, means, vectors, described, tuple(one.name for one in named))

    @property
    def scored_by(self) -> list[str]:
        """What stands for each relation: a prototype of the model, else its description, else its own statements."""
        return [
            "prototype" if own.any() else "description" if has_text else "means"
            for own, has_text in zip(self.means, self.described, strict=True)
        ]

    def prototype_margins(self, vectors: Vectors, labels: NDArray[np.int64]) -> Vectors:
        """Return the cosine to the label's prototype less that to the closest other; NaN for a label without one."""
        own = self.means[labels]
        cosines = vectors @ self.prototypes.T
        to_own = np.max(cosines, axis=1, where=own, initial=-np.inf)
        to_other = np.max(cosines, axis=1, where=~own, initial=-np.inf)
        both = own.any(axis=1) & (~own).any(axis=1)
        margins = np.full(len(labels), np.nan, dtype=np.float32)
        margins[both] = to_own[both] - to_other[both]
        return margins

    def description_fit(self, vectors: Vectors, labels: NDArray[np.int64]) -> Vectors:
        """Return the cosine to the label's text less the mean cosine to all texts; NaN for a label without a text."""
        if not self.described.any():
            return np.full(len(labels), np.nan, dtype=np.float32)
        own = np.einsum("ij,ij->i", vectors, self.texts[labels])
        every = vectors @ self.texts[self.described].mean(axis=0)
        return np.where(self.described[labels], own - every, np.nan).astype(np.float32)
