"""Weight averaging: the mean of the weights of several runs that started from the same encoder.

Wortsman et al. 2022, "Model soups". Runs that differ in seed, recipe or data end close to each other, and their mean is
often better than each of them. Unlike an ensemble, it costs no more to use than one run.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from protorel.geometry import Prototypes
from protorel.io import as_path, kind, written_whole
from protorel.model.lineage import Lineage
from protorel.model.relation_model import RelationModel
from protorel.model.run_record import load_record
from protorel.model.source import check_run
from protorel.statements import BadInput, RelationVocabulary

FARTHEST = 0.7
"""The largest distance between two runs' values of a matrix, relative to its norm; two random matrices have 1.4."""

Weights = dict[str, Tensor]
_LOGGER = logging.getLogger("protorel")


def average_runs(runs: Sequence[Path | str], out: Path | str) -> RelationModel:
    """Average the runs in these folders into a new run, written atomically; its record names the runs.

    Args:
        runs: Two or more run folders; all started from the same encoder.
        out: The folder of the new run.

    Returns:
        The new model.

    Raises:
        BadInput: A folder is not a finished run, the runs do not fit together, or `out` exists.

    >>> from tempfile import TemporaryDirectory
    >>> from protorel import RelationModel, average_runs
    >>> from protorel.encoders import CNNEncoder, word_tokenizer
    >>> from protorel.geometry import Prototypes
    >>> tokenizer = word_tokenizer(["ada", "lunsk"])
    >>> encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
    >>> with TemporaryDirectory() as folder:
    ...     for run in ("first", "second"):
    ...         RelationModel(encoder, tokenizer, Prototypes.none(8), max_length=32).save_pretrained(f"{folder}/{run}")
    ...     average_runs([f"{folder}/first", f"{folder}/second"], f"{folder}/mean")
    RelationModel('mean', encoder='cnn', relations=0, width=8)
    """
    if isinstance(runs, (str, bytes)) or not isinstance(runs, Sequence):
        raise BadInput(f"runs: expected a list of run folders, got {kind(runs)}")
    for run in runs:
        check_run(run)
    folder = as_path(out, "out", expected="a folder")
    if folder.exists():
        raise BadInput(f"{folder}: exists already; choose another --out")
    models = [RelationModel.from_pretrained(run) for run in runs]
    average = average_models(models, name=folder.name)
    if any(model.training_statements is not None for model in models):
        _LOGGER.warning("%s: keeps no training statements: their vectors were made by the runs' own encoders", folder)
    with written_whole(folder) as unfinished:
        unfinished.mkdir()
        average.save_pretrained(unfinished, record=_record(models))
    return replace(average, record=load_record(folder))


def average_models(models: Sequence[RelationModel], *, name: str = "") -> RelationModel:
    """Return the model whose weights are the mean of those given.

    Its prototypes are those of the relations that all models know, each the mean direction. Their radius and threshold
    are unknown for the new encoder: measure them again.

    Raises:
        BadInput: Fewer than two models, or models that do not fit together.
    """
    if len(models) < 2:
        raise BadInput(f"expected two or more runs, got {len(models)}")
    for other in models[1:]:
        _check_same_settings(models[0], other)
    weights = [_weights(model) for model in models]
    for (one, ours), (other, theirs) in combinations(zip(models, weights, strict=True), 2):
        _check_near(one.name, other.name, ours, theirs)
    encoder = deepcopy(models[0].encoder)
    _module(encoder).load_state_dict(_mean(weights))
    phrases = {model.phrase for model in models}
    return RelationModel(
        encoder,
        models[0].tokenizer,
        average_prototypes([model.prototypes for model in models]),
        models[0].max_length,
        name,
        phrase=phrases.pop() if len(phrases) == 1 else None,
    )


