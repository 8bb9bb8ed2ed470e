"""Precision and recall of a harvest of the small world, where every mention and statement is known.

    python benchmarks/harvest_truth.py --json results/harvest/small_world.json

In the first row entities have one name each. In the second every last word of a name is an alias too, so many aliases
belong to several entities or are part of other names. The ratio is the statements' recall of the second row over that
of the first.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.engines.duckdb_engine import DuckDBEngine
from protorel.harvest.manifest import machine
from protorel.harvest.run import harvest_statements
from protorel.harvest.settings import HarvestSources
from protorel.io.files import write_json
from protorel.statements import Statement, fingerprint, read_statements


def agreement(found: set[Any], true: set[Any]) -> dict[str, float]:
    """Return the counts of what was found and what is true, with precision and recall."""
    both = len(found & true)
    counts = {"found": len(found), "there": len(true), "both": both}
    return {**counts, "precision": both / len(found) if found else 0.0, "recall": both / len(true) if true else 0.0}


def mentions_and_rows(statements: Iterable[Statement]) -> tuple[set[Any], set[Any]]:
    """Return the mentions (document, text, span, entity) and the labelled pairs of statements."""
    mentions, rows = set(), set()
    for one in statements:
        ends = ((one.head, one.head_id, one.head_type), (one.tail, one.tail_id, one.tail_type))
        mentions |= {(one.document, one.text, *end) for end in ends}
        rows.add((one.document, one.text, *ends, one.relation))
    return mentions, rows


def evaluated(world: SmallWorld, folder: Path, *, with_last_words: bool) -> dict[str, Any]:
    """Harvest the world's raw text and facts and compare the statements with the world's own."""
    write_raw(world, folder)
    if with_last_words:
        with (folder / "aliases.tsv").open("a", encoding="utf-8") as stream:
            for entity in world.entities:
                if " " in entity.name:
                    stream.write(f"{entity.id}\t{entity.name.split()[-1]}\t{entity.type}\n")
    sources = HarvestSources((folder / "facts.tsv",), (folder / "documents.jsonl",), (folder / "aliases.tsv",))
    manifest = harvest_statements(sources, folder / "out", engine=DuckDBEngine())
    found = mentions_and_rows(read_statements(folder / "out" / "statements"))
    mentions, rows = (agreement(ours, true) for ours, true in zip(found, mentions_and_rows(world.train), strict=True))
    counts = manifest["counts"]
    return {
        "mentions": mentions,
        "statements": rows,
        "names": counts["names"],
        "found": counts["mentions"],
    }


def main() -> None:
    """Evaluate both variants, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--statements", type=int, default=120, help="Statements of each relation in the world.")
    given = parser.parse_args()
    world = build_small_world(SmallWorldSettings(statements_per_relation=given.statements))
    rows = {}
    for name, more in (("one name each", False), ("last words are aliases too", True)):
        with tempfile.TemporaryDirectory() as scratch:
            rows[name] = evaluated(world, Path(scratch), with_last_words=more)
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
