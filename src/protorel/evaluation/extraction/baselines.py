"""Baselines: relations by the types of the two entities, and an encoder that was never trained on relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from protorel.evaluation.evaluated_model import loaded
from protorel.evaluation.extraction.scored_pairs import ScoredPairs, natural_pairs, score_natural_pairs, scored
from protorel.evaluation.extraction.triples import best_f1_threshold
from protorel.statements import BadInput, DataSet, Descriptions, LabelSets

UNTRAINED = "minilm"
"""The encoder of the baseline without training."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline's scores, and the threshold with the highest F1 on the data that it was fitted to."""

    pairs: ScoredPairs
    threshold: float


def type_pair_majority(train: DataSet, pairs: LabelSets) -> Baseline:
    """Score relations by their share among training pairs with the same types of head and tail.

    Args:
        train: Training pairs with types; pairs without a relation are labelled `no_relation`.
        pairs: The evaluated pairs.

    Returns:
        The shares as scores, and the threshold on them with the highest F1 on the training pairs.

    Raises:
        BadInput: a file has no entity types, or no pair without a relation.
    """
    learned = natural_pairs(train.source(), name=train.name)
    for name, one in ((train.name, learned), ("the evaluated data", pairs)):
        if all(statement.head_type is None for statement in one.statements):
            raise BadInput(f"{name}: expected entity types for the type-pair baseline, got none")
    names = sorted({relation for own in learned.labels for relation in own})
    column = {name: place for place, name in enumerate(names)}
    seen, held = Counter(_types(learned)), Counter[tuple[tuple[str | None, str | None], str]]()
    for types, own in zip(_types(learned), learned.labels, strict=True):
        held.update((types, relation) for relation in own)
    scores = np.zeros((len(pairs), len(names)), dtype=np.float32)
    shares = {types: np.zeros(len(names), dtype=np.float32) for types in seen}
    for (types, relation), count in held.items():
        shares[types][column[relation]] = count / seen[types]
    for row, types in enumerate(_types(pairs)):
        if types in shares:
            scores[row] = shares[types]
    # Every cell of types and relation asserts all its pairs at once: choose how many cells.
    cells = [(np.float32(count / seen[types]), count, seen[types]) for (types, _), count in held.items()]
    cells.sort(key=lambda cell: -cell[0])
    right, asserted = np.cumsum([c for _, c, _ in cells]), np.cumsum([n for _, _, n in cells])
    f1 = 2 * right / (asserted + sum(held.values()))
    shown = np.asarray([share for share, _, _ in cells])
    f1[:-1][shown[1:] == shown[:-1]] = -1  # equal shares are asserted together
    return Baseline(scored(names, scores, pairs), float(shown[int(f1.argmax())]))


def _types(pairs: LabelSets) -> list[tuple[str | None, str | None]]:
    return [(statement.head_type, statement.tail_type) for statement in pairs.statements]


def untrained_by_words(
    descriptions: Descriptions, names: Sequence[str], held_out: DataSet, pairs: LabelSets, *, encoder: str = UNTRAINED
) -> Baseline:
    """Score relations by an untrained encoder that knows their descriptions, calibrated on held-out pairs.

    Args:
        descriptions: Names and descriptions of the relations.
        names: The candidate relations; those without a description are left out.
        held_out: Pairs to calibrate on.
        pairs: The evaluated pairs.
        encoder: The encoder.

    Raises:
        BadInput: no candidate has a description.
    """
    words = {name: descriptions.relations[name] for name in names if name in descriptions}
    if not words:
        raise BadInput(f"{descriptions.name}: expected descriptions of the model's relations, got none of them")
    model = loaded(encoder).with_relations(words).calibrated(held_out)
    # A calibration lists no answers of low probability, and an untrained encoder has hardly any others.
    known = score_natural_pairs(model, natural_pairs(held_out.source(), name=held_out.name))
    gold = int(known.labels.sum() + known.unknown.sum())
    threshold = best_f1_threshold(known.relations.ravel(), known.labels.ravel(), gold=gold)
    return Baseline(score_natural_pairs(model, pairs), threshold)
