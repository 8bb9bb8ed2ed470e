"""What an extractor needs of a model: its relations, probabilities for statements, and a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from protorel.extraction.settings import check_share
from protorel.io import BadInput
from protorel.model import Prediction
from protorel.statements import RelationVocabulary, Statement, UnknownRelation


class RelationPredictor(Protocol):
    """What an extractor needs of a model; `RelationModel` has it."""

    @property
    def relations(self) -> RelationVocabulary:
        """The relations that the model knows."""
        ...

    def predict(
        self, statements: Sequence[Statement], *, among: Sequence[str] | None = None, top: int = 3
    ) -> list[Prediction]:
        """Return one prediction per statement."""
        ...


def loaded(model: RelationPredictor | str | Path) -> RelationPredictor:
    """Return a model, loaded if it is given by name.

    Raises:
        BadInput: there is no such model, or it has no relations.
    """
    found = model if not isinstance(model, str | Path) else _from_name(model)
    if not len(found.relations):
        raise BadInput(
            "model: expected one with relations, got none. Train it with `protorel pretrain`, or add some with "
            "`with_relations`"
        )
    return found


def _from_name(model: str | Path) -> RelationPredictor:
    from protorel.model import RelationModel  # brings torch

    return RelationModel.from_pretrained(model)


def threshold_of(model: RelationPredictor, min_precision: float) -> float:
    """Return the probability from which on a model reaches a precision on held-out statements.

    Raises:
        BadInput: the model is not calibrated, or cannot reach it.
    """
    check_share(min_precision, "min_precision")
    choose = getattr(model, "threshold_for", None)
    if choose is None:
        raise BadInput(
            "min_precision: expected a calibrated model, got one without calibration. Run `protorel calibrate`"
        )
    return float(choose(min_precision))


def candidates(model: RelationPredictor, relations: Sequence[str]) -> tuple[str, ...]:
    """Return candidate relations, each once.

    Raises:
        BadInput: there are none, or the model does not know one.
    """
    for name in relations:
        if name not in model.relations:
            raise UnknownRelation(name, model.relations.ids)
    if not relations:
        raise BadInput("relations: expected one or more, got an empty list")
    return tuple(dict.fromkeys(relations))
