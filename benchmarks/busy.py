"""Training and encoding alone and next to a busy process: torch's spinning threads against ours, which sleep.

    python benchmarks/busy.py --json results/busy/minilm.json

MiniLM on statements of the small world, with as many threads as there are cores. Each candidate is a process of its
own, since threads are set up when torch is loaded. `torch`: threads and products as torch sets them up; threads share
every product. `protorel`: threads as `import protorel` sets them up, of which `RelationModel.encode` gives each batches
of its own, and products by the library that is faster on this processor. `protorel, threads alone`: the same with
torch's default library. `two processes`: as `protorel`, half of the statements in each of two processes of one thread.
They take turns, in rounds, alone and next to a process that keeps one core busy. A ratio is that of the medians of
statements per second.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

WORK = {"encoding": 256, "training": 64}
"""How many statements a round has."""
CANDIDATES: dict[str, dict[str, str]] = {
    "torch": {"PROTOREL_SPIN": "1", "PROTOREL_PRODUCTS": "default"},
    "protorel": {},
    "protorel, threads alone": {"PROTOREL_PRODUCTS": "default"},
    "two processes": {"OMP_NUM_THREADS": "1"},
}
_OURS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_NUM_THREADS")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--encoder", default="minilm", help="a transformer, by whatever name a recipe takes")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--share", type=float, default=1.0, help="the share of the statements of a round to use")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    sizes = {name: max(4, int(given.share * size)) for name, size in WORK.items()}
    if given.work:
        _work(given.encoder)
        return
    speeds = measured(given.encoder, sizes, rounds=given.rounds)
    found = {f"{work}, {where}": ratios(of) for (work, where), of in speeds.items()}
    for name, of in found.items():
        print(f"{name:24}" + "".join(f"  {against}: {ratio:.2f}" for against, ratio in of.items()))
    if given.json:
        _write(given, sizes, speeds, found)


def measured(encoder: str, sizes: dict[str, int], *, rounds: int) -> dict[tuple[str, str], dict[str, list[float]]]:
    """Return statements per second, by what is done and where, for each candidate, round by round."""
    workers = {name: [Worker(encoder, told) for _ in range(1 + (name == "two processes"))]
               for name, told in CANDIDATES.items()}  # fmt: skip
    speeds: dict[tuple[str, str], dict[str, list[float]]] = {}
    try:
        for number in range(rounds + 1):
            for where in ("alone", "next to a busy process"):
                with busy_neighbour() if where != "alone" else nullcontext():
                    for work, size in sizes.items():
                        for name, processes in workers.items():
                            if work == "training" and name == "two processes":
                                continue
                            speed = size / together(processes, work, size)
                            if number:  # the first round warms up
                                speeds.setdefault((work, where), {}).setdefault(name, []).append(speed)
    finally:
        for worker in (one for processes in workers.values() for one in processes):
            worker.stop()
    return speeds


def together(workers: Sequence[Worker], work: str, size: int) -> float:
    """Return the seconds that workers take for a round, each for its share of it."""
    began = time.perf_counter()
    for worker in workers:
        worker.begin(work, size // len(workers))
    for worker in workers:
        worker.wait()
    return time.perf_counter() - began


def ratios(speeds: dict[str, list[float]]) -> dict[str, float]:
    """Return how many times as fast as torch alone each candidate is."""
    return {name: median(of) / median(speeds["torch"]) for name, of in speeds.items() if name != "torch"}


class Worker:
    """A process that encodes or trains when it is asked to."""

    def __init__(self, encoder: str, environment: dict[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in _OURS}
        command = [sys.executable, str(Path(__file__).resolve()), "--work", "--encoder", encoder]
        self.process = subprocess.Popen(
            command, env={**kept, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.wait()

    def begin(self, work: str, size: int) -> None:
        """Ask for a round."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{work} {size}\n")
        self.process.stdin.flush()

    def wait(self) -> None:
        """Wait until it is ready, or done."""
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise RuntimeError("a worker ended before its work was done")

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def busy_neighbour() -> Iterator[None]:
    """Keep one core busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _work(encoder: str) -> None:
    """Do what standard input asks for, and say when it is done."""
    if os.environ.get("PROTOREL_SPIN"):
        import torch  # noqa: F401 (before protorel, so that threads are as torch sets them up)
    from protorel.batches import tokenise_all
    from protorel.corpora.small_world import SmallWorldSettings, build_small_world
    from protorel.encoders import encode_in_chunks
    from protorel.geometry import Prototypes
    from protorel.model import RelationModel
    from protorel.training import build_encoder, load_recipe

    statements = build_small_world(SmallWorldSettings()).train[: max(WORK.values())]
    recipe = load_recipe("col_final", [f"encoder={encoder}"])
    module, tokenizer = build_encoder(recipe, lambda: statements)
    rows = tokenise_all(statements, tokenizer, max_length=recipe.max_length)
    model = RelationModel(module, tokenizer, Prototypes.none(module.width), recipe.max_length)
    shared = "PROTOREL_SPIN" in os.environ
    print("ready", flush=True)
    for line in sys.stdin:
        work, size = line.split()
        indices = list(range(int(size)))
        if work == "training":
            module.train().zero_grad(set_to_none=True)
            encode_in_chunks(module, rows.batch(indices), chunks=recipe.chunks).vectors.square().mean().backward()
        elif shared:
            _encode_by_shared_products(module.eval(), rows, indices)
        else:
            model.encode_rows(rows, indices=indices)
        print("done", flush=True)


def _encode_by_shared_products(encoder: Any, rows: Any, indices: list[int]) -> None:
    """Encode batches of like length one after the other, as `encode` did before."""
    import torch

    order = sorted(indices, key=lambda index: int(rows.lengths[index]))
    with torch.no_grad():
        for start in range(0, len(order), 32):
            encoder(rows.batch(order[start : start + 32]))


def _write(
    given: argparse.Namespace, sizes: dict[str, int], speeds: dict[Any, dict[str, list[float]]], found: dict[str, Any]
) -> None:
    from protorel.evaluation import machine
    from protorel.io.files import write_json
    from protorel.model import versions

    write_json(
        given.json,
        {
            "task": "busy",
            "encoder": given.encoder,
            "data": {"name": "small world", "statements": sizes},
            "rounds": given.rounds,
            "ratios_to_torch": found,
            "statements_per_second": {f"{work}, {where}": of for (work, where), of in speeds.items()},
            "machine": machine(),
            "versions": versions(),
        },
    )


if __name__ == "__main__":
    main()
