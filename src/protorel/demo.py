"""The demo: small world, distant labels, pretraining, few-shot judging, a label check, one page. All of it, small."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world
from protorel.encoders import READOUTS, TransformerEncoder
from protorel.evaluation import LabelTruth, Measurement, few_shot_accuracy, label_truth, labelled, machine
from protorel.geometry import Prototypes, mean_prototypes
from protorel.model import RelationModel, versions
from protorel.report import FigureRow, JudgedLabel, MapPoint, ReportContent, project, write_report
from protorel.statements import RelationVocabulary, Statement, fingerprint, write_statements
from protorel.statements.files import write_json
from protorel.training import Recipe, Watcher, build_encoder, load_recipe, pretrain, read_journal

EPISODES = 2000
SETTINGS = ((5, 1), (5, 5))
_ON_THE_MAP = 40
_SUSPECTS = 12
_ENCODERS: Mapping[str, tuple[str, ...]] = {
    "minilm": (),
    "cnn": ("encoder=cnn", "learning_rate=1e-3", "steps=300", "head_factor=1"),
}


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo found: figures for the best untrained readout and for the trained encoder."""

    rows: tuple[FigureRow, ...]
    truth: LabelTruth
    untrained_truth: LabelTruth
    seconds: float
    report: Path


def demo_encoders() -> tuple[str, ...]:
    """Return the encoders that the demo can run with."""
    return tuple(_ENCODERS)


def run_demo(
    out: Path,
    *,
    encoder: str = "minilm",
    seed: int = 0,
    overrides: Sequence[str] = (),
    settings: SmallWorldSettings | None = None,
    watch: Watcher | None = None,
) -> DemoResult:
    """Run the whole line on the embedded corpus and leave data, run, result and page in a folder."""
    began = time.monotonic()
    recipe = load_recipe("demo", (*_ENCODERS[encoder], f"seed={seed}", *overrides))
    world = build_small_world(settings or SmallWorldSettings(seed=seed))
    for name, statements in _sets(world).items():
        write_statements(statements, out / "data" / f"{name}.parquet")
    model = pretrain(out / "data" / "train.parquet", out / "run", recipe, watch=watch)

    trained = _figures(model, world)
    readout, untrained_model, untrained = _best_untrained(_untrained(recipe, model), world)
    vectors = model.encode(world.train)
    truth = label_truth(model.prototypes, vectors, world.train, seed=seed)
    rows = (
        FigureRow(f"untrained, best readout ({readout})", untrained),
        FigureRow(f"trained ({recipe.name})", trained, emphasised=True),
    )
    result = DemoResult(
        rows, truth, _untrained_truth(untrained_model, world, seed), time.monotonic() - began, out / "report.html"
    )
    write_report(_content(result, recipe, world, model, vectors, out), result.report)
    write_json(out / "result.json", _json(result, recipe, world))
    return result


def _sets(world: SmallWorld) -> dict[str, tuple[Statement, ...]]:
    return {"train": world.train, "test_relations": world.test_relations, "test_phrasings": world.test_phrasings}


def _figures(model: RelationModel, world: SmallWorld) -> dict[str, Measurement]:
    """Judge held-out relations, and known relations in held-out phrasings."""
    figures = {}
    for name, statements in (("new relations", world.test_relations), ("new phrasings", world.test_phrasings)):
        kept, relations = labelled(statements)
        vectors = model.encode(kept)
        for way, shot in SETTINGS:
            result = few_shot_accuracy(vectors, relations, way=way, shot=shot, episodes=EPISODES)
            figures[f"{name} {way}w{shot}s"] = result.accuracy
    return figures


def _untrained(recipe: Recipe, model: RelationModel) -> dict[str, RelationModel]:
    """Return the encoder as it was before training, once for each way to read it."""
    if isinstance(model.encoder, TransformerEncoder):
        return {readout: RelationModel.load(recipe.encoder, readout=readout) for readout in READOUTS}
    encoder, tokenizer = build_encoder(recipe, lambda: ())
    return {"max": RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), recipe.max_length)}


def _best_untrained(
    models: Mapping[str, RelationModel], world: SmallWorld
) -> tuple[str, RelationModel, dict[str, Measurement]]:
    judged = {readout: _figures(model, world) for readout, model in models.items()}
    best = max(judged, key=lambda readout: float(np.mean([figure.value for figure in judged[readout].values()])))
    return best, models[best], judged[best]


