"""The texts of relations beside the batches: what the relations of a batch mean, through the same encoder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.batches import StatementTokenizer, text_rows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.geometry import mean_prototypes
from protorel.objectives import ObjectiveSettings, RelationTexts
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
        texts = [text for wording in wordings.values() for text in wording]
        self.rows = text_rows(texts, tokenizer, max_length=max_length)
        after = np.cumsum([len(wordings.get(name, ())) for name in names]).tolist()
        self._rows_of_relation = [range(start, stop) for start, stop in pairwise([0, *after])]

    def encode(
        self, encoder: RelationEncoder, relations: Int[Tensor, " batch"], *, chunks: int, device: torch.device
    ) -> RelationTexts | None:
        """Encode the texts of a batch's relations, None where none of them has one."""
        asked = [relation for relation in relations.cpu().unique().tolist() if self._rows_of_relation[relation]]
        if not asked:
            return None
        rows = [self._rows_of_relation[relation] for relation in asked]
        batch = self.rows.batch([row for own in rows for row in own]).to(device)
        encoded = encode_in_chunks(encoder, batch, chunks=chunks, texts=True)
        owners = torch.tensor([owner for owner, own in enumerate(rows) for _ in own], device=device)
        directions = mean_prototypes(encoded.vectors, owners, len(asked))
        return RelationTexts(directions, torch.tensor(asked, device=device))

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
        return {
            "name": self.descriptions.name,
            "fingerprint": self.descriptions.fingerprint,
            "relations_described": self.described,
        }


def check_texts(objective: ObjectiveSettings, descriptions: Descriptions | None) -> None:
    """Refuse an objective over texts without texts, and texts that no term of the objective reads."""
    if objective.text.weight and descriptions is None:
        raise BadInput(
            f"objective.text.weight={objective.text.weight:g} compares statements with what relations mean: "
            "name a file with their names and descriptions by --descriptions"
        )
    if descriptions is not None and not objective.text.weight:
        raise BadInput(
            f"{descriptions.name}: no term of the objective reads descriptions; set objective.text.weight=1, "
            "or choose a recipe that has it"
        )
