"""Starting encoders of an experiment: training starts from them and is compared with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.encoders import WORD_KINDS, resolve
from protorel.evaluation import encode_once, run_leakage
from protorel.geometry import Prototypes
from protorel.model import ModelSource, RelationModel, untrained
from protorel.statements import BadInput, DataSet, Equivalents, StatementSource
from protorel.training import Recipe, build_encoder
from protorel_paper.experiments.exam import PointExam


@dataclass(frozen=True, slots=True)
class Start:
    """An encoder before training."""

    name: str
    encoder: str
    """Value of a recipe's `encoder`."""
    model: RelationModel
    as_trained: RelationModel | None
    """The same encoder with the readout of training, if the best untrained readout is another."""
    fingerprint: str
    leakage: Mapping[str, Any]
    notes: tuple[str, ...]

    def described(self) -> dict[str, Any]:
        """Return the name and fingerprint of the encoder, never its path."""
        return {"name": self.name, "fingerprint": self.fingerprint, "leakage": self.leakage}

    def evaluate(self, exam: PointExam) -> dict[str, Any]:
        """Evaluate the untuned encoder."""
        found: dict[str, Any] = {"fewshot": exam.evaluate(encode_once(self.model, exam.statements))}
        if self.as_trained is not None:
            found["fewshot_by_trained_readout"] = exam.evaluate(encode_once(self.as_trained, exam.statements))
        return found


def starting_encoders(
    names: Sequence[str], recipe: Recipe, source: StatementSource, test: DataSet, *, equivalents: Equivalents
) -> list[Start]:
    """Load each encoder, and look up whether overlap with the test set was removed from its training data."""
    tested = [statement.relation for statement in test.source() if statement.relation is not None]
    starts = []
    for name in names:
        model, as_trained = _load(name, recipe.model_copy(update={"encoder": name}), source)
        leakage = run_leakage(model, test, tested, equivalents=equivalents)
        short = Path(name).resolve().name
        notes = tuple(f"{short}: {note}" for note in leakage.notes())
        starts.append(Start(short, name, model, as_trained, model.fingerprint, leakage.as_json(), notes))
    check_names("starting encoders", [start.name for start in starts])
    return starts


def check_names(what: str, names: Sequence[str]) -> None:
    """Refuse two things of one name: their points would have one name."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput(f"{what}: expected different names, got {twice[0]!r} twice")


def _load(name: str, recipe: Recipe, source: StatementSource) -> tuple[RelationModel, RelationModel | None]:
    if name in WORD_KINDS:
        encoder, tokenizer = build_encoder(recipe, source)
        return RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), recipe.max_length, name), None
    resolve(name)  # a run that training cannot start from is refused now, not after the first evaluation
    found = ModelSource.find(name)
    if found.record is not None:
        return RelationModel.from_pretrained(found), None
    model = untrained(name, marker_start=recipe.marker_start)
    if model.encoder.settings.get("readout") == recipe.readout:
        return model, None
    return model, untrained(name, readout=recipe.readout, marker_start=recipe.marker_start)
