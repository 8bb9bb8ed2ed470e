"""Flair's `RelationClassifier` on our statements: the same encoder, the same minutes, gold entities, strict triples.

    python benchmarks/extraction_flair.py clean pairs.parquet --without test.parquet cal.parquet --out clean.parquet
    python benchmarks/extraction_flair.py clean fewrel.parquet --without test.parquet cal.parquet --out partial.parquet

    FLAIR/bin/python benchmarks/extraction_flair.py run MINILM --train clean.parquet --partial partial.parquet --bf16 \
        --calibration cal.parquet --test test.parquet --minutes 40 --json results/extraction/flair.json

    python benchmarks/extraction_flair.py compare protorel-small --test test.parquet --threshold 0.35 \
        --flair results/extraction/flair.json --scores scores.parquet --json results/extraction/flair_paired.json

`clean` removes what training statements share with the test sets, as `--decontaminate` does, and needs protorel. `run`
needs an environment with flair and pyarrow only (`pip install torch flair pyarrow`). MINILM is a folder with weights.

The classifier is fine-tuned on one thread for the given minutes of processor time, so that other processes on the
machine take nothing from it; wall time is recorded too. The learning rate rises over the first tenth of that time and
then falls linearly to zero. Each epoch holds all pairs with a relation, as many pairs without one as
`--none-per-related` says, and a sample of the `--partial` statements (those of FewRel: one known relation each,
nothing known about other pairs). Flair assigns one relation to a pair: of several, the most frequent one is trained.
A triple is (document, head entity, tail entity, relation); its probability is the highest over the sentences of the
pair. Recall is over the facts whose entities share a sentence. Intervals come from a bootstrap over documents.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow.parquet as pq

Span: TypeAlias = tuple[int, int]
"""First token and the one after the last."""
Triple: TypeAlias = tuple[str, str, str, str]
"""Document, head entity, tail entity, relation."""
Row: TypeAlias = Mapping[str, Any]

NO_RELATION = "no_relation"
ZERO = "O"
"""Flair's label of pairs without a relation."""
UNKNOWN_TYPE = "ENTITY"
LEAST = 0.01
"""Triples of a lower probability are not kept."""
DRAWS = 1000
NOTES = (
    "minutes are processor time: a run of as many minutes of wall time had at most as much",
    "one relation per pair: of several, the most frequent one is trained",
    "pairs at any distance; Flair's own limit of 20 tokens between entities is off",
    "nested mentions are no pair for Flair: their facts count as missed",
    "entity types are given for the pairs; statements of --partial have none",
)


@dataclass
class Pair:
    """An ordered pair of mentions in a sentence."""

    entities: set[tuple[str, str, str]] = field(default_factory=set)
    """Document, head entity and tail entity; several where entities share a mention."""
    relations: set[str] = field(default_factory=set)

    def label(self, frequency: Mapping[str, int]) -> str:
        """Return the one relation that Flair is trained with: the most frequent of several."""
        return max(self.relations, key=lambda name: (frequency[name], name), default=ZERO)


