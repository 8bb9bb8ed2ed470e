"""Contents of the demo's page: findings, curves, a map, the most suspicious labels, triples from raw text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from protorel.corpora import SmallWorld
from protorel.demo import QUESTION
from protorel.demo.checked_triples import CheckedSentence
from protorel.demo.result import DemoResult
from protorel.demo.vectors import Vectors
from protorel.evaluation import LabelTruth
from protorel.model import RelationModel
from protorel.report import MapPoint, MarkedTriple, ReadSentence, ReportContent, SuspectLabel, project
from protorel.training import read_journal

_ON_THE_MAP = 40
"""Number of statements drawn per relation."""
_SUSPECTS = 12


def page_content(
    result: DemoResult, world: SmallWorld, model: RelationModel, vectors: Vectors, run: Path
) -> ReportContent:
    """Return the contents of the page; `vectors` are those of the training statements."""
    recipe, truth = result.recipe, result.truth
    names = {relation.id: relation.name for relation in world.relations}
    return ReportContent(
        title="protorel: small world",
        summary=(
            f"{len(world.train):,} statements of {len(model.relations)} relations trained an encoder and one prototype "
            f"per relation in {recipe.steps} steps. {result.labels()}"
        ),
        comparison=result.accuracy(),
        comparison_title=QUESTION,
        comparison_note=result.accuracy_note(),
        facts={
            "training statements": str(len(world.train)),
            "relations trained": str(len(model.relations)),
            "relations held out": str(len(world.held_out_relations)),
            "wrong labels": f"{100 * truth.false_share:.1f} %",
            "encoder": recipe.encoder,
            "steps": str(recipe.steps),
            "seed": str(recipe.seed),
            "time": f"{result.phases.total:.0f} s",
        },
        figures=(),
        figures_note="",
        journal=list(read_journal(run)),
        points=_map(world, model, vectors),
        map_note=(
            "Training statements and prototypes (stars) on their first two principal components. These are two of "
            "hundreds of dimensions, so points that are close here need not be similar."
        ),
        margins_true=truth.margins[truth.truth].tolist(),
        margins_false=truth.margins[~truth.truth].tolist(),
        auroc=truth.by_margin,
        suspects=_suspects(world, model, vectors, truth),
        relation_names=names,
        read=[_read(sentence, names) for sentence in result.extracted.sentences],
        read_note=result.extracted.in_words(),
    )


def _map(world: SmallWorld, model: RelationModel, vectors: Vectors) -> list[MapPoint]:
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


def _suspects(world: SmallWorld, model: RelationModel, vectors: Vectors, truth: LabelTruth) -> list[SuspectLabel]:
    closest = model.prototypes.similarity(vectors).argmax(1).tolist()
    order = np.argsort(truth.margins)[:_SUSPECTS]
    return [
        SuspectLabel(world.train[i], float(truth.margins[i]), model.relations[closest[i]].id) for i in order.tolist()
    ]


def _read(sentence: CheckedSentence, names: Mapping[str, str]) -> ReadSentence:
    asserted = [
        MarkedTriple(
            head=checked.triple.head.text,
            relation=checked.triple.relation,
            tail=checked.triple.tail.text,
            verdict=checked.verdict(names),
            right=checked.right,
            probability=checked.triple.probability,
        )
        for checked in sentence.triples
    ]
    missed = [MarkedTriple(*triple, verdict="missed: the sentence says it", right=False) for triple in sentence.missed]
    return ReadSentence(sentence.text, sentence.entities, [*asserted, *missed])
