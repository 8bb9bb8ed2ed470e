"""How soon the command line answers: help, the version, and what is wrong with a command.

    python benchmarks/startup.py --json results/startup/startup.json

Everything is measured in CPU seconds of a process of its own, so that other work on the machine counts little. The
commands take turns, several rounds; a ratio is one of medians. `--help` and `--version` are compared with importing
numpy (at most 4), wrong commands with `--help` (at most 1.5).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from protorel.evaluation import machine
from protorel.io.files import write_json
from protorel.model import versions
from protorel.statements import Span, Statement, write_statements

NUMPY, HELP, VERSION = 'python -c "import numpy"', "protorel --help", "protorel --version"
MOST_OF_NUMPY, MOST_OF_HELP = 4.0, 1.5
WRONG = {
    "option": "pretrain smoke --dta good.parquet --out new",
    "recipe": "pretrain smok --data good.parquet --out new",
    "key": "pretrain smoke stps=3 --data good.parquet --out new",
    "key of a method": "finetune mlman method.widht=9 --data good.parquet --out new",
    "value": "pretrain smoke steps=0 --data good.parquet --out new",
    "path of data": "pretrain smoke --data nosuch.parquet --out new",
    "path of a model": "evaluate fewshot nosuch good.parquet",
    "method": "evaluate fewshot minilm good.parquet --method nosuch",
    "format": "convert good.json --format nosuch --out new.parquet",
    "existing --out": "pretrain smoke --data good.parquet --out there",
    "existing --out of convert": "convert good.json --format jsonl --out good.parquet",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    protorel = [sys.executable, "-m", "protorel"]
    commands = {
        NUMPY: [sys.executable, "-c", "import numpy"],
        HELP: [*protorel, "--help"],
        VERSION: [*protorel, "--version"],
        **{name: [*protorel, *line.split()] for name, line in WRONG.items()},
    }
    with tempfile.TemporaryDirectory(prefix="protorel-startup-") as folder:
        lay_out(Path(folder))
        seconds = measured(commands, Path(folder), rounds=given.rounds)
    typical = {name: median(taken) for name, taken in seconds.items()}
    to_numpy = {name: typical[name] / typical[NUMPY] for name in (HELP, VERSION)}
    to_help = {name: typical[name] / typical[HELP] for name in WRONG}
    for name, ratio in to_numpy.items():
        print(f"{typical[name]:.3f} s  {ratio:.2f} times importing numpy, at most {MOST_OF_NUMPY:g}: {name}")
    for name, ratio in to_help.items():
        print(f"{typical[name]:.3f} s  {ratio:.2f} times --help, at most {MOST_OF_HELP:g}: a wrong {name}")
    if given.json:
        write_json(
            given.json,
            {
                "task": "startup",
                "ratio": max(to_help.values()),
                "to_numpy": to_numpy,
                "to_help": to_help,
                "commands": WRONG,
                "data": {"name": "good.parquet", "statements": 1},
                "cpu_seconds": seconds,
                "machine": machine(),
                "versions": versions(),
            },
        )


def lay_out(folder: Path) -> None:
    """Make the files that the commands name."""
    write_statements([Statement("Ada met Bo.", Span(0, 3), Span(8, 10), "met", id="1")], folder / "good.parquet")
    (folder / "good.json").write_text("{}", encoding="utf-8")
    (folder / "there").mkdir()
    (folder / "there" / "thing").touch()


def measured(commands: Mapping[str, Sequence[str]], folder: Path, *, rounds: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each command in each round; one round more warms up and is left out."""
    # Bytecode is kept, as it is where a package is installed.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                command, cwd=folder, env={**kept, "HF_HUB_OFFLINE": "1"}, capture_output=True, check=False
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != (2 if name in WRONG else 0):
                raise SystemExit(f"{name}: ended with exit code {done.returncode}: {done.stderr.decode()}")
            if turn:
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                found[name].append(round(spent, 4))
    return found


if __name__ == "__main__":
    main()
