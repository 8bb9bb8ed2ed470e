"""Make protorel-small from public files: FewRel's training relations and Re-DocRED's dev documents.

    python benchmarks/protorel_small.py --fewrel train_wiki.json --redocred dev_revised.json \\
        --descriptions pid2name.json --decontaminate test_revised.json --out DIR

Every fifth document of Re-DocRED is held out and calibrates; the others train, together with FewRel. Statements that
share an entity pair or a sentence with the test documents or with the held-out ones are removed; relations may be
shared, since the model is for text about these relations. A twin for figures on FewRel's validation relations leaves
those relations out, too:

    python benchmarks/protorel_small.py … --unseen val_wiki.json --without protorel_small_unseen.txt --out TWIN

`--without` names further relations to leave out. The list next to this file has a fifth of Re-DocRED's relations: the
eight that are in FewRel's validation file, and eleven drawn from those outside FewRel (seed 0). So the twin also shows
how relations fare in text that no training has seen.

Stages that are finished are kept: the command goes on where it was stopped. `DIR/run` is the calibrated run, and
`DIR/protorel-small` what is shipped: the same as a low-rank difference to MiniLM's weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from protorel import RelationModel, load_descriptions
from protorel.cli import run as protorel
from protorel.model import compress_run

NAMES = Path(__file__).with_name("protorel_small_names.yaml")
EVERY = 5
"""One document in so many calibrates."""
WORDS = ("steps=400", "min_statements=5", 'share=["relations"]')
TEXT = (
    "learning_rate=1e-4",
    "batch_size=32",
    "epochs=3",
    "none_per_related=3",
    "partial_per_epoch=6000",
    "unseen_negatives=0.3",
    "padding_free=true",
    "objective.text.weight=0.3",
)
"""Settings of the two trainings, chosen on a fifth of the training documents."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the run, stage by stage."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fewrel", type=Path, required=True, help="FewRel's training file")
    parser.add_argument("--redocred", type=Path, required=True, help="Re-DocRED's dev documents")
    parser.add_argument("--descriptions", type=Path, required=True, help="FewRel's pid2name.json")
    parser.add_argument("--decontaminate", type=Path, required=True, help="Re-DocRED's test documents")
    parser.add_argument("--unseen", type=Path, help="FewRel's validation file, whose relations are left out")
    parser.add_argument("--without", type=Path, help="further relations to leave out, one per line; needs --unseen")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    made = prepare(given)
    words, text, ready = (given.out / name for name in ("words", "text", "run"))
    apart = [part for name in ("test", "held_out", "val") if name in made for part in ("--decontaminate", made[name])]
    unseen = [f"without_relations={made['unseen']}"] if given.unseen else []
    about = ["--descriptions", str(given.descriptions)]
    if not (words / "protorel.json").exists():
        resume = ["--resume"] if words.exists() else []
        call("pretrain", "words", *WORDS, *unseen, "--data", made["facts"], *about, *apart, "--out", words, *resume)
    if not (text / "protorel.json").exists():
        resume = ["--resume"] if text.exists() else []
        tuned = ("--model", words, "--data", made["pairs"], *about, *apart, "--out", text, *resume)
        call("finetune", "extraction", *TEXT, *unseen, *tuned)
    if not (ready / "protorel.json").exists():
        # What is shipped is calibrated: the run as it is after it was cut down.
        if not (given.out / "cut").exists():
            compress_run(text, given.out / "cut")
        model = RelationModel.from_pretrained(given.out / "cut").calibrated(made["held_out"])
        model.with_descriptions(load_descriptions(NAMES)).save_pretrained(ready)
    if not given.unseen and not (given.out / "protorel-small").exists():
        size = compress_run(ready, given.out / "protorel-small")
        print(f"{given.out / 'protorel-small'}: {size / 1e6:.2f} MB")
    return 0


def prepare(given: argparse.Namespace) -> dict[str, Path]:
    """Split the documents and convert all files; return where they are."""
    out: Path = given.out
    facts, pairs = out / "facts", out / "pairs"
    for folder in (facts, pairs):
        folder.mkdir(parents=True, exist_ok=True)
    documents = json.loads(given.redocred.read_text(encoding="utf-8"))
    parts = {
        "train": [one for number, one in enumerate(documents) if number % EVERY != EVERY - 1],
        "held_out": [one for number, one in enumerate(documents) if number % EVERY == EVERY - 1],
    }
    for name, some in parts.items():
        (out / f"{name}.json").write_text(json.dumps(some), encoding="utf-8")
    made = {"facts": facts, "pairs": pairs, "held_out": out / "held_out.parquet", "test": out / "test.parquet"}
    for source, form, target in (
        (out / "train.json", "docred", facts / "docred.parquet"),
        (out / "train.json", "docred_pairs", pairs / "redocred.parquet"),
        (given.fewrel, "fewrel", facts / "fewrel.parquet"),
        (given.fewrel, "fewrel", pairs / "fewrel.parquet"),
        (out / "held_out.json", "docred_pairs", made["held_out"]),
        (given.decontaminate, "docred_pairs", made["test"]),
    ):
        if not target.exists():
            call("convert", source, "--format", form, "--out", target)
    if given.unseen:
        made |= {"val": out / "val.parquet", "unseen": out / "unseen.txt"}
        if not made["val"].exists():
            call("convert", given.unseen, "--format", "fewrel", "--out", made["val"])
        left_out = set(json.loads(given.unseen.read_text(encoding="utf-8")))
        if given.without:
            left_out |= set(given.without.read_text(encoding="utf-8").split())
        made["unseen"].write_text("\n".join(sorted(left_out)) + "\n")
    return made


def call(*command: object) -> None:
    """Run one command of protorel, or stop."""
    print("protorel", *command)
    if code := protorel([str(part) for part in command]):
        sys.exit(code)


if __name__ == "__main__":
    sys.exit(main())
