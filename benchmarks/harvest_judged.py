"""How right a harvest of real text is, as one reader judged 100 of its statements.

    python benchmarks/harvest_judged.py results/harvest/judged.jsonl --json results/harvest/judged.json

Each line is a statement's id and two verdicts: do both marked names stand for the entities of the fact, and does the
sentence express the relation? The statements are the first by a hash of their ids, at most 10 of a relation. The ratio
is the share that expresses its relation over the share that is rightly aligned.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from protorel.evaluation import machine, measure
from protorel.model import versions
from protorel.statements.files import sha256, write_json

VERDICTS = ("aligned", "expresses")


def main() -> None:
    """Count the verdicts and print both shares with 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.verdicts.read_text(encoding="utf-8").splitlines()]
    shares = {verdict: measure([float(row[verdict]) for row in rows]) for verdict in VERDICTS}
    relations = Counter(row["id"].split(":")[-2] for row in rows)
    write_json(
        given.json,
        {
            "task": "harvest, judged",
            "readers": 1,
            "statements": len(rows),
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
