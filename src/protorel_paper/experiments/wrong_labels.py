"""Wrong labels put into clean data by seed: so many of them, and of which kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.evaluation import encode_once
from protorel.geometry import mean_prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, Statement

NEIGHBOURS = 3
"""How many of the likest relations a confusable wrong label is drawn from."""
_MEAN_OF = 30
"""Statements of a relation whose mean stands for it when likeness is measured."""


@dataclass(frozen=True, slots=True)
class NoisyLabels:
    """Statements of which some carry a wrong label; `expresses` says which, and nothing that trains reads it."""

    statements: Sequence[Statement]
    wrong: int


def uniform_choices(relations: Sequence[str]) -> dict[str, list[str]]:
    """Return, for each relation, every other one."""
    return {relation: [other for other in relations if other != relation] for relation in relations}


def confusable_choices(
    model: RelationModel, statements: Mapping[str, Sequence[Statement]], *, count: int = NEIGHBOURS
) -> dict[str, list[str]]:
    """Return, for each relation, those whose means lie closest to its own under an encoder, the closest first.

    Vectors are centred first: those of an encoder that was never trained on relations all point one way.
    """
    names = sorted(statements)
    chosen = [(place, one) for place, name in enumerate(names) for one in statements[name][:_MEAN_OF]]
    vectors = F.normalize(encode_once(model, [one for _, one in chosen]), dim=-1)
    own = torch.tensor([place for place, _ in chosen])
    means = mean_prototypes(vectors - vectors.mean(0), own, len(names))
    likeness = (means @ means.T).fill_diagonal_(-torch.inf)
    closest = likeness.topk(min(count, len(names) - 1), dim=1).indices.tolist()
    return {name: [names[place] for place in places] for name, places in zip(names, closest, strict=True)}


def with_wrong_labels(
    statements: Sequence[Statement], rate: float, choices: Mapping[str, Sequence[str]], *, seed: int
) -> NoisyLabels:
    """Give a share of the statements, to the nearest whole one, a label that is drawn from its relation's choices.

    Of two rates by one seed, what the lower makes wrong the higher makes wrong too, by the same label.
    """
    if not 0 <= rate <= 1:
        raise BadInput(f"the rate of wrong labels is {rate}, a share from 0 to 1 is wanted")
    rng = np.random.default_rng([seed, 2])
    order = rng.permutation(len(statements))
    drawn = rng.random(len(statements))
    count = round(rate * len(statements))
    wrong = set(order[:count].tolist())
    noisy = []
    for row, statement in enumerate(statements):
        if row in wrong:
            others = choices[str(statement.relation)]
            label = others[int(drawn[row] * len(others))]
            noisy.append(replace(statement, relation=label, expresses=False))
        else:
            noisy.append(replace(statement, expresses=True))
    return NoisyLabels(noisy, count)