def _untrained_truth(model: RelationModel, world: SmallWorld, seed: int) -> LabelTruth:
    """Check labels with the mean of each relation's untrained vectors as its prototype."""
    relations = RelationVocabulary(sorted(world.train_relations))
    vectors = model.encode(world.train)
    own = torch.tensor([relations.index(str(statement.relation)) for statement in world.train])
    prototypes = Prototypes.of(relations, mean_prototypes(vectors, own, len(relations)))
    return label_truth(prototypes, vectors, world.train, seed=seed)


def _content(
    result: DemoResult,
    recipe: Recipe,
    world: SmallWorld,
    model: RelationModel,
    vectors: Float[Tensor, "statements width"],
    out: Path,
) -> ReportContent:
    names = {relation.id: relation.name for relation in world.relations}
    truth = result.truth
    return ReportContent(
        title="protorel: small world",
        summary=(
            f"{len(world.train)} statements, {100 * truth.false_share:.0f} % of them wrongly labelled, trained an "
            f"encoder and {len(model.relations)} prototypes in {recipe.steps} steps. A true label lies closer to its "
            f"prototype than a false one in {100 * truth.by_margin.value:.0f} of 100 pairs."
        ),
        facts={
            "training statements": str(len(world.train)),
            "relations trained": str(len(model.relations)),
            "relations held out": str(len(world.held_out_relations)),
            "wrong labels": f"{100 * truth.false_share:.1f} %",
            "encoder": recipe.encoder,
            "steps": str(recipe.steps),
            "seed": str(recipe.seed),
            "time": f"{result.seconds:.0f} s",
        },
        figures=result.rows,
        figures_note=f"Few-shot accuracy over {EPISODES} episodes each; ± is a 95 % interval over episodes.",
        journal=list(read_journal(out / "run")),
        points=_map(world, model, vectors),
        map_note=(
            "Training statements and prototypes (stars), projected on the two directions in which they "
            "differ most. Two of hundreds of dimensions: closeness here is a hint, not a proof."
        ),
        margins_true=truth.margins[truth.truth].tolist(),
        margins_false=truth.margins[~truth.truth].tolist(),
        auroc=truth.by_margin,
        suspects=_suspects(world, model, vectors, truth),
        relation_names=names,
    )


def _map(world: SmallWorld, model: RelationModel, vectors: Float[Tensor, "statements width"]) -> list[MapPoint]:
    seen: dict[str, int] = {}
    chosen = []
    for index, statement in enumerate(world.train):
        relation = str(statement.relation)
        seen[relation] = seen.get(relation, 0) + 1
        if seen[relation] <= _ON_THE_MAP:
            chosen.append(index)
    unit = torch.nn.functional.normalize(vectors[chosen], dim=-1)
    places = project(torch.cat([unit, model.prototypes.vectors]))
    statements = [world.train[index] for index in chosen]
    points = [
        MapPoint(float(x), float(y), str(statement.relation), statement=statement)
        for (x, y), statement in zip(places, statements, strict=False)
    ]
    stars = zip(places[len(chosen) :], model.relations.ids, strict=True)
    return points + [MapPoint(float(x), float(y), relation, is_prototype=True) for (x, y), relation in stars]


def _suspects(
    world: SmallWorld, model: RelationModel, vectors: Float[Tensor, "statements width"], truth: LabelTruth
) -> list[JudgedLabel]:
    likest = model.prototypes.similarity(vectors).argmax(1).tolist()
    order = np.argsort(truth.margins)[:_SUSPECTS]
    return [JudgedLabel(world.train[i], float(truth.margins[i]), model.relations[likest[i]].id) for i in order.tolist()]


def _json(result: DemoResult, recipe: Recipe, world: SmallWorld) -> dict[str, object]:
    return {
        "task": "demo",
        "recipe": recipe.model_dump(mode="json"),
        "data": {"name": "small_world", "fingerprint": fingerprint(world.train), "settings": asdict(world.settings)},
        "fewshot": {
            row.name: {name: {"accuracy": m.value, "margin": m.margin} for name, m in row.figures.items()}
            for row in result.rows
        },
        "auroc": {
            "trained": asdict(result.truth.by_margin),
            "trained_by_cosine": asdict(result.truth.by_cosine),
            "untrained": asdict(result.untrained_truth.by_margin),
            "untrained_by_cosine": asdict(result.untrained_truth.by_cosine),
        },
        "seconds": round(result.seconds, 1),
        "machine": machine(),
        "versions": versions(),
    }
