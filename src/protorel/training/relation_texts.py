"""The texts of relations beside the batches: what the relations of a batch mean, through the same encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.batches import StatementTokenizer, wording_rows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.geometry import mean_prototypes
from protorel.objectives import RelationTexts
from protorel.statements import BadInput, Descriptions


class TextsOfRelations:
    """The tokenised texts of those training relations that somebody described."""

    def __init__(
        self, descriptions: Descriptions, names: Sequence[str], tokenizer: StatementTokenizer, *, max_length: int
    ) -> None:
        described = [name for name in names if name in descriptions]
        if not described:
            raise BadInput(
                f"{descriptions.name or 'descriptions'}: describes none of the {len(names)} relations of the data, "
                f"such as {names[0]!r}"
            )
        self.descriptions = descriptions
        self.described = len(described)
        wordings = dict(zip(described, descriptions.wordings(described), strict=True))
        self.rows = wording_rows([wordings.get(name, ()) for name in names], tokenizer, max_length=max_length)

    def encode(
        self, encoder: RelationEncoder, relations: Int[Tensor, " batch"], *, chunks: int, device: torch.device
    ) -> RelationTexts | None:
        """Encode the texts of a batch's relations, None where none of them has one."""
        asked = np.intersect1d(relations.cpu().numpy(), self.rows.owners_of_texts)
        if not len(asked):
            return None
        vectors, owners = [], []
        read = (
            (self.rows.texts, self.rows.owners_of_texts, True),
            (self.rows.made_up, self.rows.owners_of_made_up, False),
        )
        for rows, owner_of, texts in read:
            wanted = np.flatnonzero(np.isin(owner_of, asked))
            if len(wanted):
                batch = rows.batch(wanted.tolist()).to(device)
                vectors.append(encode_in_chunks(encoder, batch, chunks=chunks, texts=texts).vectors)
                owners.append(np.searchsorted(asked, owner_of[wanted]))
        placed = torch.from_numpy(np.concatenate(owners)).to(device)
        directions = mean_prototypes(torch.cat(vectors), placed, len(asked))
        return RelationTexts(directions, torch.from_numpy(asked).to(device))

    def encode_all(
        self, encoder: RelationEncoder, relations: Int[Tensor, " asked"], *, chunks: int, device: torch.device
    ) -> Float[Tensor, "asked width"]:
        """Encode the text of each relation, in order, where all have one; a relation that comes twice costs once."""
        asked, back = relations.unique(return_inverse=True)
        found = self.encode(encoder, asked, chunks=chunks, device=device)
        if found is None or len(found.relations) < len(asked):
            raise BadInput(f"{self.descriptions.name or 'descriptions'}: some relations of an episode have no text")
        return found.vectors[back.to(device)]

    def as_json(self) -> dict[str, Any]:
        """Return what a run's record says of them."""
        return {**self.descriptions.as_json(), "relations_described": self.described}
