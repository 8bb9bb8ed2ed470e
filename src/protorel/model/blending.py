"""Blending: several trainings that began from one encoder become one model, the mean of their weights.

Wortsman et al. 2022, "Model soups". Runs that differ in seed, recipe or data end near each other, and the point between
them is often better than each. It costs no more to use than one of them, which a committee of models would.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from itertools import combinations
from pathlib import Path

import torch
from torch import Tensor, nn

from protorel.geometry import Prototypes
from protorel.io import written_whole
from protorel.model.blend_record import blend_record
from protorel.model.relation_model import RelationModel
from protorel.model.run_record import is_run
from protorel.statements import BadInput, RelationVocabulary

FARTHEST = 0.7
"""How far apart two runs' values of a matrix may lie, as a share of its length; two random ones lie 1.4 apart."""

Weights = dict[str, Tensor]


def blend(models: Sequence[RelationModel], *, name: str = "") -> RelationModel:
    """Return the model whose weights are the mean of those given.

    Its prototypes are those of the relations that all models know, each the mean direction; how wide statements lie
    around them is not known of the new encoder and must be measured anew.
    """
    if len(models) < 2:
        raise BadInput(f"{len(models)} run given to blend, two or more are wanted")
    for other in models[1:]:
        _check_alike(models[0], other)
    weights = [_weights(model) for model in models]
    for (one, ours), (other, theirs) in combinations(zip(models, weights, strict=True), 2):
        _check_near(one.name, other.name, ours, theirs)
    encoder = deepcopy(models[0].encoder)
    _module(encoder).load_state_dict(_mean(weights))
    phrases = {model.phrase for model in models}
    return RelationModel(
        encoder,
        models[0].tokenizer,
        blended_prototypes([model.prototypes for model in models]),
        models[0].max_length,
        name,
        phrase=phrases.pop() if len(phrases) == 1 else None,
    )


def blend_runs(runs: Sequence[Path], out: Path) -> RelationModel:
    """Blend the runs in these folders; the new one is written whole or not at all, and names what it is made of."""
    for run in runs:
        if not is_run(run):
            raise BadInput(f"{run}: is no run of protorel, one that was pretrained or tuned here is wanted")
    if out.exists():
        raise BadInput(f"{out}: exists already; choose another --out")
    models = [RelationModel.load(run) for run in runs]
    blended = blend(models, name=out.name)
    with written_whole(out) as beside:
        beside.mkdir()
        blended.save(beside, record=blend_record(models, runs))
    return blended


def blended_prototypes(sets: Sequence[Prototypes]) -> Prototypes:
    """Return the mean direction of every relation that all sets have, in the order of the first."""
    common = [relation for relation in sets[0].relations if all(relation.id in other.relations for other in sets)]
    places = [[prototypes.relations.index(relation.id) for relation in common] for prototypes in sets]
    vectors = torch.stack([prototypes.vectors[place] for prototypes, place in zip(sets, places, strict=True)])
    return Prototypes.of(RelationVocabulary(common), vectors.mean(0))


def _check_alike(first: RelationModel, other: RelationModel) -> None:
    for model in (first, other):
        if model.classifier is not None or model.method is not None:
            raise BadInput(f"{model.name}: was tuned with a head of its own; runs without one can be blended")
    pairs = (
        ("encoder", dict(first.encoder.settings), dict(other.encoder.settings)),
        ("max_length", first.max_length, other.max_length),
        ("tokenizer", first.tokenizer.fingerprint[:16], other.tokenizer.fingerprint[:16]),
    )
    for what, ours, theirs in pairs:
        if ours != theirs:
            raise BadInput(f"{other.name}: its {what} is {theirs}, that of {first.name} is {ours}; alike is wanted")


def _check_near(one: str, other: str, ours: Weights, theirs: Weights) -> None:
    shapes, others = ({key: tuple(value.shape) for key, value in each.items()} for each in (ours, theirs))
    if shapes != others:
        differ = sorted(key for key in shapes.keys() | others.keys() if shapes.get(key) != others.get(key))
        raise BadInput(f"{other}: {differ[0]} has another shape than in {one}; the same encoder is wanted")
    for key in (key for key, value in ours.items() if value.dim() > 1):
        length = max(float(ours[key].norm()), float(theirs[key].norm()), 1e-12)
        apart = float((ours[key] - theirs[key]).norm()) / length
        if math.isnan(apart) or apart > FARTHEST:
            raise BadInput(
                f"{other}: {key} lies {apart:.1f} of its length from that of {one}; only runs that began from one "
                "trained encoder can be blended"
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
        raise BadInput(f"encoder {type(encoder).__name__} has no weights to blend")
    return encoder