@dataclass
class PairSentence:
    """A sentence with its entity mentions and all its ordered pairs."""

    tokens: list[str]
    types: dict[Span, str] = field(default_factory=dict)
    pairs: dict[tuple[Span, Span], Pair] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> None:
    """Remove overlap, or train, evaluate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    cleaning = commands.add_parser("clean", help="Write training statements without overlap with test sets.")
    cleaning.set_defaults(command=clean)
    cleaning.add_argument("train", type=Path)
    cleaning.add_argument("--without", type=Path, nargs="+", required=True, help="Test sets.")
    cleaning.add_argument("--out", type=Path, required=True)
    running = commands.add_parser("run", help="Train and evaluate.")
    running.set_defaults(command=run)
    running.add_argument("encoder", type=Path, help="Folder with the transformer.")
    running.add_argument("--train", type=Path, required=True, help="Pairs with and without relations.")
    running.add_argument("--partial", type=Path, help="Statements with one known relation each.")
    running.add_argument("--calibration", type=Path, required=True, help="Pairs to choose the threshold on.")
    running.add_argument("--test", type=Path, required=True)
    running.add_argument("--minutes", type=float, required=True, help="Processor time of the training.")
    running.add_argument("--learning-rate", type=float, default=1e-4)
    running.add_argument("--head-factor", type=float, default=10.0, help="Learning rate of the linear layer, relative.")
    running.add_argument("--batch-size", type=int, default=32)
    running.add_argument("--none-per-related", type=float, default=3.0)
    running.add_argument("--partial-per-epoch", type=int, default=6000)
    running.add_argument("--markers", default="TypedEntityMarker", help="Flair's encoding strategy.")
    running.add_argument("--pooling", default="cls", choices=["cls", "mean", "max"])
    running.add_argument("--bf16", action="store_true", help="Train with Flair's use_amp: bf16 on a CPU.")
    running.add_argument("--threads", type=int, default=1)
    running.add_argument("--seed", type=int, default=0)
    running.add_argument("--documents", type=int, help="Only the first documents of each file, for a trial.")
    running.add_argument("--scores", type=Path, help="Parquet file to write the test triples to.")
    running.add_argument("--trials", type=Path, nargs="*", default=[], help="JSON of trials that settings come from.")
    running.add_argument("--json", type=Path)
    comparing = commands.add_parser("compare", help="Compare with a model of ours, document by document.")
    comparing.set_defaults(command=compare)
    comparing.add_argument("model", help="A run, or protorel-small.")
    comparing.add_argument("--test", type=Path, required=True)
    comparing.add_argument("--threshold", type=float, required=True, help="Chosen on the calibration documents.")
    comparing.add_argument("--flair", type=Path, required=True, help="JSON of `run`.")
    comparing.add_argument("--scores", type=Path, required=True, help="Test triples of `run`.")
    comparing.add_argument("--seed", type=int, default=0)
    comparing.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    given.command(given)


def clean(given: argparse.Namespace) -> None:
    """Write the training statements that share no pair, sentence or near-duplicate with a test set."""
    from protorel.statements import KINDS, DataSet, find_leakage, iter_statements, load_equivalents, write_statements

    kinds = tuple(kind for kind in KINDS if kind != "relations")
    equivalents = load_equivalents(None)
    statements = list(iter_statements(given.train))
    reasons = [
        find_leakage(iter(statements), DataSet.at(path).source(), equivalents=equivalents, kinds=kinds).reasons
        for path in given.without
    ]
    kept = [one for one, *found in zip(statements, *reasons, strict=True) if not any(found)]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    write_statements(kept, given.out)
    print(f"{len(kept)} of {len(statements)} statements are in {given.out}")


def compare(given: argparse.Namespace) -> None:
    """Print our F1 less Flair's, with an interval over the same resamples of documents."""
    from protorel import RelationModel
    from protorel.evaluation import machine
    from protorel.model import versions
    from protorel.statements import iter_statements

    rows = read_rows(given.test)
    gold = gold_triples(as_sentences(rows))
    statements = list(iter_statements(given.test))
    model = RelationModel.from_pretrained(given.model)
    ours = {
        (one.document or "", one.head_id or "", one.tail_id or "", name)
        for one, answer in zip(statements, model.predict(statements, top=12), strict=True)
        for name, probability in answer.ranked
        if probability >= given.threshold
    }
    settled = json.loads(given.flair.read_text(encoding="utf-8"))
    at = settled["figures"]["threshold"]["at"]
    flair = {
        (row["document"], row["head_id"], row["tail_id"], row["relation"])
        for row in pq.read_table(given.scores).to_pylist()
        if row["probability"] >= at
    }
    documents = [row["document"] for row in rows]
    sides = {"protorel": ours, "flair": flair}
    found = {name: figures(triples, gold, documents, given.seed) for name, triples in sides.items()}
    difference = paired(ours, flair, gold, documents, given.seed)
    for name, one in found.items():
        print(name, *(f"{key} {100 * one[key]['value']:.1f} ± {100 * one[key]['margin']:.1f}" for key in list(one)[:3]))
    print(f"difference of F1: {100 * difference['value']:+.1f} ± {100 * difference['margin']:.1f}")
    if given.json:
        result = {
            "task": "extraction, gold entities, Flair and protorel on the same documents",
            "seed": given.seed,
            "difference": difference,
            "figures": found,
            "thresholds": {"protorel": given.threshold, "flair": at},
            "model": {"name": str(given.model), "fingerprint": model.fingerprint},
            "data": {"name": given.test.name, "fingerprint": fingerprint(rows), "statements": len(rows)},
            "machine": machine(),
            "versions": versions(),
        }
        given.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def paired(
    ours: set[Triple], theirs: set[Triple], gold: set[Triple], documents: Iterable[str], seed: int
) -> dict[str, Any]:
    """Return the difference of two F1 values, with a 95 % interval over the same resamples of documents."""
    counts = [counts_by_document(asserted, gold, documents) for asserted in (ours, theirs)]
    whole = [rates(one.sum(0, keepdims=True))[2, 0] for one in counts]
    drawn = [rates(resamples(len(one), seed) @ one)[2] for one in counts]
    low, high = np.quantile(drawn[0] - drawn[1], [0.025, 0.975])
    return {
        "value": float(whole[0] - whole[1]),
        "low": float(low),
        "high": float(high),
        "margin": float(high - low) / 2,
        "count": len(counts[0]),
    }


