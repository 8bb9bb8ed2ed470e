"""Wrong labels put into clean data: their rate, kind and seed."""

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
"""Number of most similar relations that a confusable wrong label is drawn from."""
_MEAN_OF = 30
"""Number of statements whose mean represents a relation when similarity is measured."""


@dataclass(frozen=True, slots=True)
class NoisyLabels:
    """Statements, some with a wrong label; `expresses` says which, and training does not read it."""

    statements: Sequence[Statement]
    wrong: int


def uniform_choices(relations: Sequence[str]) -> dict[str, list[str]]:
    """Return all other relations for each relation."""
    return {relation: [other for other in relations if other != relation] for relation in relations}


def confusable_choices(
    model: RelationModel, statements: Mapping[str, Sequence[Statement]], *, count: int = NEIGHBOURS
) -> dict[str, list[str]]:
    """Return the most similar relations for each relation, by the means of their vectors, the closest first.

    Vectors are centred first: those of an encoder that was never trained on relations share one direction.
    """
    names = sorted(statements)
    chosen = [(place, one) for place, name in enumerate(names) for one in statements[name][:_MEAN_OF]]
    vectors = F.normalize(encode_once(model, [one for _, one in chosen]), dim=-1)
    own = torch.tensor([place for place, _ in chosen])
    means = mean_prototypes(vectors - vectors.mean(0), own, len(names))
    similarity = (means @ means.T).fill_diagonal_(-torch.inf)
    closest = similarity.topk(min(count, len(names) - 1), dim=1).indices.tolist()
    return {name: [names[place] for place in places] for name, places in zip(names, closest, strict=True)}


def with_wrong_labels(
    statements: Sequence[Statement], rate: float, choices: Mapping[str, Sequence[str]], *, seed: int
) -> NoisyLabels:
    """Give a share of the statements a wrong label, drawn from the choices of their relation.

    With one seed, a lower rate makes a subset of the statements wrong, with the same labels.
    """
    if not 0 <= rate <= 1:
        raise BadInput(f"rate of wrong labels: expected a share from 0 to 1, got {rate}")
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
