"""What all points of an experiment share: recipes, starting encoders, training statements, the exam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protorel.statements import BadInput, DataSet, Equivalents, load_equivalents
from protorel.training import Recipe, choose_precision, reads_words
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.material import Material, gather
from protorel_paper.experiments.starts import Start, check_names, starting_encoders


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything that is read and loaded once."""

    recipes: tuple[Recipe, ...]
    starts: tuple[Start, ...]
    material: Material
    exam: PointExam

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the starting encoders for readers of the figures."""
        return tuple(note for start in self.starts for note in start.notes)

    def settings(self, start: Start) -> dict[str, Any]:
        """Return the settings that all points from this start share."""
        return {
            "experiment": {"training_statements": self.material.fingerprint, "test": self.exam.settings()},
            "start_name": start.name,
            "start": {"fingerprint": start.fingerprint},
        }

    def described(self, start: Start) -> dict[str, Any]:
        """Return the data and the encoder that a point was made from."""
        return {
            "data": self.material.data,
            "test": self.exam.data,
            "removed_from_data": self.material.removed,
            "start": start.described(),
        }


def prepare(
    recipes: Sequence[Recipe],
    data: DataSet,
    test: DataSet,
    *,
    models: Sequence[str] = (),
    exam: PointExam | None = None,
    equivalents: Equivalents | None = None,
    true_only: bool = False,
) -> Experiment:
    """Read the data, remove their overlap with the test set, and load the starting encoders."""
    check_names("recipes", [recipe.name for recipe in recipes])
    encoders = {recipe.encoder for recipe in recipes}
    if not models and len(encoders) > 1:
        raise BadInput(
            f"recipes: expected one starting encoder, got {', '.join(sorted(encoders))}; name one by --model"
        )
    meanings = equivalents or load_equivalents()
    exam = exam or PointExam.of(test)
    material = gather(data, test, recipes, equivalents=meanings, true_only=true_only)
    starts = starting_encoders(list(models) or sorted(encoders), recipes[0], data.source, test, equivalents=meanings)
    return Experiment(tuple(_settled(recipe, starts) for recipe in recipes), tuple(starts), material, exam)


def _settled(recipe: Recipe, starts: Sequence[Start]) -> Recipe:
    """Return the recipe with one precision for all points: a curve must not mix precisions."""
    rounds = any(not reads_words(start.encoder) for start in starts)
    return recipe.model_copy(update={"precision": choose_precision(recipe.precision, rounds=rounds).used})
