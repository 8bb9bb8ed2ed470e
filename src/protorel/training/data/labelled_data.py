"""The data of a training: what `pretrain` and `finetune` take, and which of the statements can be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import StatementTokenizer, TrainingRows, training_rows
from protorel.encoders import RelationEncoder
from protorel.geometry import Prototypes, mean_prototypes
from protorel.io import as_path
from protorel.model import RelationModel
from protorel.recipes import TrainingSettings
from protorel.statements import (
    BadInput,
    Descriptions,
    Equivalents,
    Selection,
    StatementSource,
    load_descriptions,
    relation_list,
    select,
)
from protorel.training.data.small_data import least_relations, too_few_relations


def as_descriptions(given: Descriptions | Path | str | None) -> Descriptions | None:
    """Return descriptions, read from their file if a path is given."""
    if given is None or isinstance(given, Descriptions):
        return given
    return load_descriptions(as_path(given, "descriptions", expected="a path or what load_descriptions returns"))


def select_labelled(source: StatementSource, recipe: TrainingSettings) -> Selection:
    """Return what a recipe trains on; `BadInput` for too few relations names the settings that left others out."""
    without = relation_list(recipe.without_relations) if recipe.without_relations else ()
    selection = select(source, without=without, min_statements=recipe.min_statements)
    least = least_relations(recipe)
    if len(selection.counts) < least:
        raise too_few_relations(list(selection.counts), least, left_out=_left_out(source, recipe, without, least))
    return selection


def _left_out(source: StatementSource, recipe: TrainingSettings, without: Collection[str], least: int) -> str:
    """Say which settings leave relations out, and which value keeps at least `least` relations."""
    every = Counter(statement.relation for statement in source() if statement.relation is not None)
    listed = sum(name in without for name in every)
    sizes = sorted((count for name, count in every.items() if name not in without), reverse=True)
    said = f"without_relations={recipe.without_relations} leaves out {listed} of {len(every)} relations. "
    said = said if listed else ""
    if small := sum(size < recipe.min_statements for size in sizes):
        said += f"min_statements={recipe.min_statements} leaves out {small} of {len(every)} relations"
        said += f": set min_statements={sizes[least - 1]} or lower. " if len(sizes) >= least else ". "
    return said.strip()


def tokenised(
    selection: Selection, tokenizer: StatementTokenizer, recipe: TrainingSettings
) -> tuple[Selection, TrainingRows]:
    """Tokenise the selected statements, or read them from the cache; return the statements that are trained on.

    A relation with enough statements, but too few that fit into the recipe's `max_length`, is left out too. Raises
    `BadInput` with a reason if nothing is left.
    """
    rows = _rows(selection, tokenizer, recipe)
    why = rows.rejected[0]["reason"] if rows.rejected else "none has a label"
    if len(rows) == 0:
        raise BadInput(f"none of the statements can be used for training; the first: {why}")
    if len(rows.names) < (least := least_relations(recipe)):
        raise too_few_relations(rows.names, least, left_out=f"Others cannot be used; the first: {why}")
    each = zip(rows.names, rows.rows_of_relation(), strict=True)
    small = [name for name, own in each if len(own) < recipe.min_statements]
    if not small:
        return selection, rows
    if len(small) == len(rows.names):
        raise BadInput(
            f"min_statements: expected a relation with at least {recipe.min_statements} usable statements, got none; "
            f"the first that is not usable: {why}"
        )
    if len(rows.names) - len(small) < (least := least_relations(recipe)):
        kept = [name for name in rows.names if name not in small]
        too_long = f"min_statements={recipe.min_statements} leaves out relations with too few usable statements"
        raise too_few_relations(kept, least, left_out=f"{too_long}; the first that is not usable: {why}")
    selection = select(selection.source, without=small)
    return selection, _rows(selection, tokenizer, recipe)


def _rows(selection: Selection, tokenizer: StatementTokenizer, recipe: TrainingSettings) -> TrainingRows:
    return training_rows(
        selection.source, tokenizer, max_length=recipe.max_length, data_fingerprint=selection.fingerprint
    )


def labels_of_none(names: Collection[str], equivalents: Equivalents) -> tuple[str, ...]:
    """Return the labels that mean no relation, such as NA; raise `BadInput` if there are no others."""
    none = tuple(name for name in names if not equivalents.meaning(name))
    if none and len(none) == len(names):
        raise BadInput(f"the data: expected statements with a relation, got only {', '.join(sorted(none))}")
    return none


def class_means(
    encoder: RelationEncoder,
    tokenizer: StatementTokenizer,
    rows: TrainingRows,
    *,
    of: int,
    centred: bool,
    among: NDArray[np.int64] | None = None,
) -> Float[Tensor, "relations width"]:
    """Return the mean vector of the first `of` statements of each relation, or of those `among` some rows.

    All vectors of an untrained encoder point in nearly the same direction; `centred` subtracts it, so that initial
    prototypes differ. The encoder must be on the CPU.
    """
    of_relations = rows.rows_of_relation()
    if among is not None:
        of_relations = [own[np.isin(own, among)] for own in of_relations]
    chosen = [row for own in of_relations for row in own[:of].tolist()]
    bare = RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), max_length=0)
    vectors = F.normalize(bare.encode_rows(rows.rows, indices=chosen), dim=-1)
    own = torch.from_numpy(rows.relations.astype("int64"))[chosen]
    return mean_prototypes(vectors - vectors.mean(0) if centred else vectors, own, len(rows.names))


def data_record(rows: TrainingRows, *, fingerprint: str) -> dict[str, Any]:
    """Return the section `data` of a run's record."""
    unrelated = len(rows.unlabelled_rows)
    return {
        "fingerprint": fingerprint,
        "statements": len(rows),
        **({"without_relation": unrelated} if unrelated else {}),
        "relations": len(rows.names),
        "unlabelled": rows.unlabelled,
        "rejected": list(rows.rejected),
    }
