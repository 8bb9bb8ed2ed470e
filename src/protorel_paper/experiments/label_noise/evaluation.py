"""Evaluation of a run trained on wrong labels: clean statements recognised, and wrong labels found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.evaluation import label_truth, measure, measurement_json
from protorel.geometry import Prototypes, mean_prototypes
from protorel.model import RelationModel
from protorel.statements import Statement

_CHECKED_EACH = 30
"""Number of training statements per label whose labels are checked."""


def evaluate_noise(
    model: RelationModel, trained_on: Sequence[Statement], held_out: Sequence[Statement], *, seed: int
) -> dict[str, Any]:
    """Evaluate a run on clean statements that it never saw, and on telling its own wrong labels from right ones.

    Relations are recognised by the nearest prototype (for cross-entropy, the nearest row of the classifier), and by
    the nearest mean of the training statements that carry the label, right or wrong.
    """
    checked = _some_of_each(trained_on)
    vectors = model.encode(checked)
    own = torch.tensor([model.relations.index(str(one.relation)) for one in checked])
    means = Prototypes.of(model.relations, mean_prototypes(vectors, own, len(model.relations)))
    unseen = model.encode(held_out)
    return {
        "recognised": {
            "by_prototypes": recognised(model.prototypes, unseen, held_out),
            "by_class_means": recognised(means, unseen, held_out),
        },
        "wrong_labels_found": _found(model.prototypes, vectors, checked, seed),
    }


def recognised(
    prototypes: Prototypes, vectors: Float[Tensor, "statements width"], statements: Sequence[Statement]
) -> dict[str, Any]:
    """Return how often the nearest prototype is that of the true relation, per relation and on average."""
    nearest = prototypes.similarity(vectors).argmax(1).tolist()
    right: dict[str, list[bool]] = {}
    for place, statement in zip(nearest, statements, strict=True):
        right.setdefault(str(statement.relation), []).append(prototypes.relations[place].id == statement.relation)
    per_relation = {relation: sum(answers) / len(answers) for relation, answers in sorted(right.items())}
    over_relations = measure(list(per_relation.values()))
    return {
        "accuracy": over_relations.value,
        "over_relations": measurement_json(over_relations),
        "per_relation": per_relation,
        "statements": len(statements),
    }


def _found(
    prototypes: Prototypes, vectors: Float[Tensor, "statements width"], checked: Sequence[Statement], seed: int
) -> dict[str, Any] | None:
    """Return the AUROC of telling right labels from wrong ones by margin; None if all are right or all wrong."""
    wrong = sum(one.expresses is False for one in checked)
    if wrong in (0, len(checked)):
        return None
    found = label_truth(prototypes, vectors, checked, seed=seed)
    return {
        "statements": len(checked),
        "wrong": wrong,
        "by_margin": {"auroc": found.by_margin.value, "margin": found.by_margin.margin},
        "by_cosine": {"auroc": found.by_cosine.value, "margin": found.by_cosine.margin},
    }


def _some_of_each(statements: Sequence[Statement]) -> list[Statement]:
    """Return the first statements of each label: a sample of right and wrong ones, since their order is random."""
    seen: dict[str, int] = {}
    chosen = []
    for statement in statements:
        label = str(statement.relation)
        seen[label] = seen.get(label, 0) + 1
        if seen[label] <= _CHECKED_EACH:
            chosen.append(statement)
    return chosen
