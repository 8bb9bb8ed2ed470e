"""Evaluate a model by entity pair, from statements to figures: what `protorel evaluate pairs` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.embedding_space import encode_once
from protorel.evaluation.entity_pairs.aggregation import PairSettings
from protorel.evaluation.entity_pairs.pair_scores import PairResult, score_pairs
from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, run_json
from protorel.evaluation.labelled_data import labelled
from protorel.evaluation.leakage_report import run_leakage
from protorel.geometry import ScaledCosine
from protorel.model import RelationModel
from protorel.statements import BadInput, DataSet, Equivalents, Statement, load_equivalents

PROTOTYPE_SCALE = 20.0
"""The factor on cosines to prototypes before their softmax."""


@dataclass(frozen=True, slots=True)
class PairEvaluation:
    """The figures, their settings as JSON, and notes on how to read them."""

    result: PairResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_pairs(
    model: GivenModel,
    data: DataSet,
    settings: PairSettings | None = None,
    *,
    equivalents: Equivalents | None = None,
) -> PairEvaluation:
    """Evaluate which facts a model finds in distantly labelled statements, by entity pair.

    Args:
        model: A loaded model, or a run folder. Scores come from its classifier or, without one, its prototypes.
        data: Distantly labelled statements.
        settings: How to aggregate the statements of a pair, and what to report.
        equivalents: Relations that mean the same, for the leakage report; by default the table that we ship.

    Returns:
        Precision at N, area under the precision-recall curve and best F1, the JSON form, and notes.

    Raises:
        BadInput: The model has neither a classifier nor prototypes, or no statement carries a relation.

    Example:
        >>> import tempfile
        >>> from protorel import DataSet, Span, finetune, load_finetune_recipe
        >>> texts = {"Ada was born in Lunsk.": "born_in", "Bo has a house in Oster.": "lives_in"}
        >>> data = [Statement(t, Span(0, 2), Span(len(t) - 6, len(t) - 1), r) for t, r in texts.items()] * 4
        >>> recipe = load_finetune_recipe("supervised", ["epochs=5", "hold_out=0", "learning_rate=0.01"])
        >>> model = finetune("cnn", data, tempfile.mkdtemp() + "/run", recipe)
        >>> found = evaluate_pairs(model, DataSet.of("train", data), PairSettings(at=(2,)))
        >>> found.result.labelled.facts, found.result.labelled.precision_at[2].value
        (2, 1.0)
    """
    settings = settings or PairSettings()
    statements = list(data.source())
    _, relations = labelled(statements)
    model = loaded(model)
    found = relation_probabilities(model, statements)
    settings = replace(settings, no_relation=settings.no_relation or found.no_relation)
    result = score_pairs(
        found.probabilities.double().numpy(),
        found.names,
        statements,
        settings,
        vectors=found.vectors.double().numpy(),
        relation_vectors=found.relation_vectors.double().numpy(),
    )
    tested = set(relations) - {settings.no_relation}
    leakage = run_leakage(model, data, tested, equivalents=equivalents or load_equivalents())
    as_json = {
        "task": "pairs",
        **result.as_json(),
        "scored_by": found.by,
        "no_relation": settings.no_relation,
        "attention_scale": settings.attention_scale if settings.combine == "attention" else None,
        "data": data.described(),
        "run": run_json(model),
        "leakage": leakage.as_json(),
        **environment(),
    }
    return PairEvaluation(result, as_json, (*result.notes(), *leakage.notes(relations=False)))


@dataclass(frozen=True, slots=True)
class RelationProbabilities:
    """The probability of each relation for each statement, and the vectors that attention compares."""

    by: str
    """`classifier` or `prototypes`."""
    names: tuple[str, ...]
    probabilities: Float[Tensor, "statements relations"]
    vectors: Float[Tensor, "statements width"]
    relation_vectors: Float[Tensor, "relations width"]
    no_relation: str | None = None


@torch.no_grad()
def relation_probabilities(model: RelationModel, statements: Sequence[Statement]) -> RelationProbabilities:
    """Return the probabilities of a model's classifier or, without one, of its prototypes."""
    vectors = encode_once(model, statements)
    if (classifier := model.classifier) is not None:
        # The rows of the last layer are the relations' vectors, comparable with the input of that layer.
        entering = vectors if classifier.inner is None else torch.tanh(classifier.inner(vectors))
        return RelationProbabilities(
            "classifier",
            classifier.labels.ids,
            classifier(vectors).softmax(-1),
            entering,
            classifier.outer.weight.detach(),
            classifier.no_relation,
        )
    prototypes = model.prototypes
    if not len(prototypes.relations):
        raise BadInput(f"{model.name or 'the model'}: expected a classifier or prototypes, got an encoder without")
    logits = ScaledCosine(PROTOTYPE_SCALE)(vectors, prototypes.vectors)
    return RelationProbabilities(
        "prototypes", prototypes.relations.ids, logits.softmax(-1), vectors, prototypes.vectors
    )
