"""How right a harvest is where the truth is known: the small world's raw text and facts, aligned anew.

    python benchmarks/harvest_truth.py --json results/harvest/small_world.json

In the first row entities have one name each. In the second every last word of a name is an alias too, so that many
aliases are borne by several entities or stand inside other names. The ratio is the statements' recall of the second row
over that of the first.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.duckdb_engine import DuckDBEngine
from protorel.harvest.manifest import machine
from protorel.harvest.run import harvest
from protorel.harvest.settings import HarvestSources
from protorel.harvest.truth import compared
from protorel.io.files import write_json
from protorel.statements import fingerprint, read_statements


def judged(world: SmallWorld, folder: Path, *, with_last_words: bool) -> dict[str, Any]:
    """Harvest the world's raw material and set the statements beside its own."""
    write_raw(world, folder)
    if with_last_words:
        with (folder / "aliases.tsv").open("a", encoding="utf-8") as stream:
            for entity in world.entities:
                if " " in entity.name:
                    stream.write(f"{entity.id}\t{entity.name.split()[-1]}\t{entity.type}\n")
    sources = HarvestSources((folder / "facts.tsv",), (folder / "documents.jsonl",), (folder / "aliases.tsv",))
    manifest = harvest(sources, folder / "out", engine=DuckDBEngine())
    found = compared(world, read_statements(folder / "out" / "statements"))
    counts = manifest["counts"]
    return {
        "mentions": found.mentions.as_json(),
        "statements": found.statements.as_json(),
        "names": counts["names"],
        "found": counts["mentions"],
    }


def main() -> None:
    """Judge both variants, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--statements", type=int, default=120, help="Statements of each relation in the world.")
    given = parser.parse_args()
    world = build_small_world(SmallWorldSettings(statements_per_relation=given.statements))
    rows = {}
    for name, more in (("one name each", False), ("last words are aliases too", True)):
        with tempfile.TemporaryDirectory() as scratch:
            rows[name] = judged(world, Path(scratch), with_last_words=more)
        for what in ("mentions", "statements"):
            one = rows[name][what]
            print(f"{name}, {what}: precision {100 * one['precision']:.1f} %, recall {100 * one['recall']:.1f} %")
    recalls = [row["statements"]["recall"] for row in rows.values()]
    if given.json:
        data = {"name": "small_world", "fingerprint": fingerprint(world.train), "settings": asdict(world.settings)}
        about = {"machine": machine(), "versions": {"protorel": version("protorel")}}
        write_json(
            given.json, {"task": "harvest_truth", "ratio": recalls[1] / recalls[0], "rows": rows, "data": data, **about}
        )


if __name__ == "__main__":
    main()
