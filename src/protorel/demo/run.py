"""The demo from start to end: small world, evaluation, training, evaluation, label check, triples, page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.audit import Audit, AuditSettings, audit_labels
from protorel.corpora import SmallWorld, SmallWorldSettings, build_small_world
from protorel.demo import ENCODERS, EPISODES, SETTINGS
from protorel.demo.checked_triples import extract_triples
from protorel.demo.page import page_content
from protorel.demo.phases import Phases, PhaseWatcher
from protorel.demo.raw_text import RawText
from protorel.demo.result import DemoResult
from protorel.demo.vectors import Reader, Vectors, all_readers, own_reader, read_once
from protorel.encoders import WORD_KINDS
from protorel.evaluation import Measurement, few_shot_accuracy, label_truth
from protorel.geometry import Prototypes, mean_prototypes
from protorel.io import write_json
from protorel.model import RelationModel, untrained
from protorel.report import write_report
from protorel.statements import RelationVocabulary, Statement, write_statements
from protorel.training import Recipe, build_encoder, load_recipe, pretrain

Sets = Mapping[str, Sequence[Statement]]
_TESTS = {"new relations": "test_relations", "new phrasings": "test_phrasings"}


def run_demo(
    out: Path,
    *,
    encoder: str = "minilm",
    seed: int = 0,
    overrides: Sequence[str] = (),
    settings: SmallWorldSettings | None = None,
    phases: Phases | None = None,
) -> DemoResult:
    """Run the demo on the embedded corpus and write data, run, result and page into a folder.

    Args:
        out: Output folder.
        encoder: A key of `ENCODERS`.
        seed: Random seed for the world and the training.
        overrides: Settings of the recipe `demo` to change, as `key=value`.
        settings: Size and noise of the world; by default those of `SmallWorldSettings`.
        phases: Times and shows the phases, and may hold earlier ones; by default a new one that shows nothing.

    Returns:
        Accuracy and label check before and after training, triples from raw text, and the seconds of each phase.
    """
    phases = phases or Phases()
    recipe = load_recipe("demo", (*ENCODERS[encoder], f"seed={seed}", *overrides))
    with phases("building small world"):
        world = build_small_world(settings or SmallWorldSettings(seed=seed))
        sets = {"train": world.train, "test_relations": world.test_relations, "test_phrasings": world.test_phrasings}
        for name, statements in sets.items():
            write_statements(statements, out / "data" / f"{name}.parquet")
    with phases("encoding (untrained)") as watch:
        bare = _untrained(recipe, world.train)
        readings = _read(bare, all_readers(bare), sets, watch)
    with phases("evaluating (untrained)") as watch:
        readout, before = _best(readings, sets, watch)
    with phases("training") as watch:
        start = _start(readings.get(recipe.readout, readings[readout])["train"], world)
        model = pretrain(out / "data" / "train.parquet", out / "run", recipe, start=start, watch=watch)
    with phases("encoding (trained)") as watch:
        vectors = _read(model, own_reader(model), sets, watch)["own"]
    with phases("evaluating (trained)"):
        after = _figures(vectors, sets)
    with phases("checking labels"):
        untrained_vectors = readings[readout]["train"]
        truth_before = label_truth(_means(untrained_vectors, world), untrained_vectors, world.train, seed=seed)
        truth = label_truth(model.prototypes, vectors["train"], world.train, seed=seed)
    with phases("auditing labels") as watch:
        audit = _audit(model, world.train, seed, watch)
    with phases("calibrating"):
        raw = RawText.build(world, out / "data" / "text")
        model = model.calibrated(list(raw.held_out_pairs()))
        model.save_pretrained(out / "run")
    with phases("extracting triples") as watch:
        extracted = extract_triples(model, raw, count=watch.count)
    result = DemoResult(
        recipe, readout, before, after, truth_before, truth, audit, extracted, phases, out / "report.html"
    )
    with phases("projecting the map"):
        content = page_content(result, world, model, vectors["train"], out / "run")
    with phases("writing the page"):
        write_report(content, result.report)
    write_json(out / "result.json", result.as_json(world))
    return result


def _audit(model: RelationModel, train: Sequence[Statement], seed: int, watch: PhaseWatcher) -> Audit:
    """Audit the training labels without a look at the truth, and add the truth afterwards, to compare."""
    unchecked = [replace(statement, expresses=None) for statement in train]
    found = audit_labels(model, unchecked, settings=AuditSettings(seed=seed, reverse=False), count=watch.count)
    truth = pa.array([train[row].expresses for row in found.table["row"].to_pylist()], type=pa.bool_())
    table = found.table.set_column(found.table.schema.get_field_index("expresses"), "expresses", truth)
    return replace(found, table=table)


def _untrained(recipe: Recipe, train: Sequence[Statement]) -> RelationModel:
    """Return the untrained encoder."""
    if recipe.encoder not in WORD_KINDS:
        return untrained(recipe.encoder)
    encoder, tokenizer = build_encoder(recipe, lambda: iter(train))
    return RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), recipe.max_length)


def _read(
    model: RelationModel, readers: Mapping[str, Reader], sets: Sets, watch: PhaseWatcher
) -> dict[str, dict[str, Vectors]]:
    """Encode all sets in one pass; return the vectors of each reader, set by set."""
    vectors = read_once(model, [s for own in sets.values() for s in own], readers, count=watch.count)
    sizes = [len(own) for own in sets.values()]
    return {name: dict(zip(sets, found.split(sizes), strict=True)) for name, found in vectors.items()}


def _figures(vectors: Mapping[str, Vectors], sets: Sets) -> dict[str, Measurement]:
    """Evaluate held-out relations, and known relations in held-out phrasings."""
    figures = {}
    for name, test in _TESTS.items():
        relations = [str(statement.relation) for statement in sets[test]]
        for way, shot in SETTINGS:
            result = few_shot_accuracy(vectors[test], relations, way=way, shot=shot, episodes=EPISODES)
            figures[f"{name} {way}w{shot}s"] = result.accuracy
    return figures


def _best(
    readings: Mapping[str, Mapping[str, Vectors]], sets: Sets, watch: PhaseWatcher
) -> tuple[str, dict[str, Measurement]]:
    """Return the readout with the highest mean accuracy, and its figures."""
    figures: dict[str, dict[str, Measurement]] = {}
    for readout, vectors in readings.items():
        figures[readout] = _figures(vectors, sets)
        watch.count(len(figures), len(readings))
    best = max(figures, key=lambda readout: float(np.mean([figure.value for figure in figures[readout].values()])))
    return best, figures[best]


def _start(vectors: Vectors, world: SmallWorld) -> Prototypes:
    """Return the initial prototypes: the means of the untrained vectors without their common direction."""
    unit = F.normalize(vectors, dim=-1)
    return _means(unit - unit.mean(0), world)


def _means(vectors: Vectors, world: SmallWorld) -> Prototypes:
    """Return the mean of each relation's untrained vectors as its prototype."""
    relations = RelationVocabulary(sorted(world.train_relations))
    own = torch.tensor([relations.index(str(statement.relation)) for statement in world.train])
    return Prototypes.of(relations, mean_prototypes(vectors, own, len(relations)))