def read_rows(path: Path, documents: int | None = None) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file of statements; only those of the first documents, if a number is given."""
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    if documents is None:
        return rows
    first = list(dict.fromkeys(row["document"] or row["id"] for row in rows))[:documents]
    return [row for row in rows if (row["document"] or row["id"]) in set(first)]


def fingerprint(rows: Iterable[Row]) -> str:
    """Return protorel's hash of the statements, so that its records can be compared with this one."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(repr(tuple(row.values())).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def as_sentences(rows: Iterable[Row]) -> list[PairSentence]:
    """Group statements by document and sentence; tokens are what blanks separate."""
    sentences: dict[tuple[Any, str], PairSentence] = {}
    for row in rows:
        key = (row["document"], row["text"])
        if key not in sentences:
            sentences[key] = PairSentence(row["text"].split())
        sentence = sentences[key]
        head, tail = (token_span(row["text"], row[f"{end}_start"], row[f"{end}_stop"]) for end in ("head", "tail"))
        for span, kind in ((head, row["head_type"]), (tail, row["tail_type"])):
            sentence.types.setdefault(span, kind or UNKNOWN_TYPE)
        pair = sentence.pairs.setdefault((head, tail), Pair())
        pair.entities.add((row["document"] or "", row["head_id"] or "", row["tail_id"] or ""))
        if row["relation"] != NO_RELATION:
            pair.relations.add(row["relation"])
    return list(sentences.values())


def token_span(text: str, start: int, stop: int) -> Span:
    """Return the tokens that characters belong to."""
    tokens = [token.span() for token in re.finditer(r"\S+", text)]
    inside = [number for number, (first, after) in enumerate(tokens) if first < stop and start < after]
    return inside[0], inside[-1] + 1


def gold_triples(sentences: Iterable[PairSentence]) -> set[Triple]:
    """Return the facts whose entities share a sentence."""
    return {
        (*entities, relation)
        for sentence in sentences
        for pair in sentence.pairs.values()
        for entities in pair.entities
        for relation in pair.relations
    }


def best_threshold(scores: Mapping[Triple, float], gold: set[Triple]) -> float:
    """Return the probability from which on asserting triples has the highest micro F1."""
    order = sorted(scores, key=lambda triple: -scores[triple])
    values = np.array([scores[triple] for triple in order])
    true = np.cumsum([triple in gold for triple in order])
    f1 = 2 * true / (np.arange(1, len(order) + 1) + len(gold))
    f1[:-1][values[:-1] == values[1:]] = 0  # equal probabilities are asserted together
    return float(values[f1.argmax()])


def figures(asserted: set[Triple], gold: set[Triple], documents: Iterable[str], seed: int) -> dict[str, Any]:
    """Return precision, recall and micro F1, with 95 % intervals over documents."""
    counts = counts_by_document(asserted, gold, documents)
    whole, drawn = rates(counts.sum(0, keepdims=True)), rates(resamples(len(counts), seed) @ counts)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
    found = {
        name: {"value": float(whole[i, 0]), "margin": float(high[i] - low[i]) / 2, "count": len(counts)}
        for i, name in enumerate(("precision", "recall", "f1"))
    }
    return {**found, "asserted": len(asserted), "true": len(asserted & gold), "facts": len(gold)}


