"""Encoding tokenised statements and texts: batches of similar length, dropout off, one vector per row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from protorel.batches import StatementTokenizer, TokenRows
from protorel.encoders import RelationEncoder, check_vectors, side_by_side

BATCH_TOKENS = 4096
"""Most tokens per batch where memory must be bounded, padding included."""


# Not inference_mode: a classifier could not be trained on vectors made in it.
@torch.no_grad()
def encode_token_rows(
    encoder: RelationEncoder,
    rows: TokenRows,
    *,
    indices: Sequence[int] | None = None,
    batch_size: int = 32,
    batch_tokens: int | None = None,
    texts: bool = False,
    ids: Sequence[str] = (),
) -> Float[Tensor, "statements width"]:
    """Return the vectors of tokenised statements or texts, on the CPU; see `RelationModel.encode_rows`."""
    read = encoder.read_text if texts else encoder.read
    what = "text" if texts else "statement"
    chosen = np.arange(len(rows)) if indices is None else np.asarray(indices, dtype=np.int64)
    vectors = torch.empty(len(chosen), encoder.width)
    lengths = rows.lengths[chosen]
    order = np.argsort(lengths, kind="stable")
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    if batch_tokens is not None:
        batches = list(_within(batch_tokens, order, lengths[order]))
    device = device_of(encoder)

    def encode(places: NDArray[np.int64]) -> None:
        batch = rows.batch(numbers := chosen[places].tolist()).to(device)
        found = read(encoder.states(batch), batch).cpu()
        vectors[torch.from_numpy(places)] = check_vectors(found, numbers, ids=ids, what=what)

    with evaluating(encoder):
        side_by_side(encode, batches[::-1])
    return vectors


def _within(most: int, order: NDArray[np.int64], lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Cut rows that are sorted by length into batches of at most `most` tokens, padding included."""
    start = 0
    for stop in range(1, len(order) + 1):
        if stop == len(order) or (stop + 1 - start) * int(lengths[stop]) > most:
            yield order[start:stop]
            start = stop


def encoder_fingerprint(encoder: RelationEncoder, tokenizer: StatementTokenizer, max_length: int) -> str:
    """Return a hash of all that a statement's vector depends on: weights, readout, tokenizer, length."""
    digest = hashlib.sha256(f"{encoder.settings} {tokenizer.fingerprint} {max_length}".encode())
    if isinstance(encoder, nn.Module):
        for name, tensor in sorted(encoder.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def device_of(encoder: RelationEncoder) -> torch.device:
    """Return where an encoder computes."""
    weights = encoder.parameters() if isinstance(encoder, nn.Module) else iter(())
    first = next(weights, None)
    return torch.device("cpu") if first is None else first.device


class evaluating:  # noqa: N801
    """Switch dropout off within a block and back to what it was afterwards."""

    def __init__(self, encoder: RelationEncoder) -> None:
        self.module = encoder if isinstance(encoder, nn.Module) else None
        self.was_training = self.module is not None and self.module.training

    def __enter__(self) -> None:
        if self.module is not None:
            self.module.eval()

    def __exit__(self, *_: object) -> None:
        if self.module is not None:
            self.module.train(self.was_training)
