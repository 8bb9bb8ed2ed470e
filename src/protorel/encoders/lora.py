"""Training in low rank (LoRA, Hu et al. 2022): of each matrix W only a product is learned, W + B A of rank r.

W itself is frozen, B starts at zero and A at random. Biases and layer norms learn as usual; of the token embeddings,
only entity markers learn, which the encoder has never read. `merge` makes ordinary weights of all this: each matrix
differs from that at the start by a matrix of rank r at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils import parametrize

from protorel.encoders.products import linear
from protorel.statements import BadInput


class _LowRankSum(nn.Module):
    """A matrix plus a product of two learned factors, zero at first."""

    def __init__(self, weight: Float[Tensor, "rows columns"], rank: int, generator: torch.Generator) -> None:
        super().__init__()
        rows, columns = weight.shape
        rank = min(rank, rows, columns)
        self.left = nn.Parameter(weight.new_zeros(rows, rank))
        self.right = nn.Parameter(torch.randn(columns, rank, generator=generator).to(weight) / columns**0.5)

    def forward(self, weight: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
        """Return the sum, in full precision: in bf16 only products with states are rounded."""
        with torch.autocast(weight.device.type, enabled=False):
            return weight + linear(self.left, self.right, None)


class _LearnedRows(nn.Module):
    """A matrix of which some rows are replaced by learned ones."""

    places: Tensor

    def __init__(self, weight: Float[Tensor, "rows columns"], places: Int[Tensor, " learned"]) -> None:
        super().__init__()
        self.register_buffer("places", places.to(weight.device), persistent=False)
        self.rows = nn.Parameter(weight[places].detach().clone())

    def forward(self, weight: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
        """Return the matrix with the learned rows."""
        return weight.index_copy(0, self.places, self.rows)


def learn_in_low_rank(
    module: nn.Module, rank: int, *, tokens: nn.Embedding | None, new_tokens: Sequence[int], seed: int
) -> None:
    """Freeze the matrices of a module, and add a learned product of low rank to each; its outputs stay the same.

    Args:
        module: An encoder.
        rank: Rank of the products; smaller matrices have their own.
        tokens: The token embeddings of the encoder, which get no product.
        new_tokens: Tokens whose embeddings are learned.
        seed: Random seed of the products.

    Raises:
        BadInput: No matrix has such a rank.
    """
    layers = [(layer, name) for layer in module.modules() for name, one in layer.named_parameters(recurse=False)
              if one.ndim == 2 and one is not getattr(tokens, "weight", None)]  # fmt: skip
    most = max((min(getattr(layer, name).shape) for layer, name in layers), default=0)
    if rank > most:
        raise BadInput(f"low_rank: expected at most {most}, the largest rank of the encoder's matrices, got {rank}")
    generator = torch.Generator().manual_seed(seed)
    for layer, name in layers:
        weight = getattr(layer, name).requires_grad_(False)
        parametrize.register_parametrization(layer, name, _LowRankSum(weight, rank, generator))
    if tokens is not None:
        weight = tokens.weight.requires_grad_(False)
        places = torch.tensor(sorted(set(new_tokens)), dtype=torch.long)
        parametrize.register_parametrization(tokens, "weight", _LearnedRows(weight, places))


def merge(module: nn.Module) -> None:
    """Turn what `learn_in_low_rank` added into ordinary weights that can be trained; others stay as they are."""
    for layer in list(module.modules()):
        if parametrize.is_parametrized(layer):
            for name in list(layer.parametrizations):  # type: ignore[arg-type]
                parametrize.remove_parametrizations(layer, name, leave_parametrized=True)
                getattr(layer, name).requires_grad_(True)