def counts_by_document(asserted: set[Triple], gold: set[Triple], documents: Iterable[str]) -> np.ndarray:
    """Return the numbers of true, asserted and gold triples of each document."""
    rows = {name: row for row, name in enumerate(sorted(set(documents)))}
    counts = np.zeros((len(rows), 3))
    for column, triples in enumerate((asserted & gold, asserted, gold)):
        for triple in triples:
            counts[rows[triple[0]], column] += 1
    return counts


def resamples(documents: int, seed: int) -> np.ndarray:
    """Return how often each document is drawn in each bootstrap sample; equal seeds draw equal samples."""
    return np.random.default_rng(seed).multinomial(documents, np.full(documents, 1 / documents), size=DRAWS)


def rates(counts: np.ndarray) -> np.ndarray:
    """Return precision, recall and F1 from the numbers of true, asserted and gold triples."""
    true, asserted, gold = counts.T
    return np.stack(
        [true / np.maximum(asserted, 1), true / np.maximum(gold, 1), 2 * true / np.maximum(asserted + gold, 1)]
    )


def run(given: argparse.Namespace) -> None:
    """Train on the training pairs, choose a threshold on the calibration pairs, evaluate on the test pairs."""
    import flair
    import torch

    torch.set_num_threads(given.threads)
    flair.device = torch.device("cpu")
    flair.set_seed(given.seed)
    paths = {name: getattr(given, name) for name in ("train", "partial", "calibration", "test") if getattr(given, name)}
    rows = {name: read_rows(path, given.documents) for name, path in paths.items()}
    sentences = {name: as_sentences(found) for name, found in rows.items()}
    frequency = Counter(row["relation"] for name in ("train", "partial") for row in rows.get(name, ()))
    model = classifier(given, sorted(set(frequency) - {NO_RELATION}))
    training = train(model, sentences, frequency, given)
    print(json.dumps(training))
    scores, asserted, speed = {}, {}, {}
    for name in ("calibration", "test"):
        scores[name], asserted[name], speed[name] = predict(model, sentences[name])
    gold = {name: gold_triples(sentences[name]) for name in scores}
    threshold = best_threshold(scores["calibration"], gold["calibration"])
    above = {triple for triple, score in scores["test"].items() if score >= threshold}
    documents = [row["document"] for row in rows["test"]]
    found = {
        "argmax": figures(asserted["test"], gold["test"], documents, given.seed),
        "threshold": {"at": threshold, **figures(above, gold["test"], documents, given.seed)},
    }
    for name, one in found.items():
        print(
            name, *(f"{key} {100 * one[key]['value']:.1f} ± {100 * one[key]['margin']:.1f}" for key in list(one)[-6:-3])
        )
    if given.scores:
        write_scores(given.scores, scores["test"], gold["test"])
    if given.json:
        result = {
            "task": "extraction, gold entities, Flair's RelationClassifier",
            "figures": found,
            "notes": NOTES,
            "training": training,
            "trials": [trial(path) for path in given.trials],
            "pairs_per_processor_second": speed["test"],
            "settings": {
                name: value
                for name, value in vars(given).items()
                if name not in ("command", "encoder", "scores", "json", "trials", *paths)
            },
            "encoder": {"sha256": hashlib.sha256((given.encoder / "model.safetensors").read_bytes()).hexdigest()},
            "data": {
                name: {"name": paths[name].name, "fingerprint": fingerprint(found), "statements": len(found)}
                for name, found in rows.items()
            },
            "machine": {
                "system": platform.system(),
                "processor": platform.machine(),
                "cores": os.cpu_count(),
                "threads": torch.get_num_threads(),
                "python": platform.python_version(),
            },
            "versions": {name: version(name) for name in ("flair", "torch", "transformers", "tokenizers", "numpy")},
        }
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(
            json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
        )


