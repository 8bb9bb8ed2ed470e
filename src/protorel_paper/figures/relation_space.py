"""A few relations of a run as unit vectors of statements and prototypes, with their provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

from protorel.evaluation import encode_once, run_json
from protorel.geometry import mean_prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, Statement


@dataclass(frozen=True, slots=True)
class RelationSpace:
    """Statements and prototypes of a few relations; every vector has length 1."""

    relations: tuple[str, ...]
    names: tuple[str, ...]
    """Readable name of each relation."""
    statements: tuple[Statement, ...]
    own: Int[Tensor, " statements"]
    """Index of each statement's label in the relations."""
    vectors: Float[Tensor, "statements width"]
    prototypes: Float[Tensor, "relations width"]
    learned: bool
    """Whether the prototypes are the run's; otherwise they are the means of the statements shown."""
    no_relation: str | None
    """The label for no relation, if the run has one."""
    run: Mapping[str, Any]
    data: Mapping[str, Any]

    def first(self, count: int) -> RelationSpace:
        """Return the space of the first `count` relations."""
        kept = (self.own < count).nonzero().flatten()
        return RelationSpace(
            self.relations[:count],
            self.names[:count],
            tuple(self.statements[index] for index in kept.tolist()),
            self.own[kept],
            self.vectors[kept],
            self.prototypes[:count],
            self.learned,
            self.no_relation,
            self.run,
            self.data,
        )


def open_space(
    run: Path | str,
    data: DataSet,
    *,
    relations: int = 0,
    each: int = 40,
    seed: int = 0,
    descriptions: Descriptions | None = None,
) -> RelationSpace:
    """Encode up to `each` statements, drawn by the seed, of the relations with the most statements (0 for all).

    Only relations with a prototype in the run are used; if it has none of them, the means of the statements replace
    prototypes.
    """
    model = RelationModel.from_pretrained(run)
    drawn, counts = sample(data.source(), each=each, seed=seed)
    known = [relation for relation in drawn if relation in model.relations]
    order = sorted(known or drawn, key=lambda relation: (-counts[relation], relation))
    chosen = order[: relations or None]
    if len(chosen) < 2:
        raise BadInput(f"{data.name}: expected statements of at least 2 relations, got {len(chosen)}")
    statements = tuple(one for relation in chosen for one in drawn[relation])
    own = torch.tensor([place for place, relation in enumerate(chosen) for _ in drawn[relation]])
    vectors = F.normalize(encode_once(model, statements), dim=-1)
    if known:
        prototypes = F.normalize(model.prototypes.vectors[[model.relations.index(r) for r in chosen]], dim=-1)
    else:
        prototypes = mean_prototypes(vectors, own, len(chosen))
    return RelationSpace(
        tuple(chosen),
        tuple(_name(relation, model, descriptions) for relation in chosen),
        statements,
        own,
        vectors,
        prototypes,
        bool(known),
        model.classifier.no_relation if model.classifier else None,
        run_json(model),
        data.described(),
    )


def sample(
    statements: Iterable[Statement], *, each: int, seed: int
) -> tuple[Mapping[str, Sequence[Statement]], Counter[str]]:
    """Draw up to `each` statements per relation (0 for all) in one pass, with no more than these in memory."""
    chance = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    drawn: dict[str, list[Statement]] = {}
    for statement in statements:
        if statement.relation is None:
            continue
        counts[statement.relation] += 1
        held = drawn.setdefault(statement.relation, [])
        if not each or len(held) < each:
            held.append(statement)
        elif (place := int(chance.integers(counts[statement.relation]))) < each:
            held[place] = statement
    return drawn, counts


def _name(relation: str, model: RelationModel, descriptions: Descriptions | None) -> str:
    if descriptions is not None and relation in descriptions:
        return descriptions.relations[relation].name or relation
    known = model.relations[model.relations.index(relation)].name if relation in model.relations else ""
    return known or relation
