"""Fine-tuning: an existing model or encoder is trained further on labelled statements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protorel.encoders import WORD_KINDS
from protorel.geometry import Prototypes
from protorel.io import kind
from protorel.model import ModelSource, RelationModel, untrained
from protorel.recipes import (
    EpisodeRecipe,
    ExtractionRecipe,
    FinetuneRecipe,
    SupervisedRecipe,
    check_low_rank,
    check_tuning,
    load_finetune_recipe,
    start_of,
)
from protorel.statements import (
    BadInput,
    Descriptions,
    Equivalents,
    StatementsLike,
    StatementSource,
    as_data_set,
    load_equivalents,
    select,
)
from protorel.training.building import build_word_encoder, check_length
from protorel.training.data.decontamination import TestSets, as_equivalents, as_test_sets, remove_overlap
from protorel.training.data.kept_statements import as_most_kept
from protorel.training.data.labelled_data import as_descriptions, labels_of_none, select_labelled
from protorel.training.folder import finished_model, is_finished, run_folder
from protorel.training.loop import Watcher
from protorel.training.precision import reads_words, settle_precision
from protorel.training.run import Clock, check_watcher
from protorel.training.tuning.extraction_tuning import ExtractionTuning
from protorel.training.tuning.few_shot_tuning import FewShotTuning
from protorel.training.tuning.supervised import Supervised


def finetune(
    model: Path | str | None,
    data: StatementsLike,
    out: Path | str,
    recipe: FinetuneRecipe | Path | str = "supervised",
    *,
    dev: StatementsLike | None = None,
    decontaminate: TestSets = (),
    equivalents: Equivalents | Path | str | None = None,
    descriptions: Descriptions | Path | str | None = None,
    resume: bool = False,
    keep_state: bool = False,
    keep_statements: bool | int = False,
    watch: Watcher | None = None,
    **settings: Any,
) -> RelationModel:
    """Tune a run or an encoder on labelled statements, and write a run folder.

    Args:
        model: What to tune: a run folder, `minilm`, the name of a word encoder, a folder that Hugging Face tools open,
            or a hub id. None: the recipe's own `encoder`.
        data: Labelled statements: a Parquet file or a folder of them, Statements, dicts, a DataFrame, or anything else
            that `as_statements` accepts.
        out: The run folder to write. It must not exist yet, unless `resume` is set.
        recipe: A recipe, the name of one that we ship, or a YAML file. Its `kind` decides what is trained: `supervised`
            a classifier, `episodes` an encoder for few-shot classification, `extraction` prototypes for text.
        dev: Labelled statements, like `data`, that choose the best epoch of a classifier or of a model
            for text.
        decontaminate: One or more test sets, each like `data`. Training statements that overlap with them are removed,
            except for the kinds of overlap in the recipe's `share`.
        equivalents: Relations that mean the same, for the comparison with test sets, and labels that mean none.
        descriptions: Names and descriptions of relations, for objectives that read them.
        resume: Continue a stopped run from its last checkpoint. It ends with the same weights, bit for bit, as an
            uninterrupted run. A finished run is returned as it is.
        keep_state: Keep the optimiser state of the finished run.
        keep_statements: Keep the training statements and their vectors, so that `predict` can show the nearest ones. A
            number keeps at most so many, drawn evenly over relations.
        watch: Called after every step, such as a progress bar.
        **settings: Settings of the recipe to change, such as `epochs=3`.

    Returns:
        The tuned model, as `RelationModel` loads it from `out`.

    Raises:
        BadInput: The model, the data, the recipe or a setting cannot be used.
        WorkFailed: The loss or the weights are no longer finite, or a file cannot be written.
        Interrupted: Ctrl-C was pressed; `resume` continues.

    >>> from tempfile import TemporaryDirectory
    >>> from protorel.corpora import SmallWorldSettings, build_small_world
    >>> world = build_small_world(SmallWorldSettings(statements_per_relation=4))
    >>> with TemporaryDirectory() as folder:
    ...     model = finetune("cnn", world.train, f"{folder}/run", epochs=1)
    >>> len(model.classifier.labels)
    22
    """
    clock = Clock()
    test_sets = as_test_sets(decontaminate, settings)
    recipe = load_finetune_recipe(recipe, settings)
    words, meanings = as_descriptions(descriptions), as_equivalents(equivalents) or load_equivalents()
    check_watcher(watch)
    most_kept = as_most_kept(keep_statements)
    check_tuning(recipe, dev=dev is not None, descriptions=words)
    name = start_of(model, recipe)
    check_low_rank(recipe, words=reads_words(name))
    with run_folder(out, resume=resume, keep_state=keep_state) as folder:
        if resume and is_finished(folder):
            return finished_model(folder, recipe, keep_statements=most_kept > 0)
        recipe, precision = settle_precision(recipe, name, folder)
        clean = remove_overlap(
            as_data_set(data).source, test_sets, encoder=name, equivalents=meanings, share=recipe.share
        )
        selection = select_labelled(clean.source, recipe)
        if isinstance(recipe, EpisodeRecipe) and (none := labels_of_none(selection.counts, meanings)):
            selection = select(selection.source, without=none)
        chosen_by = select(as_data_set(dev, name="dev").source) if dev is not None else None
        if chosen_by is not None and chosen_by.fingerprint in clean.fingerprints:
            raise BadInput("--dev: expected data that are not in --decontaminate. A test set must not choose the epoch")
        training: Supervised | FewShotTuning | ExtractionTuning
        start = starting_model(name, recipe, selection.source)
        match recipe:
            case SupervisedRecipe():
                training = Supervised(recipe, start, selection, folder, clean, chosen_by)
            case EpisodeRecipe():
                training = FewShotTuning(recipe, start, selection, folder, clean, words)
            case ExtractionRecipe():
                training = ExtractionTuning(recipe, start, selection, folder, clean, meanings, chosen_by, words)
            case _:
                raise BadInput(f"recipe: expected a recipe for fine-tuning, got {kind(recipe)}")
        training.statements_to_keep = most_kept
        return training.run(clock=clock, precision=precision, resume=resume, watch=watch)


def starting_model(name: str, recipe: FinetuneRecipe, source: StatementSource) -> RelationModel:
    """Load the model to tune; a new word encoder knows the words of `source`."""
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