def trial(path: Path) -> dict[str, Any]:
    """Return what a trial tells about a setting: its settings, data and F1."""
    found = json.loads(path.read_text(encoding="utf-8"))
    f1 = {name: one["f1"] for name, one in found["figures"].items()}
    return {"f1": f1, "settings": found["settings"], "data": found["data"]}


def classifier(given: argparse.Namespace, relations: Sequence[str]) -> Any:
    """Return Flair's classifier on the given transformer, untrained, for all pairs of a sentence at any distance."""
    from flair.data import Dictionary
    from flair.embeddings import TransformerDocumentEmbeddings
    from flair.models import RelationClassifier
    from flair.models import relation_classifier_model as strategies

    labels = Dictionary(add_unk=False)
    for relation in relations:
        labels.add_item(relation)
    embeddings = TransformerDocumentEmbeddings(str(given.encoder), fine_tune=True, cls_pooling=given.pooling)
    return RelationClassifier(
        embeddings,
        label_dictionary=labels,
        label_type="relation",
        entity_label_types="ner",
        max_allowed_tokens_between_entities=None,
        cross_augmentation=False,  # pairs without a relation are in the data, and labelled
        encoding_strategy=getattr(strategies, given.markers)(),
        zero_tag_value=ZERO,
        allow_unk_tag=False,
    )


def as_flair(sentence: PairSentence, frequency: Mapping[str, int] | None = None) -> Any:
    """Return Flair's sentence with entities and, for training, a label for each pair."""
    from flair.data import Relation, Sentence

    made = Sentence(sentence.tokens)
    for (start, stop), kind in sentence.types.items():
        made[start:stop].add_label("ner", kind)
    if frequency is not None:
        for (head, tail), pair in sentence.pairs.items():
            relation = Relation(made[slice(*head)], made[slice(*tail)])
            relation.add_label("relation", pair.label(frequency))
    return made


def train(
    model: Any, sentences: Mapping[str, list[PairSentence]], frequency: Mapping[str, int], given: argparse.Namespace
) -> dict[str, Any]:
    """Fine-tune with Flair's trainer until the minutes are over; return what was done in them."""
    from flair.data import Corpus
    from flair.datasets import FlairDatapointDataset
    from flair.samplers import FlairSampler
    from flair.trainers import ModelTrainer
    from flair.trainers.plugins import TrainerPlugin
    from flair.trainers.plugins.base import TrainingInterrupt

    encoded: dict[str, list[Any]] = {
        name: [
            one
            for sentence in sentences.get(name, ())
            for one in model.transform_sentence(as_flair(sentence, frequency))
        ]
        for name in ("train", "partial")
    }
    everything = [*encoded["train"], *encoded["partial"]]
    is_none = np.array([one.get_label("relation").value == ZERO for one in encoded["train"]])
    random = np.random.default_rng(given.seed)

    class Epoch(FlairSampler):
        """Draws the statements of an epoch."""

        def __init__(self) -> None:
            related = int((~is_none).sum())
            self.none = min(int(is_none.sum()), round(given.none_per_related * related))
            self.partial = min(len(encoded["partial"]), given.partial_per_epoch)
            self.size = related + self.none + self.partial

        def __len__(self) -> int:
            return self.size

        def __iter__(self) -> Iterator[int]:
            none = random.choice(np.flatnonzero(is_none), self.none, replace=False)
            partial = len(is_none) + random.choice(max(len(encoded["partial"]), 1), self.partial, replace=False)
            drawn = np.concatenate([np.flatnonzero(~is_none), none, partial])
            return iter(random.permutation(drawn).tolist())

    class Budget(TrainerPlugin):
        """Sets the learning rate by the share of the time that has passed, and ends the training in time."""

        def __init__(self) -> None:
            super().__init__()
            self.steps, self.seconds, self.processor_seconds = 0, 0.0, 0.0

        @TrainerPlugin.hook
        def before_training_batch(self, **_: Any) -> None:
            if not self.steps:
                self.started, self.processor_started = time.monotonic(), time.process_time()
                self.rates = [group["lr"] for group in self.trainer.optimizer.param_groups]
            passed = (time.process_time() - self.processor_started) / (60 * given.minutes)
            factor = max(0.0, min(10 * passed, (1 - passed) / 0.9))
            for group, rate in zip(self.trainer.optimizer.param_groups, self.rates, strict=True):
                group["lr"] = rate * factor

        @TrainerPlugin.hook
        def after_training_batch(self, **_: Any) -> None:
            self.steps += 1
            self.seconds = time.monotonic() - self.started
            self.processor_seconds = time.process_time() - self.processor_started
            if self.processor_seconds >= 60 * given.minutes:
                raise TrainingInterrupt(f"{given.minutes} minutes are over")

    budget, epoch = Budget(), Epoch()
    with tempfile.TemporaryDirectory() as scratch:
        ModelTrainer(model, Corpus(FlairDatapointDataset(everything), sample_missing_splits=False)).fine_tune(
            scratch,
            learning_rate=given.learning_rate,
            decoder_learning_rate=given.head_factor * given.learning_rate,
            mini_batch_size=given.batch_size,
            max_epochs=10**6,
            sampler=epoch,
            plugins=[budget],
            attach_default_scheduler=False,
            use_amp=given.bf16,
            save_final_model=False,
            create_file_logs=False,
            create_loss_file=False,
        )
    pairs = [pair for sentence in sentences["train"] for pair in sentence.pairs.values()]
    return {
        "seconds": budget.seconds,
        "processor_seconds": budget.processor_seconds,
        "precision": "bf16 (autocast)" if given.bf16 else "fp32",
        "steps": budget.steps,
        "statements_per_processor_second": budget.steps * given.batch_size / budget.processor_seconds,
        "epochs": budget.steps * given.batch_size / len(epoch),
        "statements_per_epoch": {"related": int((~is_none).sum()), "none": epoch.none, "partial": epoch.partial},
        "pairs": len(pairs),
        "pairs_with_several_relations": sum(len(pair.relations) > 1 for pair in pairs),
        "nested_pairs_left_out_by_flair": len(pairs) - len(encoded["train"]),
        "relations": len(model.label_dictionary) - 1,
    }


