"""Weights as a low-rank difference to those of a public encoder: a run of 90 MB in 5.

A matrix W of a run that started from the matrix B of an encoder is kept as W ≈ f · B + L R: f is what weight decay left
of B, and L R is the rest, cut down by SVD to its first components (Eckart and Young 1936, "The approximation of one
matrix by another of lower rank"). Components are whole numbers of 8 bits with one scale each, or float16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from safetensors.torch import save_file
from torch import Tensor

from protorel.encoders import read_tensors
from protorel.io import check_count
from protorel.statements import BadInput

DIFFERENCE = "difference.safetensors"
"""The file of a run that is kept as a difference to an encoder."""
Bits = Literal[8, 16]
_MOST = 127
_SMALLEST = 1e-12


@dataclass(frozen=True, slots=True)
class Cut:
    """How far a difference is cut down.

    Args:
        rank: Components of each matrix but the token embeddings.
        token_rank: Components of the token embeddings, which matter less and are the largest matrix.
        token_rows: Tokens whose embeddings moved most beyond these components: their rows are kept too.
        bits: 8 for whole numbers with one scale per component, 16 for float16.
    """

    rank: int = 96
    token_rank: int = 16
    token_rows: int = 1000
    bits: Bits = 8

    def __post_init__(self) -> None:
        check_count(self.rank, where="rank")
        check_count(self.token_rank, where="token_rank")
        check_count(self.token_rows, where="token_rows")
        if self.bits not in (8, 16):
            raise BadInput(f"bits: expected 8 or 16, got {self.bits!r}")


Weights = Mapping[str, Tensor]


def difference(run: Weights, base: Weights, cut: Cut, *, tokens: str, exact: Sequence[int]) -> dict[str, Tensor]:
    """Return the tensors that turn the weights of an encoder into those of a run, as far as `cut` keeps them.

    Args:
        run: The weights of the run.
        base: The weights of the encoder that the run started from, of the same names and shapes.
        cut: How far matrices are cut down. Vectors, such as biases, are never cut.
        tokens: The name of the token embeddings.
        exact: Rows of the token embeddings that are kept exactly: entity markers, and tokens that the encoder lacks.
    """
    found: dict[str, Tensor] = {}
    for name, weight in run.items():
        if not weight.is_floating_point() or torch.equal(weight, base[name]):
            continue
        if weight.dim() != 2:
            found[f"{name}.change"] = (weight - base[name]).half()
        elif name == tokens:
            found |= _tokens(name, weight, base[name], cut, torch.tensor(sorted(set(exact)), dtype=torch.long))
        else:
            factor, rest = _rest(weight, base[name])
            found |= {f"{name}.factor": factor, **_components(name, rest, cut.rank, cut.bits)}
    return found


def _tokens(
    name: str, weight: Float[Tensor, "tokens width"], base: Float[Tensor, "tokens width"], cut: Cut, exact: Tensor
) -> dict[str, Tensor]:
    """Return token embeddings: exact rows, components of the others, and what the components miss of some rows."""
    others = torch.ones(len(weight), 1)
    others[exact] = 0.0
    factor, rest = _rest(weight * others, base * others)
    found = {f"{name}.factor": factor, f"{name}.exact": exact.int(), f"{name}.exact_rows": weight[exact].contiguous()}
    if not rest.any():  # training in low rank learns the exact rows only
        return found
    found |= _components(name, rest, cut.token_rank, cut.bits)
    missed = (rest - _product(found, name)) * others
    moved = missed.norm(dim=1).topk(min(cut.token_rows, len(weight) - len(exact))).indices.sort().values
    return found | {f"{name}.moved": moved.int(), **_packed(f"{name}.moved_rows", missed[moved], cut.bits)}


def changed(base: Weights, found: Weights) -> dict[str, Tensor]:
    """Return the weights that `difference` was given, as far as it kept them; those that did not change are left out.

    Raises:
        KeyError: a tensor is missing.
        RuntimeError: a tensor has another shape than the encoder's.
    """
    if unknown := [name for name in found if name.rpartition(".")[0] not in base and not name.endswith(".scale")]:
        raise KeyError(unknown[0])
    weights = {}
    for name, own in base.items():
        if f"{name}.change" in found:
            weights[name] = own + found[f"{name}.change"].float()
        if f"{name}.factor" not in found:
            continue
        weight = found[f"{name}.factor"] * own
        if f"{name}.exact" not in found or f"{name}.left" in found:
            weight = weight + _product(found, name)
        if f"{name}.moved" in found:
            weight[found[f"{name}.moved"].long()] += _unpacked(found, f"{name}.moved_rows")
        if f"{name}.exact" in found:
            weight[found[f"{name}.exact"].long()] = found[f"{name}.exact_rows"]
        weights[name] = weight
    return weights


def _rest(
    weight: Float[Tensor, "rows columns"], base: Float[Tensor, "rows columns"]
) -> tuple[Tensor, Float[Tensor, "rows columns"]]:
    """Return how much of a matrix is left, by least squares, and the rest of the other one."""
    factor = (weight * base).sum() / base.square().sum().clamp_min(_SMALLEST)
    return factor.reshape(1), weight - factor * base


def _components(name: str, matrix: Float[Tensor, "rows columns"], rank: int, bits: Bits) -> dict[str, Tensor]:
    """Return the first components of a matrix, shared out evenly between two factors of one row per component."""
    # The eigenvectors of the smaller product are the singular vectors of one side: cheap for tall matrices, and float64
    # keeps the small ones exact.
    tall = len(matrix) >= matrix.shape[1]
    long = (matrix if tall else matrix.T).double()
    _, vectors = torch.linalg.eigh(long.T @ long)
    right = vectors.flip(1)[:, :rank]
    left = long @ right
    balance = left.norm(dim=0).clamp_min(_SMALLEST).sqrt()
    factors = ((left / balance).T.float(), (right * balance).T.float())
    left_rows, right_rows = factors if tall else factors[::-1]
    return _packed(f"{name}.left", left_rows, bits) | _packed(f"{name}.right", right_rows, bits)


def _product(found: Weights, name: str) -> Float[Tensor, "rows columns"]:
    return _unpacked(found, f"{name}.left").T @ _unpacked(found, f"{name}.right")


def _packed(name: str, rows: Float[Tensor, "rows columns"], bits: Bits) -> dict[str, Tensor]:
    """Return rows as float16, or as whole numbers from -127 to 127 with one scale per row."""
    if bits == 16:
        return {name: rows.half().contiguous()}
    scale = rows.abs().amax(dim=1).clamp_min(_SMALLEST) / _MOST
    return {name: (rows / scale[:, None]).round().to(torch.int8).contiguous(), f"{name}.scale": scale}


def _unpacked(found: Weights, name: str) -> Float[Tensor, "rows columns"]:
    rows = found[name].float()
    return rows if found[name].is_floating_point() else rows * found[f"{name}.scale"][:, None]


def save_difference(found: Weights, folder: Path) -> None:
    """Write difference.safetensors."""
    save_file(dict(found), folder / DIFFERENCE)


@torch.no_grad()
def apply_difference(module: torch.nn.Module, folder: Path) -> None:
    """Change the weights of an encoder into those of the run whose difference a folder holds.

    Raises:
        BadInput: the file is damaged, or its tensors do not fit the encoder.
    """
    path = folder / DIFFERENCE
    found = read_tensors(path)
    try:
        module.load_state_dict(changed(module.state_dict(), found), strict=False)
    except (KeyError, IndexError, RuntimeError) as problem:
        reason = " ".join(str(problem).split())[:200]
        raise BadInput(f"{path}: expected a difference to the encoder's weights, got an error ({reason})") from problem
