"""Tuning: a model that is there already learns from a small clean set, or from a noisy one again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from protorel.encoders import WORD_KINDS
from protorel.geometry import Prototypes
from protorel.model import ModelSource, RelationModel, untrained
from protorel.recipes import (
    EpisodeRecipe,
    FinetuneRecipe,
    SupervisedRecipe,
    check_tuning,
    load_finetune_recipe,
    start_of,
)
from protorel.statements import BadInput, DataSet, Descriptions, Equivalents, StatementSource, select
from protorel.training.apart import keep_apart
from protorel.training.building import build_word_encoder, check_length
from protorel.training.clock import Clock
from protorel.training.few_shot_tuning import FewShotTuning
from protorel.training.finished import finished_model
from protorel.training.folder import is_finished, run_folder
from protorel.training.labelled_data import Data, select_labelled, source_of
from protorel.training.loop import Watcher
from protorel.training.precision import settle_precision
from protorel.training.supervised import Supervised


def finetune(
    model: Path | str | None,
    data: Data,
    out: Path | str,
    recipe: FinetuneRecipe | str = "supervised",
    *,
    dev: Data | None = None,
    apart_from: Iterable[DataSet | Path | str] = (),
    equivalents: Equivalents | None = None,
    descriptions: Descriptions | None = None,
    resume: bool = False,
    keep_state: bool = False,
    watch: Watcher | None = None,
) -> RelationModel:
    """Tune a run or an encoder on labelled statements, and leave a run folder with the result at `out`.

    `model` is a run folder, `minilm`, an encoder of words by name, a folder with an encoder, or a hub id; None stands
    for the recipe's own `encoder`. `dev` chooses the best epoch of a classifier; `descriptions` say what relations mean
    in words, for episodes that ask for it. What the data share with the test sets in `apart_from` is dropped, but for
    what the recipe lets them share. With `resume`, a run that was stopped goes on and ends with the weights it would
    have had anyway; one that has finished is returned as it is. A finished run keeps its last checkpoint only with
    `keep_state`.
    """
    clock = Clock()
    recipe = load_finetune_recipe(recipe) if isinstance(recipe, str) else recipe
    check_tuning(recipe, dev=dev is not None, descriptions=descriptions)
    name = start_of(model, recipe)
    with run_folder(out, resume=resume, keep_state=keep_state) as folder:
        if resume and is_finished(folder):
            return finished_model(folder, recipe)
        recipe, precision = settle_precision(recipe, name, folder)
        apart = keep_apart(source_of(data), apart_from, encoder=name, equivalents=equivalents, share=recipe.share)
        selection = select_labelled(apart.source, recipe)
        chosen_by = select(source_of(dev)) if dev is not None else None
        if chosen_by is not None and chosen_by.fingerprint in apart.fingerprints:
            raise BadInput("the --dev file is one of the --apart-from files: a test set must not choose the epoch")
        training: Supervised | FewShotTuning
        start = starting_model(name, recipe, selection.source)
        match recipe:
            case SupervisedRecipe():
                training = Supervised(recipe, start, selection, folder, apart, chosen_by)
            case EpisodeRecipe():
                training = FewShotTuning(recipe, start, selection, folder, apart, descriptions)
            case _:
                raise TypeError(f"{type(recipe).__name__} is no recipe that can be followed")
        training.state.clock, training.precision = clock, precision
        if resume:
            training.state.resume()
        training.train(watch)
        return training.finish()


def starting_model(name: str, recipe: FinetuneRecipe, source: StatementSource) -> RelationModel:
    """Load what is to be tuned; `source` says which words a word encoder that is made anew should know."""
    if name in WORD_KINDS:
        encoder, tokenizer = build_word_encoder(name, recipe, source)
        return RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), recipe.max_length, name)
    found = ModelSource.find(name)
    if found.record is not None:
        model = RelationModel.from_pretrained(found)
    else:
        model = untrained(name, readout=recipe.readout, marker_start=recipe.marker_start)
    check_length(model.encoder, recipe.max_length, name=model.name)
    return model
