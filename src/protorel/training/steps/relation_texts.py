"""The texts of relations during training: names and descriptions, encoded by the encoder that is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import StatementBatch, StatementTokenizer, collate, wording_rows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.geometry import mean_prototypes
from protorel.objectives import RelationTexts
from protorel.statements import BadInput, Descriptions


@dataclass(frozen=True, slots=True)
class DrawnWordings:
    """Wordings of a batch's relations, to encode together with its statements."""

    batch: StatementBatch
    texts: Bool[Tensor, " wordings"]
    """Whether each is a text; the others are made-up statements."""
    owners: Int[Tensor, " wordings"]
    """The place of each wording's relation in `relations`."""
    relations: Int[Tensor, " described"]

    def directions(self, vectors: Float[Tensor, "wordings width"]) -> RelationTexts:
        """Return one direction per relation, given the vectors of its wordings."""
        owners = self.owners.to(vectors.device)
        found = mean_prototypes(vectors, owners, len(self.relations))
        return RelationTexts(found, self.relations.to(vectors.device))


class TextsOfRelations:
    """The tokenised texts of the training relations that have a description."""

    def __init__(
        self, descriptions: Descriptions, names: Sequence[str], tokenizer: StatementTokenizer, *, max_length: int
    ) -> None:
        described = [name for name in names if name in descriptions]
        if not described:
            raise BadInput(
                f"{descriptions.name or 'descriptions'}: expected at least one of the {len(names)} relations of the "
                f"data, such as {names[0]!r}, got none"
            )
        self.descriptions = descriptions
        self.described = len(described)
        wordings = dict(zip(described, descriptions.wordings(described), strict=True))
        self.rows = wording_rows([wordings.get(name, ()) for name in names], tokenizer, max_length=max_length)

    def encode(
        self, encoder: RelationEncoder, relations: Int[Tensor, " batch"], *, chunks: int, device: torch.device
    ) -> RelationTexts | None:
        """Encode the texts of a batch's relations; None if none of them has one."""
        asked = np.intersect1d(relations.cpu().numpy(), self.rows.owners_of_texts)
        if not len(asked):
            return None
        vectors, owners = [], []
        read = (
            (self.rows.texts, self.rows.owners_of_texts, True),
            (self.rows.made_up, self.rows.owners_of_made_up, False),
        )
        for rows, owner_of, texts in read:
            chosen = np.flatnonzero(np.isin(owner_of, asked))
            if len(chosen):
                batch = rows.batch(chosen.tolist()).to(device)
                kinds = torch.full((len(batch),), texts, device=device)
                vectors.append(encode_in_chunks(encoder, batch, chunks=chunks, texts=kinds).vectors)
                owners.append(np.searchsorted(asked, owner_of[chosen]))
        placed = torch.from_numpy(np.concatenate(owners)).to(device)
        directions = mean_prototypes(torch.cat(vectors), placed, len(asked))
        return RelationTexts(directions, torch.from_numpy(asked).to(device))

    def draw(
        self, relations: Int[Tensor, " batch"], *, count: int | None, rng: np.random.Generator
    ) -> DrawnWordings | None:
        """Draw `count` different wordings of each relation of a batch, or all if a relation has fewer.

        Every wording of a relation is equally likely. Relations with the same kinds of wordings get the same kind. None
        as `count` takes all wordings. Returns None if none of the relations has a text.
        """
        owners = np.concatenate([self.rows.owners_of_texts, self.rows.owners_of_made_up])
        asked = np.intersect1d(relations.cpu().numpy(), owners)
        if not len(asked):
            return None
        drawn = np.flatnonzero(np.isin(owners, asked)) if count is None else _draw(owners, asked, count=count, rng=rng)
        texts = drawn < len(self.rows.texts)
        rows = [
            self.rows.texts.row(at) if text else self.rows.made_up.row(at - len(self.rows.texts))
            for at, text in zip(drawn.tolist(), texts.tolist(), strict=True)
        ]
        return DrawnWordings(
            batch=collate(rows, self.rows.texts.layout),
            texts=torch.from_numpy(texts),
            owners=torch.from_numpy(np.searchsorted(asked, owners[drawn])),
            relations=torch.from_numpy(asked),
        )

    def read(
        self,
        encoder: RelationEncoder,
        relations: Int[Tensor, " asked"],
        *,
        count: int,
        rng: np.random.Generator,
        chunks: int,
        device: torch.device,
    ) -> RelationTexts | None:
        """Draw wordings of relations and encode them; None if none of the relations has a text."""
        drawn = self.draw(relations, count=count, rng=rng)
        if drawn is None:
            return None
        encoded = encode_in_chunks(encoder, drawn.batch.to(device), chunks=chunks, texts=drawn.texts.to(device))
        return drawn.directions(encoded.vectors)

    def encode_all(
        self, encoder: RelationEncoder, relations: Int[Tensor, " asked"], *, chunks: int, device: torch.device
    ) -> Float[Tensor, "asked width"]:
        """Encode the text of each relation, in order; all must have one, and each is encoded once."""
        asked, back = relations.unique(return_inverse=True)
        found = self.encode(encoder, asked, chunks=chunks, device=device)
        if found is None or len(found.relations) < len(asked):
            raise BadInput(f"{self.descriptions.name or 'descriptions'}: some relations of an episode have no text")
        return found.vectors[back.to(device)]

    def as_json(self) -> dict[str, Any]:
        """Return the section `descriptions` of a run's record."""
        return {**self.descriptions.as_json(), "relations_described": self.described}


def _draw(
    owner_of: NDArray[np.int64], asked: NDArray[np.int64], *, count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the numbers of `count` items of each owner.

    One random number serves all owners, so that owners with the same kinds of items in the same order get the same
    kind.
    """
    order = np.flatnonzero(np.isin(owner_of, asked))
    order = order[np.argsort(owner_of[order], kind="stable")]
    _, firsts, back, owned = np.unique(owner_of[order], return_index=True, return_inverse=True, return_counts=True)
    place, owned = np.arange(len(order)) - firsts[back], owned[back]
    start = (rng.random() * owned).astype(np.int64)
    return order[(place - start) % owned < count]
