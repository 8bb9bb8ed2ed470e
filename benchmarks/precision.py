"""How much faster a transformer learns where its products are rounded to bfloat16, on this processor.

    OMP_NUM_THREADS=1 python benchmarks/precision.py --json results/precision/minilm.json

Both precisions take turns on the same batches of the small world: one pass of the encoder and one back, which is what
takes the time in any training. The ratio is the median time in float32 over that in bfloat16: below 1, stay with fp32.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import torch

from protorel.batches import StatementBatch, tokenise_all
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.encoders import TransformerEncoder, encode_in_chunks
from protorel.evaluation import machine
from protorel.model import versions
from protorel.statements.files import write_json
from protorel.training import build_encoder, load_recipe

PRECISIONS = ("fp32", "bf16")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--encoder", default="minilm", help="a transformer, by whatever name a recipe takes")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    seconds = measured(given.encoder, batch_size=given.batch, rounds=given.rounds)
    rates = {name: given.batch / median(times) for name, times in seconds.items()}
    ratio = rates["bf16"] / rates["fp32"]
    for name in PRECISIONS:
        print(f"{name}  {rates[name]:.1f} statements/s")
    print(f"ratio {ratio:.2f}")
    if given.json:
        write_json(
            given.json,
            {
                "task": "precision",
                "ratio": ratio,
                "encoder": given.encoder,
                "batch": given.batch,
                "data": {"name": "small world", "statements": given.batch * (given.rounds + 1)},
                "statements_per_second": rates,
                "seconds": seconds,
                "processor_has": [name for name in ("avx512_bf16", "amx_bf16") if name in processor_flags()],
                "machine": machine(),
                "versions": versions(),
            },
        )


def measured(name: str, *, batch_size: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each round by precision; the first round of each warms up and is left out."""
    statements = build_small_world(SmallWorldSettings()).train
    recipe = load_recipe("col_final", [f"encoder={name}"])
    encoder, tokenizer = build_encoder(recipe, lambda: statements)
    if not isinstance(encoder, TransformerEncoder):
        raise SystemExit(f"{name}: is no transformer")
    encoder.train()
    rows = tokenise_all(statements[: batch_size * (rounds + 1)], tokenizer, max_length=recipe.max_length)
    found: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    for turn in range(rounds + 1):
        batch = rows.batch([(turn * batch_size + place) % len(rows) for place in range(batch_size)])
        for precision in PRECISIONS if turn % 2 else reversed(PRECISIONS):
            encoder.trains_in_bf16 = precision == "bf16"
            spent = seconds_of(encoder, batch, chunks=recipe.chunks)
            if turn:
                found[precision].append(spent)
    return found


def seconds_of(encoder: TransformerEncoder, batch: StatementBatch, *, chunks: int) -> float:
    """Take one pass there and back."""
    encoder.zero_grad(set_to_none=True)
    began = time.perf_counter()
    torch.square(encode_in_chunks(encoder, batch, chunks=chunks).vectors).mean().backward()
    return time.perf_counter() - began


def processor_flags() -> set[str]:
    """Return what Linux says that the processor can do, nothing elsewhere."""
    told = Path("/proc/cpuinfo")
    return set(told.read_text().split()) if told.is_file() else set()


if __name__ == "__main__":
    main()
