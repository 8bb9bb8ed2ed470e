"""What a run loses when it is kept as a low-rank difference to its encoder: size by few-shot accuracy.

    OMP_NUM_THREADS=1 python benchmarks/low_rank.py RUN --data fewrel_val.parquet --json results/low_rank/fewrel.json
    OMP_NUM_THREADS=1 python benchmarks/low_rank.py RUN --data fewrel_val.parquet --rank 64 96 --bits 8

Every variant encodes the same statements and answers the same episodes as the run itself. `difference` is its accuracy
less that of the run, `ratio` the size of the default variant over that of the run's weights. `cosine` is that of a
statement's two vectors, and `same_answer` the share of statements whose nearest prototype is the same.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from protorel.corpora import open_data
from protorel.encoders import MINILM
from protorel.evaluation import few_shot_accuracy, machine
from protorel.io.files import write_json
from protorel.model import Cut, ModelSource, RelationModel, compress_run, versions
from protorel.statements import Statement, fingerprint

WEIGHTS = "model.safetensors"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path, help="a run of a transformer")
    parser.add_argument("--data", type=Path, required=True, help="labelled statements")
    parser.add_argument("--base", default=MINILM, help="the encoder that the run was trained from")
    parser.add_argument("--rank", type=int, nargs="+", default=[16, 32, 64, 96, 128])
    parser.add_argument("--bits", type=int, nargs="+", choices=[8, 16], default=[8, 16])
    parser.add_argument("--token-rank", type=int, default=Cut().token_rank)
    parser.add_argument("--token-rows", type=int, default=Cut().token_rows)
    parser.add_argument("--per-relation", type=int, default=100, help="statements of each relation, drawn at random")
    parser.add_argument("--way", type=int, default=5)
    parser.add_argument("--shot", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    statements = drawn(list(open_data(given.data).source()), given.per_relation)
    full = RelationModel.from_pretrained(ModelSource.find(given.run))
    vectors = full.encode(statements)
    whole = accuracy(vectors, statements, given)
    size = (given.run / WEIGHTS).stat().st_size
    print(f"{given.run.name}  {size / 1e6:.2f} MB  {100 * whole:.2f} %")
    rows = []
    for bits in given.bits:
        for rank in given.rank:
            cut = Cut(rank, given.token_rank, given.token_rows, bits)
            row = measured(cut, given, statements, full, vectors)
            rows.append({**row, "difference": row["accuracy"] - whole})
            print(
                f"rank {rank:4d}, {bits:2d} bits  {row['bytes'] / 1e6:.2f} MB  {100 * row['accuracy']:.2f} %  "
                f"{100 * rows[-1]['difference']:+.2f} points  cosine {row['cosine']:.4f}  "
                f"same answer {100 * row['same_answer']:.1f} %"
            )
    # The default if it was measured, else the last one.
    default = next((row for row in rows if (row["rank"], row["bits"]) == (Cut().rank, Cut().bits)), rows[-1])
    ratio = default["bytes"] / size
    print(f"ratio {ratio:.3f} (rank {default['rank']}, {default['bits']} bits)")
    if given.json:
        write_json(
            given.json,
            {
                "task": "low_rank",
                "ratio": ratio,
                "difference": default["difference"],
                "run": {"name": given.run.name, "fingerprint": full.fingerprint, "bytes": size, "accuracy": whole},
                "data": {
                    "name": given.data.name,
                    "fingerprint": fingerprint(statements),
                    "statements": len(statements),
                },
                "way": given.way,
                "shot": given.shot,
                "episodes": given.episodes,
                "variants": rows,
                "machine": machine(),
                "versions": versions(),
            },
        )


def drawn(statements: Sequence[Statement], count: int) -> list[Statement]:
    """Return at most `count` statements of each relation, drawn with a fixed seed."""
    by_relation = defaultdict(list)
    for statement in statements:
        if statement.relation not in (None, "no_relation"):
            by_relation[statement.relation].append(statement)
    draw = random.Random(0)
    return [one for own in by_relation.values() for one in draw.sample(own, min(count, len(own)))]


def accuracy(vectors: Tensor, statements: Sequence[Statement], given: argparse.Namespace) -> float:
    """Return the accuracy of N-way K-shot episodes, the same for all variants."""
    relations = [str(one.relation) for one in statements]
    found = few_shot_accuracy(vectors, relations, way=given.way, shot=given.shot, episodes=given.episodes)
    return float(found.accuracy.value)


def measured(
    cut: Cut, given: argparse.Namespace, statements: Sequence[Statement], full: RelationModel, vectors: Tensor
) -> dict[str, Any]:
    """Return size, accuracy and closeness of one variant."""
    with tempfile.TemporaryDirectory() as folder:
        size = compress_run(given.run, Path(folder) / "small", base=given.base, cut=cut)
        model = RelationModel.from_pretrained(Path(folder) / "small")
    own = model.encode(statements)
    cosines = torch.cosine_similarity(own, vectors)
    answers, expected = (one.prototypes.similarity(of).argmax(1) for one, of in ((model, own), (full, vectors)))
    return {
        "rank": cut.rank,
        "bits": cut.bits,
        "token_rank": cut.token_rank,
        "token_rows": cut.token_rows,
        "bytes": size,
        "accuracy": accuracy(own, statements, given),
        "cosine": float(cosines.mean()),
        "lowest_cosine": float(cosines.min()),
        "same_answer": float((answers == expected).float().mean()),
    }


if __name__ == "__main__":
    main()
