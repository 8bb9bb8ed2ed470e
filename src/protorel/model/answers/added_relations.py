"""Relations without training: a prototype from words, a few examples or both, on the scale of learned ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.geometry import Origin, Prototypes
from protorel.io import kind, printable
from protorel.model.answers.background import Background
from protorel.model.answers.calibrating import fit_line
from protorel.model.answers.calibration import Calibration, fingerprint_of
from protorel.model.answers.calibration_file import Line
from protorel.statements import BadInput, Descriptions, Relation, RelationVocabulary, Statement

if TYPE_CHECKING:
    from protorel.model.relation_model import RelationModel

RelationsLike: TypeAlias = "Descriptions | Mapping[str, Any] | Iterable[str | Relation]"
"""New relations: descriptions, a mapping of ids to a name or to (name, description), or ids and Relations."""
SHOTS = 3
"""How many examples a simulated new relation has."""
_LEAST_POSITIVES = 2 * SHOTS
"""How many held-out statements a relation needs for the simulation by examples."""
_FROM: Mapping[tuple[bool, bool], Origin] = {
    (True, False): "words",
    (False, True): "examples",
    (True, True): "words_and_examples",
}


def add_relations(
    model: RelationModel, relations: RelationsLike | None, examples: Sequence[Statement]
) -> tuple[Prototypes, Calibration | None]:
    """Return the prototypes of a model and of new relations, and the calibration of all of them."""
    described = _described(relations)
    by_relation: dict[str, list[Statement]] = {name: [] for name in described}
    for number, example in enumerate(examples):
        if example.relation is None:
            raise BadInput(f"examples: row {number}: expected the relation that the example is for, got no label")
        if relations is not None and example.relation not in by_relation:
            near = get_close_matches(example.relation, by_relation, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise BadInput(
                f"examples: row {number}: expected one of the relations to add, "
                f"got {printable(example.relation)!r}.{hint}"
            )
        by_relation.setdefault(example.relation, []).append(example)
    if not by_relation:
        raise BadInput("relations: expected at least one relation to add, got none")
    if known := [name for name in by_relation if name in model.relations]:
        raise BadInput(
            f"relations: expected relations that the model does not have, got {printable(known[0])!r}. Remove it first"
        )
    added = [described.get(name, Relation(name)) for name in by_relation]
    if empty := [one.id for one in added if not (by_relation[one.id] or one.name or one.description)]:
        raise BadInput(
            f"relations: {printable(empty[0])}: expected a name, a description or examples, got none of them"
        )
    directions = [directions_of(model, one, by_relation[one.id]) for one in added]
    vectors = torch.stack([F.normalize(sum_of(parts), dim=-1) for parts in directions])
    radius, threshold = zip(*(_measured(model, parts.get("examples")) for parts in directions), strict=True)
    origins = tuple(_FROM["words" in parts, "examples" in parts] for parts in directions)
    new = Prototypes(RelationVocabulary(added), vectors, torch.tensor(radius), torch.tensor(threshold), origins)
    prototypes = model.prototypes.extended(new)
    if model.calibration is None:
        return prototypes, None
    slope, offset = _maps(model.calibration, vectors.numpy(), origins)
    fingerprint = fingerprint_of(prototypes.vectors.numpy())
    return prototypes, model.calibration.extended(new.relations.ids, fingerprint, slope, offset)


def directions_of(
    model: RelationModel, relation: Relation, examples: Sequence[Statement]
) -> dict[str, Float[Tensor, "some width"]]:
    """Return unit vectors of a relation's words, as one, and of its examples."""
    found = {}
    if relation.name or relation.description:
        words = Descriptions.of({relation.id: relation}).phrased(model.phrase)
        found["words"] = model.encode_wordings(words.wordings([relation.id]))
    if examples:
        found["examples"] = F.normalize(model.encode(examples), dim=-1)
    return found


def sum_of(parts: Mapping[str, Float[Tensor, "some width"]]) -> Float[Tensor, " width"]:
    """Return the sum of the mean directions of words and examples."""
    return torch.stack([F.normalize(part.mean(0), dim=-1) for part in parts.values()]).sum(0)


def _measured(model: RelationModel, examples: Float[Tensor, "some width"] | None) -> tuple[float, float]:
    """Return radius and threshold of a prototype from examples: how close each is to the others, and what is far.

    Only a model without calibration needs them. What is far is as close as the nearest other prototype.
    """
    if examples is None or len(examples) < 2 or not len(model):
        return float("nan"), float("nan")
    whole = examples.sum(0)
    others = F.normalize(whole[None] - examples, dim=-1)
    radius = float((examples * others).sum(-1).median())
    elsewhere = float((F.normalize(whole, dim=-1) @ model.prototypes.vectors.T).max())
    return radius, min(elsewhere, radius - 0.05)


