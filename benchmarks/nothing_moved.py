"""Two revisions of this repository give the same weights and figures, bit for bit.

    python benchmarks/nothing_moved.py v1 HEAD --json found.json
    python benchmarks/nothing_moved.py v1 HEAD --data FOLDER --json results/nothing_moved/moved.json

Both revisions are checked out into temporary folders and run there by the Python that runs this script: 20 steps each
of the recipes `col_final`, `words`, `semeval` and `fewrel` with fixed seeds, in fp32, on one thread, with dropout off
where a recipe has it, and few-shot accuracy in four settings with the first of these runs. The SHA-256 of every file of
weights and every figure are compared. Without `--data`, the statements are those of the small world; else the folder
holds `train.parquet`, `test.parquet`, `semeval.parquet` and `descriptions.json`. Exit code 1 says that something moved.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STEPS = 20
EXACT = {"OMP_NUM_THREADS": "1", "PROTOREL_PRECISION": "fp32", "PROTOREL_PRODUCTS": "mkl", "HF_HUB_OFFLINE": "1"}
"""Nothing that a process measures about its processor may decide how it computes."""
SETTINGS = ((5, 1), (5, 5), (10, 1), (10, 5))
_SMALL_WORLD = """
import json, sys
from pathlib import Path
from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.statements import write_statements
folder, world = Path(sys.argv[1]), build_small_world(SmallWorldSettings())
for name, statements in {"train": world.train, "test": world.test_phrasings, "semeval": world.train[:1000]}.items():
    write_statements(statements, folder / f"{name}.parquet")
names = {one.relation for one in world.train}
(folder / "descriptions.json").write_text(json.dumps({name: [name.replace("_", " "), ""] for name in sorted(names)}))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both revisions, print what differs, and return 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", help="a revision of this repository, such as a tag or a commit")
    parser.add_argument("after", nargs="?", default="HEAD")
    parser.add_argument("--data", type=Path, help="folder of statements (default: small world)")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        data = given.data or work / "data"
        if given.data is None:
            data.mkdir()
            _call([sys.executable, "-c", _SMALL_WORLD, str(data)], ROOT / "src")
        sides = [
            measure(revision, work / side, data)
            for side, revision in zip("ab", (given.before, given.after), strict=True)
        ]
    moved = sorted(key for key in sides[0]["found"].keys() | sides[1]["found"].keys() if differ(key, *sides))
    for key in moved:
        print(f"{key}: {sides[0]['found'].get(key)} before, {sides[1]['found'].get(key)} after")
    print(f"{len(moved)} of {len(sides[0]['found'])} weights and figures moved")
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        report = {"steps": STEPS, "environment": EXACT, "before": sides[0], "after": sides[1], "moved": moved}
        given.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 1 if moved else 0


def differ(key: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether a weight file or a figure is another one, or missing on one side."""
    missing = object()
    return bool(before["found"].get(key, missing) != after["found"].get(key, missing))


def measure(revision: str, folder: Path, data: Path) -> dict[str, Any]:
    """Train and evaluate with one revision; return its commit, its hashes and its figures."""
    code = folder / "code"
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", revision], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(code)], check=True)
    subprocess.run(["git", "-C", str(code), "checkout", "--quiet", commit], check=True)
    found: dict[str, Any] = {}
    for command in commands(folder, data):
        _call([sys.executable, "-m", "protorel", *command], code / "src", cache=folder / "cache")
    for run in ("col_final", "words", "semeval", "fewrel"):
        for path in sorted((folder / run).glob("*.safetensors")):
            found[f"{run}/{path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = [told["accuracy"], told["margin"], told["per_relation"]]
    return {"commit": commit, "found": found}


def commands(folder: Path, data: Path) -> Iterator[list[str]]:
    """Yield the commands to run, in order."""
    train, test, described = data / "train.parquet", data / "test.parquet", data / "descriptions.json"
    exact = ["precision=fp32", "checkpoint_every=10"]
    own_labels = [] if "Other" in _labels(data / "semeval.parquet") else ["metric=accuracy", "no_relation=null"]
    yield ["pretrain", "col_final", f"steps={STEPS}", "dropout=0", *exact, *_data(train), *_out(folder, "col_final")]
    more = ["min_statements=1", "--descriptions", str(described)]
    yield ["pretrain", "words", f"steps={STEPS}", "dropout=0", *more, *exact, *_data(train), *_out(folder, "words")]
    start = ["--model", str(folder / "col_final")]
    rest = ["epochs=1", "dropout=0", "hold_out=200", *own_labels, *exact]
    yield ["finetune", "semeval", *rest, *start, *_data(data / "semeval.parquet"), *_out(folder, "semeval")]
    wide = ["episodes=[[10, 1], [5, 5]]"]
    yield ["finetune", "fewrel", f"steps={STEPS}", *wide, *exact, *start, *_data(train), *_out(folder, "fewrel")]
    for way, shot in SETTINGS:
        result = folder / f"few_shot_{way}_{shot}.json"
        asked = ["--way", str(way), "--shot", str(shot), "--episodes", "1000", "--json", str(result)]
        yield ["evaluate", "fewshot", str(folder / "col_final"), str(test), *asked]


def _data(path: Path) -> list[str]:
    return ["--data", str(path)]


def _out(folder: Path, name: str) -> list[str]:
    return ["--out", str(folder / name)]


def _labels(path: Path) -> set[str]:
    import pyarrow.parquet as pq

    return set(pq.read_table(path, columns=["relation"])["relation"].to_pylist())


def _call(command: Sequence[str], source: Path, *, cache: Path | None = None) -> None:
    """Run a command with the modules of a checkout, and show what it says if it fails."""
    paths = {"PYTHONPATH": str(source)} | ({"PROTOREL_CACHE": str(cache)} if cache else {})
    ended = subprocess.run(command, env=os.environ | EXACT | paths, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(command)}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
