"""How right a harvest of real text is, as one reader judged 100 of its statements.

    python benchmarks/harvest_judged.py results/harvest/judged.jsonl --json results/harvest/judged.json
    python benchmarks/harvest_judged.py results/harvest/judged.jsonl --kept DIR --json results/harvest/adjectives.json

Each line is a statement's id and two verdicts: do both marked names stand for the entities of the fact, and does the
sentence express the relation? The statements are the first by a hash of their ids, at most 10 of a relation. The ratio
is the share that expresses its relation over the share that is rightly aligned. With `--kept` only those are looked at
that another harvest of the same text still has, and the verdicts of the others are counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from protorel.evaluation import machine, measure
from protorel.io.files import read_json, sha256, write_json
from protorel.model import versions
from protorel.statements import read_statements

VERDICTS = ("aligned", "expresses")


def of_harvest(rows: list[dict[str, Any]], harvest: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows that a harvest still has, and how it was made, with the verdicts on those that it has not."""
    ids = {statement.id for statement in read_statements(harvest / "statements")}
    dropped = Counter(verdict_of(row) for row in rows if row["id"] not in ids)
    manifest = read_json(harvest / "manifest.json")
    about = {name: manifest[name] for name in ("parameters", "counts", "relations")}
    about["dropped"] = dict(sorted(dropped.items()))
    return [row for row in rows if row["id"] in ids], {"harvest": about}


def verdict_of(row: dict[str, Any]) -> str:
    """Say both verdicts in words."""
    return "expresses" if row["expresses"] else "aligned, expresses nothing" if row["aligned"] else "wrongly aligned"


def main() -> None:
    """Count the verdicts and print both shares with 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--kept", type=Path, metavar="DIR", help="A harvest of the same text by another rule.")
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.verdicts.read_text(encoding="utf-8").splitlines()]
    rows, kept = (rows, {}) if given.kept is None else of_harvest(rows, given.kept)
    shares = {verdict: measure([float(row[verdict]) for row in rows]) for verdict in VERDICTS}
    relations = Counter(row["id"].split(":")[-2] for row in rows)
    write_json(
        given.json,
        {
            "task": "harvest, judged",
            "readers": 1,
            "statements": len(rows),
            **kept,
            "relations": dict(sorted(relations.items())),
            **{verdict: {"value": share.value, "margin": share.margin} for verdict, share in shares.items()},
            "ratio": shares["expresses"].value / shares["aligned"].value,
            "data": {"name": given.verdicts.name, "sha256": sha256(given.verdicts)},
            "machine": machine(),
            "versions": versions(),
        },
    )
    for verdict, share in shares.items():
        print(f"{verdict}: {share}")


if __name__ == "__main__":
    main()
