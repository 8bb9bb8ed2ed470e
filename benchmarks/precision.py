"""How much faster a transformer, or MLMAN, learns where its products are rounded to bfloat16, on this processor.

    OMP_NUM_THREADS=1 python benchmarks/precision.py --json results/precision/minilm.json
    OMP_NUM_THREADS=1 python benchmarks/precision.py --encoding --json results/precision/encoding.json
    OMP_NUM_THREADS=1 python benchmarks/precision.py --method mlman --rounds 21 --json results/precision/mlman.json

Both precisions take turns on the same batches of the small world: one pass of the encoder and one back, which is what
takes the time in any training; with `--encoding`, one pass without gradients; with `--method`, one step in each setting
of that method's recipe. The ratio is the median time in float32 over that in bfloat16: below 1.2, stay with fp32. A
transformer also takes its turn in float32 by torch's default library; `products_ratio` is the median time of that over
that in float32 by the library that is faster on this processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from protorel.batches import tokenise_all, training_rows
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.encoders import TransformerEncoder, encode_in_chunks, products
from protorel.encoders.bf16 import bf16_here
from protorel.evaluation import machine
from protorel.fewshot import make_method
from protorel.fewshot.mlman import MLMAN
from protorel.io.files import write_json
from protorel.model import versions
from protorel.recipes import EpisodeRecipe
from protorel.statements import Statement, fingerprint
from protorel.training import build_encoder, load_finetune_recipe, load_recipe
from protorel.training.building import build_word_encoder
from protorel.training.steps.episode_step import EpisodeStep

PRECISIONS = ("fp32", "bf16")
DEFAULT_LIBRARY = "fp32 by the default library"
FASTER = products.onednn_is_faster()
Pass = Callable[[int, str], Tensor]
"""Gives the loss of a round, by its number, in a precision."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--encoder", default="minilm", help="a transformer, by whatever name a recipe takes")
    parser.add_argument("--encoding", action="store_true", help="one pass without gradients, as at inference")
    parser.add_argument("--method", choices=["mlman"], help="a method on an encoder of words in its place")
    parser.add_argument("--batch", type=int, default=128, help="statements of a transformer's batch")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    if not (here := bf16_here()).usable:
        raise SystemExit(str(here))
    statements = build_small_world(SmallWorldSettings()).train
    take = of_mlman(statements) if given.method else of_transformer(given.encoder, statements, given.batch)
    names = PRECISIONS if given.method else (*PRECISIONS, DEFAULT_LIBRARY)
    seconds = measured(take, names, rounds=given.rounds, back=not given.encoding)
    ratio = median(seconds["fp32"]) / median(seconds["bf16"])
    for name in names:
        print(f"{name}  {1000 * median(seconds[name]):.0f} ms a round")
    print(f"ratio {ratio:.2f}")
    if DEFAULT_LIBRARY in seconds:
        what_library = median(seconds[DEFAULT_LIBRARY]) / median(seconds["fp32"])
        print(f"products_ratio {what_library:.2f} ({'oneDNN' if FASTER else 'default library'})")
    if given.json:
        what: dict[str, Any] = {"encoding": given.encoding}
        if not given.method:
            what |= {"products_ratio": what_library, "onednn_is_faster": FASTER}
        what |= {"method": given.method} if given.method else {"encoder": given.encoder, "batch": given.batch}
        write_json(
            given.json,
            {
                "task": "precision",
                "ratio": ratio,
                **what,
                "data": {"name": "small world", "statements": len(statements)},
                "seconds": seconds,
                "processor_has": [name for name in ("avx512_bf16", "amx_bf16") if name in processor_flags()],
                "machine": machine(),
                "versions": versions(),
            },
        )


def measured(take: Pass, names: Sequence[str], *, rounds: int, back: bool = True) -> dict[str, list[float]]:
    """Return the seconds of each round, there and `back`, by precision; the first warms up and is left out."""
    found: dict[str, list[float]] = {precision: [] for precision in names}
    for turn in range(rounds + 1):
        for precision in names if turn % 2 else reversed(names):
            fast = FASTER and precision != DEFAULT_LIBRARY
            products.onednn_is_faster = lambda fast=fast: fast  # type: ignore[assignment,misc]
            began = time.perf_counter()
            with torch.set_grad_enabled(back):
                loss = take(turn, precision)
            if back:
                loss.backward()
            if turn:
                found[precision].append(time.perf_counter() - began)
    return found


def of_transformer(name: str, statements: Sequence[Statement], batch_size: int) -> Pass:
    """Return one pass of a transformer over a batch, and a plain loss of its vectors."""
    recipe = load_recipe("col_final", [f"encoder={name}"])
    encoder, tokenizer = build_encoder(recipe, lambda: statements)
    if not isinstance(encoder, TransformerEncoder):
        raise SystemExit(f"{name}: is no transformer")
    encoder.train()
    rows = tokenise_all(statements, tokenizer, max_length=recipe.max_length)

    def take(turn: int, precision: str) -> Tensor:
        encoder.zero_grad(set_to_none=True)
        encoder.trains_in_bf16 = precision == "bf16"
        batch = rows.batch([(turn * batch_size + place) % len(rows) for place in range(batch_size)])
        return torch.square(encode_in_chunks(encoder, batch, chunks=recipe.chunks).vectors).mean()

    return take


def of_mlman(statements: Sequence[Statement]) -> Pass:
    """Return one step in each setting of the recipe `mlman`."""
    recipe = load_finetune_recipe("mlman")
    assert isinstance(recipe, EpisodeRecipe)
    assert recipe.method is not None
    encoder, tokenizer = build_word_encoder("cnn", recipe, lambda: statements)
    rows = training_rows(
        lambda: statements, tokenizer, max_length=recipe.max_length, data_fingerprint=fingerprint(statements)
    )
    method = make_method(recipe.method, width=recipe.cnn.channels, seed=0).train()
    assert isinstance(method, MLMAN)
    step = EpisodeStep(recipe, encoder.train(), rows, torch.device("cpu"), learned=method)

    def take(turn: int, precision: str) -> Tensor:
        encoder.zero_grad(set_to_none=True)
        method.zero_grad(set_to_none=True)
        method.local.trains_in_bf16 = precision == "bf16"
        return torch.stack([step(2 * turn + setting).loss for setting in range(len(recipe.episodes))]).sum()

    return take


def processor_flags() -> set[str]:
    """Return what Linux says that the processor can do, nothing elsewhere."""
    told = Path("/proc/cpuinfo")
    return set(told.read_text().split()) if told.is_file() else set()


if __name__ == "__main__":
    main()