def average_prototypes(sets: Sequence[Prototypes]) -> Prototypes:
    """Return the mean direction of every relation that all sets have, in the order of the first."""
    common = [relation for relation in sets[0].relations if all(relation.id in other.relations for other in sets)]
    places = [[prototypes.relations.index(relation.id) for relation in common] for prototypes in sets]
    vectors = torch.stack([prototypes.vectors[place] for prototypes, place in zip(sets, places, strict=True)])
    return Prototypes.of(RelationVocabulary(common), vectors.mean(0))


def _record(models: Sequence[RelationModel]) -> dict[str, Any]:
    """Return the record of an average: its runs by name and fingerprint, and their common leakage."""
    lineages = [model.lineage for model in models if model.lineage is not None]
    common = frozenset.intersection(*(lineage.apart_from for lineage in lineages))
    seen = frozenset().union(*(lineage.relations for lineage in lineages))
    all_runs = Lineage(" + ".join(lineage.name for lineage in lineages), common, seen)
    return {
        "blend": [{"run": model.name, "fingerprint": model.fingerprint} for model in models],
        "leakage": {
            "apart_from": [_test_set(mark, models) for mark in sorted(common)],
            "started_from": all_runs.as_json(),
        },
    }


def _test_set(mark: str, models: Sequence[RelationModel]) -> dict[str, Any]:
    """Return the counts of overlap with one test set, of each run."""
    leakages = [model.record.leakage for model in models if model.record is not None]
    counted = [
        one.model_dump(mode="json", exclude_unset=True)
        for leakage in leakages
        if leakage is not None
        for one in leakage.apart_from
        if one.fingerprint == mark
    ]
    shared = sorted({kind for one in counted for kind in one.get("may_share", [])})
    return {"name": counted[0]["name"], "fingerprint": mark, "may_share": shared, "runs": counted}


def _check_same_settings(first: RelationModel, other: RelationModel) -> None:
    for model in (first, other):
        if model.classifier is not None or model.method is not None:
            raise BadInput(f"{model.name}: expected a run without a classifier or few-shot method, got one with it")
    pairs = (
        ("encoder", dict(first.encoder.settings), dict(other.encoder.settings)),
        ("max_length", first.max_length, other.max_length),
        ("tokenizer", first.tokenizer.fingerprint[:16], other.tokenizer.fingerprint[:16]),
    )
    for what, ours, theirs in pairs:
        if ours != theirs:
            raise BadInput(f"{other.name}: {what}: expected {ours} as in {first.name}, got {theirs}")


def _check_near(one: str, other: str, ours: Weights, theirs: Weights) -> None:
    shapes, others = ({key: tuple(value.shape) for key, value in each.items()} for each in (ours, theirs))
    if shapes != others:
        key = min(key for key in shapes.keys() | others.keys() if shapes.get(key) != others.get(key))
        raise BadInput(
            f"{other}: {key}: expected the shape {shapes.get(key)} as in {one}, got {others.get(key)}; "
            "average runs of the same encoder"
        )
    for key in (key for key, value in ours.items() if value.dim() > 1):
        norm = max(float(ours[key].norm()), float(theirs[key].norm()), 1e-12)
        distance = float((ours[key] - theirs[key]).norm()) / norm
        if math.isnan(distance) or distance > FARTHEST:
            raise BadInput(
                f"{other}: {key}: expected at most {FARTHEST} of its norm from that of {one}, got {distance:.1f}; "
                "average only runs that started from one trained encoder"
            )


def _mean(weights: Sequence[Weights]) -> Weights:
    return {
        key: torch.stack([each[key] for each in weights]).mean(0) if value.is_floating_point() else value
        for key, value in weights[0].items()
    }


def _weights(model: RelationModel) -> Weights:
    return dict(_module(model.encoder).state_dict())


def _module(encoder: object) -> nn.Module:
    if not isinstance(encoder, nn.Module):
        raise BadInput(f"expected an encoder with weights, got {type(encoder).__name__}")
    return encoder
