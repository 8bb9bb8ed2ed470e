"""Which labels are wrong, and how many? An audit ranks them; a sample of verdicts gives the share.

python examples/noisy_labels.py
"""

import tempfile
from dataclasses import replace
from pathlib import Path

from protorel import SmallWorldSettings, audit_labels, build_small_world, pretrain


def main() -> None:
    # 40 % of these labels are wrong, and the corpus knows which.
    world = build_small_world(SmallWorldSettings(noise=0.4, statements_per_relation=30, held_out_per_relation=5))
    unjudged = [replace(one, expresses=None) for one in world.train]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"encoder": "protorel-small", "prototype_start": "means", "steps": 15}
        model = pretrain(unjudged, Path(folder) / "run", "col_final", **settings)
    found = audit_labels(model, unjudged)

    truth = [world.train[row].expresses for row in found.table["row"].to_pylist()]
    tenth = len(found) // 10
    print(f"wrong labels, all statements: {100 * share(truth):.0f} %")
    print(f"wrong labels, lowest 10 % of the scores: {100 * share(truth[:tenth]):.0f} %")
    print(f"wrong labels, highest 10 %: {100 * share(truth[-tenth:]):.0f} %")
    for row in found.table.slice(0, 3).to_pylist():
        print(f"{row['label_score']:.2f}  {row['given_label']}: {row['text']}  {row['reason']}")

    # A person judges 100 statements; the sample knows how probable each of them was.
    sample = found.sample(100)
    verdicts = {place: not truth[place] for place in sample.places.tolist()}
    print(found.wrong_share(verdicts, sample=sample))


def share(truth: list[bool | None]) -> float:
    return sum(not one for one in truth) / len(truth)


if __name__ == "__main__":
    main()
