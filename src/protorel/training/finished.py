"""A run that has finished: going on with it means to say so, and to give its model."""

from __future__ import annotations

import logging
from pathlib import Path

from protorel.io import checked, shown
from protorel.model import RECORD, RelationModel, TrainedRecord, read_record
from protorel.recipes import TrainingSettings
from protorel.statements import BadInput
from protorel.training.same import check_recipe, recipe_settings

_LOGGER = logging.getLogger("protorel")


def finished_model(folder: Path, recipe: TrainingSettings) -> RelationModel:
    """Load a run that has finished, and log that there is nothing left to do.

    A run that was made with another recipe is refused; the data are not read again.
    """
    record, what = read_record(folder), f"{folder}: this run"
    then, now = record.get("recipe"), recipe.model_dump(mode="json")
    if then is None:
        raise BadInput(f"{what} was made neither by `protorel pretrain` nor by `protorel finetune`, so it cannot go on")
    checked(record, TrainedRecord, where=str(folder / RECORD))
    if ("kind" in then) != ("kind" in now):
        raise BadInput(f"{what} was made by `protorel {'finetune' if 'kind' in then else 'pretrain'}`; use that")
    if then.get("encoder") != now["encoder"]:
        raise BadInput(f"{what} was made with encoder={shown(then.get('encoder'))}, not {now['encoder']!r}")
    # Which precision is best is a matter of the machine.
    told = {key: value for key, value in then.items() if key != "precision"}
    check_recipe(told, recipe_settings(recipe, without=["precision"]), what=what)
    _LOGGER.info("%s: finished already (%s steps); nothing to do", folder, record["results"].get("steps", 0))
    return RelationModel.from_pretrained(folder)
