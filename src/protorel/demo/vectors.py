"""Vectors of many statements from one pass of the encoder, by several readouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import StatementBatch, tokenise_all
from protorel.encoders import READOUTS, TransformerEncoder, check_vectors, side_by_side
from protorel.model import RelationModel, evaluating
from protorel.statements import Statement

Vectors = Float[Tensor, "statements width"]
Reader = Callable[[Tensor, StatementBatch], Tensor]
"""Turns the token states of a batch into one vector per statement."""


def own_reader(model: RelationModel) -> dict[str, Reader]:
    """Return the model's own readout."""
    return {"own": model.encoder.read}


def all_readers(model: RelationModel) -> dict[str, Reader]:
    """Return every readout of a model by name: all readouts of a transformer, the only one of a CNN."""
    if isinstance(model.encoder, TransformerEncoder):
        return {name: readout.read for name, readout in READOUTS.items()}
    return {"max": model.encoder.read}


@torch.no_grad()
def read_once(
    model: RelationModel,
    statements: Sequence[Statement],
    readers: Mapping[str, Reader],
    *,
    batch_size: int = 32,
    count: Callable[[int, int], None] | None = None,
) -> dict[str, Vectors]:
    """Encode statements once, and read the states with every reader.

    A sentence with two labels is two statements, but it is encoded once: a vector depends on text and spans only.

    Args:
        model: Encoder and tokenizer; dropout is off.
        statements: What to encode.
        readers: Readouts by name.
        batch_size: Rows that are encoded together, of similar length.
        count: Called after each batch with the number of rows done and the number of all rows.

    Returns:
        For each reader one vector per statement, in the order of the statements.
    """
    keys = [(statement.text, statement.head, statement.tail) for statement in statements]
    distinct = dict(zip(keys, statements, strict=True))
    number = {key: place for place, key in enumerate(distinct)}
    rows = tokenise_all(list(distinct.values()), model.tokenizer, max_length=model.max_length)
    ids = [statement.id for statement in distinct.values()]
    order = np.argsort(-rows.lengths, kind="stable")
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]

    def encode(places: NDArray[np.int64]) -> dict[str, Tensor]:
        batch = rows.batch(numbers := places.tolist())
        states = model.encoder.states(batch)
        return {name: check_vectors(read(states, batch), numbers, ids=ids) for name, read in readers.items()}

    def done(number: int) -> None:
        if count is not None:
            count(min(number * batch_size, len(order)), len(order))

    with evaluating(model.encoder):
        found = side_by_side(encode, batches, done=done)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    places = torch.from_numpy(back[[number[key] for key in keys]])
    return {name: torch.cat([part[name] for part in found])[places] for name in readers}
