"""One precision for all cells of a folder: that of its first cell, whatever processor continues the work."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel

from protorel.evaluation import machine
from protorel.io import READ_BACK, read_model, write_json
from protorel.recipes import TrainingSettings
from protorel.statements import BadInput
from protorel.training import PrecisionChoice, choose_precision, rounds_products
from protorel_paper.engine.stages import Note

RECORD = "precision.json"
_Settings = TypeVar("_Settings", bound=TrainingSettings)


class _Recorded(BaseModel):
    """Contents of precision.json."""

    model_config = READ_BACK

    used: Literal["fp32", "bf16"]


class TablePrecision:
    """The precision that `auto` means in a folder of tables."""

    def __init__(self, out: Path) -> None:
        self.out = out

    def settle(self, recipe: _Settings, encoder: str) -> _Settings:
        """Return the recipe with `auto` replaced; a recipe that has nothing to round trains in fp32."""
        if recipe.precision != "auto":
            return recipe
        used = self._choice.used if rounds_products(recipe, encoder) else "fp32"
        return recipe.model_copy(update={"precision": used})

    def record(self) -> None:
        """Record the choice for later commands in this folder; the first record stays."""
        place = self.out / RECORD
        if "_choice" in self.__dict__ and not place.exists():
            write_json(place, {**self._choice.as_json(), "machine": machine()})

    @cached_property
    def _choice(self) -> PrecisionChoice:
        place = self.out / RECORD
        recorded = read_model(place, _Recorded).used if place.is_file() else self._of_earlier_runs()
        if recorded is None:
            return choose_precision("auto", rounds=True)
        try:
            return choose_precision(recorded, rounds=True)
        except BadInput as problem:
            raise BadInput(f"{self.out}: this table was started in bf16; {problem}, in another --out") from problem

    def _of_earlier_runs(self) -> str | None:
        """Return the precision of runs that are older than the record: bf16 if any of them used it."""
        notes = [read_model(note, Note).settings for note in sorted((self.out / "runs").glob("*.json"))]
        if not notes:
            return None
        recipes = [note.get("recipe") for note in notes]
        bf16 = any(isinstance(recipe, dict) and recipe.get("precision") == "bf16" for recipe in recipes)
        return "bf16" if bf16 else "fp32"
