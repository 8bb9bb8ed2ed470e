"""Answers of a model: cosines of statements to prototypes, in both orders, become probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.io import printable, shown
from protorel.model.answers.added_relations import simulate_added
from protorel.model.answers.background import Background
from protorel.model.answers.calibrating import Pairs, document_numbers, fit_calibration
from protorel.model.answers.calibration import Calibration, Probabilities
from protorel.model.answers.calibration_file import HeldOut, Interval
from protorel.model.answers.prediction import Evidence, Prediction
from protorel.model.encoding import BATCH_TOKENS
from protorel.statements import BadInput, DataSet, Statement, fingerprint, gather_labels

if TYPE_CHECKING:
    from protorel.model.relation_model import RelationModel

ASSERTED = 0.5
"""A relation holds from this probability on, unless a precision is asked for."""
NEAREST = 3
"""How many of the nearest prototypes, and of the nearest training statements, are given as evidence."""
_AT_ONCE = 2048
"""Statements whose scores are in memory at a time."""
_UNMEASURED = Interval(value=0.0, low=0.0, high=0.0)


@dataclass(frozen=True, slots=True)
class BothOrders:
    """Statements encoded with head and tail as given, and swapped; what occurs twice is encoded once."""

    vectors: Float[Tensor, "distinct width"]
    given: NDArray[np.int64]
    """For each statement the row of its vector."""
    swapped: NDArray[np.int64]


def encode_both(model: RelationModel, statements: Sequence[Statement]) -> BothOrders:
    """Encode statements in both orders, sorted by length over all of them."""
    places: dict[bytes, int] = {}
    distinct: list[Statement] = []

    def place(statement: Statement) -> int:
        number = places.setdefault(statement.key, len(distinct))
        if number == len(distinct):
            distinct.append(statement)
        return number

    orders = [(place(one), place(swapped(one))) for one in statements]
    found = np.asarray(orders, dtype=np.int64).reshape(-1, 2)
    return BothOrders(model.encode(distinct, batch_tokens=BATCH_TOKENS), found[:, 0], found[:, 1])


def swapped(statement: Statement) -> Statement:
    """Return a statement with head and tail swapped."""
    return replace(
        statement,
        head=statement.tail,
        tail=statement.head,
        head_id=statement.tail_id,
        tail_id=statement.head_id,
        head_type=statement.tail_type,
        tail_type=statement.head_type,
    )


def predict_statements(
    model: RelationModel,
    statements: Sequence[Statement],
    *,
    among: Sequence[str] | None,
    top: int,
    threshold: float,
    nearest: int,
) -> list[Prediction]:
    """Return one prediction per statement, see `RelationModel.predict`."""
    columns = candidates(model, among)
    if top < 1:
        raise BadInput(f"top: expected 1 or more, got {top}")
    if not isinstance(nearest, int) or nearest < 0:
        raise BadInput(f"nearest: expected a whole number of 0 or more, got {printable(shown(nearest))}")
    if not statements:
        return []
    names = [model.relations.ids[column] for column in columns]
    calibration, encoded = model.maps, encode_both(model, statements)
    near = None
    if model.training_statements and nearest:
        near = model.training_statements.nearest(encoded.vectors, encoded.given, nearest)
    found: list[Prediction] = []
    for start in range(0, len(statements), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        cosines = model.prototypes.similarity(encoded.vectors[encoded.given[rows]]).numpy()
        backwards = model.prototypes.similarity(encoded.vectors[encoded.swapped[rows]]).numpy()
        forward = calibration.probabilities(cosines, among=columns)
        reverse = calibration.probabilities(backwards, among=columns).relations
        answered = _Answered(names, cosines[:, columns], forward, reverse, threshold, calibration.calibrated)
        for row, one in enumerate(answered.predictions(top, nearest), start):
            found.append(one if near is None else replace(one, evidence=one.evidence + near.evidence(row)))
    return found


@dataclass(frozen=True, slots=True)
class _Answered:
    """Scores of some statements, and what they mean."""

    names: Sequence[str]
    cosines: NDArray[np.floating]
    forward: Probabilities
    reverse: NDArray[np.float64]
    threshold: float
    calibrated: bool

    def predictions(self, top: int, nearest: int) -> Iterator[Prediction]:
        """Yield one prediction per statement, with the nearest prototypes as evidence."""
        order = np.argsort(-self.forward.relations, axis=1, kind="stable")
        closest = np.argsort(-self.cosines, axis=1, kind="stable")[:, :nearest]
        for row, ranking in enumerate(order):
            probability = self.forward.relations[row]
            holds = [int(column) for column in ranking if probability[column] >= self.threshold]
            best, none = int(ranking[0]), float(self.forward.none[row])
            yield Prediction(
                relation=self.names[best] if holds else None,
                probability=float(probability[best]) if holds else none,
                asserted=tuple((self.names[column], float(probability[column])) for column in holds),
                ranked=tuple((self.names[column], float(probability[column])) for column in ranking[:top]),
                none_probability=none,
                reverse_probability=float(self.reverse[row, best]),
                evidence=tuple(
                    Evidence("prototype", self.names[column], float(self.cosines[row, column]))
                    for column in closest[row]
                ),
                calibrated=self.calibrated,
            )


def candidates(model: RelationModel, among: Sequence[str] | None) -> NDArray[np.int64]:
    """Return the columns of the candidate relations.

    Raises:
        BadInput: the model has no prototypes, or a candidate is not one of its relations.
    """
    known = model.relations.ids
    if not known:
        raise BadInput(
            f"{printable(model.name) or 'model'}: expected a model with prototypes, got one without relations. "
            "Train it with `protorel pretrain`, or add relations with `with_relations`"
        )
    if among is None:
        return np.arange(len(known))
    if isinstance(among, str):
        raise BadInput(f"among: expected a list of relations, got the text {printable(among)!r}")
    by_name = {relation: place for place, relation in enumerate(known)}
    for name in among:
        if name not in by_name:
            near = get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise BadInput(f"among: expected relations of the model, got {printable(str(name))!r}.{hint}")
    if not among:
        raise BadInput("among: expected at least one relation, got none")
    return np.asarray([by_name[name] for name in dict.fromkeys(among)], dtype=np.int64)


def calibrate_model(model: RelationModel, data: DataSet, *, none_share: float | None) -> Calibration:
    """Return a calibration of a model on held-out statements, see `RelationModel.calibrated`."""
    candidates(model, None)
    statements = list(data.source())
    pairs = gather_labels(statements)
    if not len(pairs):
        raise BadInput(f"{data.name}: expected held-out statements, got none")
    column = {relation: place for place, relation in enumerate(model.relations.ids)}
    labels = np.zeros((len(pairs), len(column)), dtype=bool)
    unknown: dict[str, int] = {}
    for row, own in enumerate(pairs.labels):
        for relation in own:
            if relation in column:
                labels[row, column[relation]] = True
            else:
                unknown[relation] = unknown.get(relation, 0) + 1
    documents = document_numbers([statement.document for statement in pairs.statements])
    vectors = model.encode(pairs.statements, batch_tokens=BATCH_TOKENS)
    held_out = HeldOut(
        name=data.name,
        fingerprint=fingerprint(statements),
        pairs=len(pairs),
        related=int(labels.any(axis=1).sum()),
        labels=int(labels.sum()),
        documents=int(documents.max()) + 1,
        none_share=0.0,
        unknown=dict(sorted(unknown.items())),
        calibration_error=_UNMEASURED,
    )
    found = Pairs(model.prototypes.similarity(vectors).numpy(), labels, documents)
    background = Background.of(vectors.numpy())
    added = simulate_added(model, vectors, labels, background)
    fitted = replace(fit_calibration(model.maps, found, held_out), background=background, added=added)
    return fitted if none_share is None else fitted.at(none_share)