def predict(
    model: Any, sentences: Sequence[PairSentence], at_once: int = 200
) -> tuple[dict[Triple, float], set[Triple], float]:
    """Return the probabilities of triples, those that Flair asserts by itself, and the pairs per processor second."""
    model.eval()
    scores: dict[Triple, float] = {}
    asserted: set[Triple] = set()
    started, pairs = time.process_time(), 0
    for first in range(0, len(sentences), at_once):
        part = sentences[first : first + at_once]
        flair_sentences = [as_flair(sentence) for sentence in part]
        model.predict(flair_sentences, mini_batch_size=64, return_probabilities_for_all_classes=True)
        for sentence, predicted in zip(part, flair_sentences, strict=True):
            for relation in distinct(predicted.get_relations("relation")):
                spans = [(one.tokens[0].idx - 1, one.tokens[-1].idx) for one in (relation.first, relation.second)]
                pair = sentence.pairs.get((spans[0], spans[1]))
                if pair is None:
                    continue
                pairs += 1
                found = {label.value: label.score for label in relation.get_labels("relation")}
                best = max(found, key=lambda name: found[name])
                for entities in pair.entities:
                    for name, score in found.items():
                        triple = (*entities, name)
                        if score >= LEAST:
                            scores[triple] = max(score, scores.get(triple, 0.0))
                    if found[best] > 1 - sum(found.values()):
                        asserted.add((*entities, best))
    return scores, asserted, pairs / (time.process_time() - started)


def distinct(found: Iterable[Any]) -> list[Any]:
    """Return each object once: Flair's `get_relations` returns a relation once per label."""
    return list({id(one): one for one in found}.values())


def write_scores(path: Path, scores: Mapping[Triple, float], gold: set[Triple]) -> None:
    """Write the triples with their probabilities and whether they are facts."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {
        name: [triple[place] for triple in scores]
        for place, name in enumerate(("document", "head_id", "tail_id", "relation"))
    }
    columns["probability"] = list(scores.values())
    columns["is_fact"] = [triple in gold for triple in scores]
    pq.write_table(pa.table(columns), path)


if __name__ == "__main__":
    main()