def _maps(
    calibration: Calibration, prototypes: NDArray[np.floating], origins: Sequence[Origin]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and offset of new prototypes: standard deviations above ordinary statements, through pooled maps."""
    lines = calibration.added or {}
    if calibration.background is None or not lines:
        count = len(prototypes)
        return np.full(count, calibration.slope.mean()), np.full(count, calibration.offset.mean())
    mean, spread = calibration.background.mean_and_spread(prototypes)
    chosen = [lines.get(origin) or next(iter(lines.values())) for origin in origins]
    slope = np.asarray([line.slope for line in chosen]) / spread
    return slope, np.asarray([line.offset for line in chosen]) - slope * mean


def remove_relations(model: RelationModel, names: Sequence[str]) -> tuple[Prototypes, Calibration | None]:
    """Return the prototypes and the calibration of a model without some of its relations."""
    if isinstance(names, str):
        raise BadInput(f"names: expected a list of relations, got the text {printable(names)!r}")
    gone = {model.relations.index(name) for name in names}
    places = [place for place in range(len(model)) if place not in gone]
    prototypes = model.prototypes.kept(places)
    if model.calibration is None:
        return prototypes, None
    return prototypes, model.calibration.kept(places, fingerprint_of(prototypes.vectors.numpy()))


def simulate_added(
    model: RelationModel,
    vectors: Float[Tensor, "pairs width"],
    labels: NDArray[np.bool_],
    background: Background,
) -> dict[str, Line]:
    """Fit the maps of relations to come: each known relation is made once more, from its words and from examples.

    Args:
        model: The model; relations with a name or a description take part in the simulation by words.
        vectors: Held-out pairs, encoded.
        labels: Which relations hold for which pair.
        background: How vectors of ordinary statements lie.

    Returns:
        Maps by origin, from standard deviations above ordinary statements to logits.
    """
    unit = F.normalize(vectors, dim=-1)
    scores: dict[Origin, list[NDArray[np.float64]]] = {}
    holds: dict[Origin, list[NDArray[np.bool_]]] = {}
    for column, relation in enumerate(model.relations):
        rows = np.flatnonzero(labels[:, column])
        if not len(rows):
            continue
        parts = directions_of(model, relation, ())
        shown = rows[:SHOTS] if len(rows) >= _LEAST_POSITIVES else rows[:0]
        if len(shown):
            parts["examples"] = unit[shown]
        for words, few in ((True, False), (False, True), (True, True)):
            used = {
                name: parts[name] for name, asked in (("words", words), ("examples", few)) if asked and name in parts
            }
            if len(used) != words + few:
                continue
            prototype = F.normalize(sum_of(used), dim=-1)
            mean, spread = background.mean_and_spread(prototype[None].numpy())
            rest = np.ones(len(labels), dtype=bool)
            rest[shown] = not few
            origin = _FROM[words, few]
            cosines = (unit @ prototype).double().numpy()
            scores.setdefault(origin, []).append(((cosines - mean) / spread)[rest])
            holds.setdefault(origin, []).append(labels[rest, column])
    found = {}
    for origin, own in scores.items():
        slope, offset = fit_line(np.concatenate(own), np.concatenate(holds[origin]))
        found[str(origin)] = Line(slope=slope, offset=offset)
    return found


def _described(relations: RelationsLike | None) -> dict[str, Relation]:
    """Return new relations by id, whatever form they were given in."""
    if relations is None:
        return {}
    if isinstance(relations, Descriptions):
        return dict(relations.relations)
    if isinstance(relations, str):
        raise BadInput(f"relations: expected a list or a mapping of relations, got the text {printable(relations)!r}")
    if isinstance(relations, Mapping):
        return {str(name): _relation(str(name), words) for name, words in relations.items()}
    found = {}
    for one in relations:
        if not isinstance(one, str | Relation):
            raise BadInput(f"relations: expected ids or Relations, got {kind(one)}")
        # The id of a relation is the only name that it has.
        relation = Relation(one, one.replace("_", " ")) if isinstance(one, str) else one
        found[relation.id] = relation
    return found


def _relation(name: str, words: Any) -> Relation:
    if isinstance(words, Relation):
        return Relation(name, words.name, words.description)
    if isinstance(words, str):
        return Relation(name, words)
    if isinstance(words, tuple | list) and 1 <= len(words) <= 2 and all(isinstance(one, str) for one in words):
        return Relation(name, *words)
    raise BadInput(f"relations: {printable(name)}: expected a name or (name, description), got {kind(words)}")
