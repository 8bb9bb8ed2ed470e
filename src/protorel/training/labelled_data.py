"""The data of a training: statements that can be read again and again, and what of them can be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
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
from protorel.model import RelationModel
from protorel.recipes import TrainingSettings
from protorel.statements import (
    BadInput,
    DataSet,
    Selection,
    Statement,
    StatementSource,
    iter_statements,
    relation_list,
    select,
)
from protorel.training.small_data import least_relations, too_few_relations

Data = DataSet | Path | str | Iterable[Statement]
"""A data set, a Parquet file, a folder of them, or statements."""


def source_of(data: Data) -> StatementSource:
    """Return what gives the statements from the beginning, as often as it is called."""
    if isinstance(data, DataSet):
        return data.source
    if isinstance(data, (str, Path)):
        return lambda: iter_statements(data)
    statements = list(data)
    return lambda: statements


def select_labelled(source: StatementSource, recipe: TrainingSettings) -> Selection:
    """Select what a recipe trains on; data with too few relations are refused with what was left out of them."""
    without = relation_list(recipe.without_relations) if recipe.without_relations else ()
    selection = select(source, without=without, min_statements=recipe.min_statements)
    least = least_relations(recipe)
    if len(selection.counts) < least:
        raise too_few_relations(list(selection.counts), least, left_out=_left_out(source, recipe, without, least))
    return selection


def _left_out(source: StatementSource, recipe: TrainingSettings, without: Collection[str], least: int) -> str:
    """Say which relations a recipe leaves out, and what to change in order to keep at least `least`."""
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
    """Tokenise what was selected, or find it done; data of which nothing can be used are refused with a reason.

    A relation that has enough statements, but too few that fit into the recipe's length, is left out as well: what is
    returned is what is trained on.
    """
    rows = _rows(selection, tokenizer, recipe)
    why = rows.rejected[0]["reason"] if rows.rejected else "none is labelled"
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
            f"no relation has {recipe.min_statements} or more statements that can be used (min_statements); "
            f"the first that cannot: {why}"
        )
    if len(rows.names) - len(small) < (least := least_relations(recipe)):
        kept = [name for name in rows.names if name not in small]
        too_long = f"min_statements={recipe.min_statements} leaves out relations of which too few can be used"
        raise too_few_relations(kept, least, left_out=f"{too_long}; the first that cannot: {why}")
    selection = select(selection.source, without=small)
    return selection, _rows(selection, tokenizer, recipe)


def _rows(selection: Selection, tokenizer: StatementTokenizer, recipe: TrainingSettings) -> TrainingRows:
    return training_rows(
        selection.source, tokenizer, max_length=recipe.max_length, data_fingerprint=selection.fingerprint
    )


def class_means(
    encoder: RelationEncoder,
    tokenizer: StatementTokenizer,
    rows: TrainingRows,
    *,
    of: int,
    centred: bool,
    among: NDArray[np.int64] | None = None,
) -> Float[Tensor, "relations width"]:
    """Encode the first `of` statements of each relation, or of its rows `among` some, and return their means.

    Vectors of an encoder that was never trained all point one way; `centred` takes that way off, or else every
    prototype would start at nearly the same place. The encoder must be on the CPU.
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
    """Return what a run's record says of its data."""
    return {
        "fingerprint": fingerprint,
        "statements": len(rows),
        "relations": len(rows.names),
        "unlabelled": rows.unlabelled,
        "rejected": list(rows.rejected),
    }
