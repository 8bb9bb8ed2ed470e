"""Your own table to a model to predictions: CSV with the columns text, head, tail and relation.

python examples/own_table.py [TABLE.csv]
"""

import csv
import sys
import tempfile
from pathlib import Path

from protorel import pretrain

TABLE = Path(__file__).with_name("own_table.csv")
NEW = [
    {"text": "Tilda Ros was born in the town of Veldt.", "head": "Tilda Ros", "tail": "Veldt"},
    {"text": "Veldt is the capital of Norland.", "head": "Veldt", "tail": "Norland"},
    {"text": "The novel Red Rain was written by Tilda Ros.", "head": "Tilda Ros", "tail": "Red Rain"},
    {"text": "Tilda Ros met Oskar in Veldt.", "head": "Tilda Ros", "tail": "Oskar"},
]


def main(table: Path = TABLE) -> None:
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    print(len(rows), "rows,", len({row["relation"] for row in rows}), "relations")
    with tempfile.TemporaryDirectory() as folder:
        # So few rows need an encoder that has seen relations before, and prototypes that start at the data.
        settings = {"encoder": "protorel-small", "prototype_start": "means", "steps": 10}
        model = pretrain(rows, Path(folder) / "run", "col_final", **settings)
    for statement, answer in zip(NEW, model.predict(NEW), strict=True):
        ranked = ", ".join(f"{name} {probability:.2f}" for name, probability in answer.ranked)
        print(f"{statement['text']}\n    {answer.relation} ({ranked})")
    # Calibrate on pairs that were held out before you rely on the numbers: model.calibrated("held_out.parquet").


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
