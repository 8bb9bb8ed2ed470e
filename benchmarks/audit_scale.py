"""Memory and time of an audit: 10,000 and 100,000 made-up statements of 700 relations.

    OMP_NUM_THREADS=1 python benchmarks/audit_scale.py --json results/audit/scale.json

Words and names are invented, relations have a long tail, one label in five is wrong. Each audit is run by the command
line in a process of its own. The model is an untrained transformer of one layer with 700 prototypes and vectors of the
width of BERT's, so that vectors are as large as real ones and encoding is cheap: add the size of a real model, and the
time that it takes to read each statement twice. The ratio is the peak of memory of the largest audit over 1.5 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from protorel.evaluation.evaluated_model import environment
from protorel.io.files import write_json
from protorel.statements import Span, Statement, write_statements

ALLOWED = 1.5e9
"""The bytes of memory that 100,000 statements of 700 relations may take."""
STAGES = (
    "encode_statements", "cross_fit", "neighbour_agreement", "pair_relations", "duplicate_conflicts", "type_shares",
    "wording_confidence", "_table",
)  # fmt: skip
DRIVER = """
import json, resource, sys, time
from protorel.cli import run
import protorel.audit.auditing as auditing
seconds, megabytes = {}, {}
def timed(name, stage):
    def work(*given, **named):
        began = time.perf_counter()
        found = stage(*given, **named)
        seconds[name] = round(time.perf_counter() - began, 2)
        megabytes[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(name, seconds[name], "s,", megabytes[name], "MB", file=sys.stderr, flush=True)
        return found
    return work
for name in json.loads(sys.argv[1]):
    setattr(auditing, name, timed(name, getattr(auditing, name)))
started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
code = run(sys.argv[3:])
with open(sys.argv[2], "w") as stream:
    json.dump({"seconds": seconds, "peak_megabytes_so_far": megabytes, "megabytes_of_imports": started}, stream)
sys.exit(code)
"""
KINDS = ("person", "place", "work", "club")
SYLLABLES = [f"{first}{vowel}" for first in "bdfgklmnprstvz" for vowel in "aeiou"]


def invented(chance: random.Random, count: int, syllables: Sequence[int]) -> list[str]:
    """Return different invented words."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(chance.choices(SYLLABLES, k=chance.choice(syllables)))] = None
    return list(found)


def made_up(count: int, relations: int, *, seed: int) -> Iterator[Statement]:
    """Yield statements: each relation has a few phrasings and two entity types, and one label in five is wrong."""
    chance = random.Random(seed)
    words = invented(chance, 5000, (2, 3))
    names = [one.capitalize() for one in invented(chance, max(200, count // 4), (3, 4, 5))]
    verbs = [[" ".join(chance.choices(words, k=chance.randint(2, 5))) for _ in range(6)] for _ in range(relations)]
    kinds = [(chance.choice(KINDS), chance.choice(KINDS)) for _ in range(relations)]
    weights = list(accumulate(1 / (place + 3) for place in range(relations)))
    pair = chance.sample(names, 2)
    for row in range(count):
        said = chance.choices(range(relations), cum_weights=weights)[0] if row >= relations else row
        given = said if chance.random() < 0.8 else chance.randrange(relations)
        if chance.random() < 0.7:  # the others are about the pair before, as in a knowledge base
            pair = chance.sample(names, 2)
        start, end = (" ".join(chance.choices(words, k=chance.randint(0, 8))) for _ in range(2))
        head = len(start) + bool(start)
        before = f"{start} {pair[0]} {chance.choice(verbs[said])} ".lstrip()
        text = f"{before}{pair[1]} {end}".rstrip()
        spans = Span(head, head + len(pair[0])), Span(len(before), len(before) + len(pair[1]))
        types = dict(zip(("head_type", "tail_type"), kinds[said], strict=True))
        yield Statement(text, *spans, f"R{given}", id=f"s{row}", expresses=given == said, **types)


def save_model(texts: list[str], relations: int, folder: Path, *, seed: int) -> None:
    """Save a transformer of one layer with random weights and random prototypes, as a run."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    from protorel.batches import StatementTokenizer
    from protorel.encoders import Source, TransformerEncoder
    from protorel.geometry import Prototypes
    from protorel.model import RelationModel
    from protorel.statements import RelationVocabulary

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    words = Tokenizer(models.WordPiece({}, unk_token="[UNK]"))
    words.normalizer, words.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    options = {"special_tokens": [*special.values(), "[MASK]"], "show_progress": False}
    words.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=4000, **options))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=words.get_vocab_size(),
        hidden_size=384,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.1,
    )
    BertModel(config).save_pretrained(folder / "encoder")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, mask_token="[MASK]", **special)
    tokenizer.save_pretrained(folder / "encoder")
    marked = StatementTokenizer.load(folder / "encoder", markers=True)
    source = Source(str(folder / "encoder"), local=True)
    encoder = TransformerEncoder.load(source, readout="start", tokenizer=marked).eval()
    named = RelationVocabulary([f"R{number}" for number in range(relations)])
    prototypes = Prototypes.of(named, torch.randn(relations, encoder.width))
    RelationModel(encoder, marked, prototypes, max_length=64).save_pretrained(folder / "run")


def audited(count: int, relations: int, folder: Path, *, seed: int) -> dict[str, Any]:
    """Audit made-up statements in a process of its own and return its memory and its seconds by stage."""
    data, descriptions = folder / f"{count}.parquet", folder / "descriptions.json"
    statements = list(made_up(count, relations, seed=seed))
    write_statements(statements, data)
    if not (folder / "run").exists():
        save_model([one.text for one in statements[:5000]], relations, folder, seed=seed)
        chance = random.Random(seed)
        texts = {
            f"R{number}": [f"relation {number}", " ".join(invented(chance, 8, (2, 3)))] for number in range(relations)
        }
        descriptions.write_text(json.dumps(texts))
    out, noted = folder / f"audit-{count}", folder / f"{count}.json"
    given = ["audit", folder / "run", data, "--out", out, "--descriptions", descriptions, "--show", 0]
    command = [sys.executable, "-c", DRIVER, json.dumps(STAGES), noted, *given]
    environment = {**os.environ, "PROTOREL_CACHE": str(folder / "cache")}
    began = time.monotonic()
    with subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, env=environment) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"the audit of {count} statements ended with exit code {child.returncode}")
    summary = json.loads((out / "summary.json").read_text())
    return {
        "statements": count,
        "relations": summary["relations"],
        "megabytes": round(used.ru_maxrss * 1024 / 1e6),
        "seconds": round(time.monotonic() - began, 1),
        "label_issues": summary["label_issues"],
        "stages": json.loads(noted.read_text()),
        "data": summary["data"],
    }


def main() -> None:
    """Audit data of each size, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--statements", type=int, nargs="+", default=[10_000, 100_000], help="Sizes, in order.")
    parser.add_argument("--relations", type=int, default=700)
    parser.add_argument("--seed", type=int, default=0, help="Random seed of data and model.")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="protorel-audit-") as name:
        for count in given.statements:
            row = audited(count, given.relations, Path(name), seed=given.seed)
            rows.append(row)
            print(f"{count:,} statements: {row['megabytes']:,} MB, {row['seconds']:,} s", flush=True)
            for stage, seconds in row["stages"]["seconds"].items():
                print(f"  {stage}: {seconds} s, {row['stages']['peak_megabytes_so_far'][stage]} MiB so far", flush=True)
    ratio = rows[-1]["megabytes"] * 1e6 / ALLOWED
    print(f"peak of memory over {ALLOWED / 1e9} GB: {ratio:.2f}")
    if given.json:
        settings = {"relations": given.relations, "seed": given.seed, "allowed_bytes": ALLOWED}
        data = {"name": "made by the benchmark", "fingerprints": [row["data"] for row in rows]}
        about = {"data": data, "settings": settings, **environment()}
        write_json(given.json, {"task": "memory and time of an audit", "ratio": ratio, "rows": rows, **about})


if __name__ == "__main__":
    main()
