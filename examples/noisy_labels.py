"""Which labels are wrong? The margin of a statement: to its own prototype, less to the nearest other one.

python examples/noisy_labels.py
"""

import tempfile
from pathlib import Path

import torch

from protorel import SmallWorldSettings, build_small_world, pretrain


def main() -> None:
    # 40 % of these labels are wrong, and the corpus knows which.
    world = build_small_world(SmallWorldSettings(noise=0.4, statements_per_relation=30, held_out_per_relation=5))
    statements = list(world.train)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"encoder": "protorel-small", "prototype_start": "means", "steps": 15}
        model = pretrain(statements, Path(folder) / "run", "col_final", **settings)

    cosines = model.prototypes.similarity(model.encode(statements))
    own = torch.tensor([model.relations.index(str(one.relation)) for one in statements])
    rows = torch.arange(len(own))
    to_own = cosines[rows, own]
    cosines[rows, own] = -2.0
    margins = to_own - cosines.amax(dim=1)

    order = margins.argsort().tolist()
    wrong = [not statements[number].expresses for number in order]
    print(f"wrong labels, all statements: {100 * sum(wrong) / len(wrong):.0f} %")
    print(f"wrong labels, lowest 10 % of the margins: {100 * share(wrong[: len(wrong) // 10]):.0f} %")
    print(f"wrong labels, highest 10 %: {100 * share(wrong[-(len(wrong) // 10) :]):.0f} %")
    for number in order[:3]:
        print(f"{margins[number]:+.2f}  {statements[number].relation}: {statements[number].text}")


def share(wrong: list[bool]) -> float:
    return sum(wrong) / len(wrong)


if __name__ == "__main__":
    main()
