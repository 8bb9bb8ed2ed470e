"""Contents of the demo's page: what training changed, a map, the most suspicious labels, triples from raw text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from protorel.corpora import SmallWorld
from protorel.demo import QUESTION
from protorel.demo.checked_triples import CheckedSentence
from protorel.demo.result import DemoResult
from protorel.demo.vectors import Vectors
from protorel.evaluation import LabelTruth
from protorel.model import RelationModel
from protorel.report import (
    DataCard,
    LabelCheck,
    MapSettings,
    MarkedTriple,
    ReadSentence,
    ReportContent,
    StatementMap,
    WorstLabel,
    data_facts,
    layouts_of,
    relation_counts,
    run_geometry,
    training_facts,
)
from protorel.statements import Statement
from protorel.training import read_journal

_SUSPECTS = 12
_EXPLANATION = (
    "A label’s margin is the similarity of the sentence to the prototype of its label minus the similarity to the "
    "closest other prototype. Below zero, the sentence looks more like another relation."
)
_MAP_NOTE = (
    "The training statements. Points that are close on the map need not be similar: it keeps some of the distances "
    "between vectors of hundreds of dimensions."
)


def page_content(
    result: DemoResult, world: SmallWorld, model: RelationModel, vectors: Vectors, run: Path
) -> ReportContent:
    """Return the contents of the page; `vectors` are those of the training statements."""
    recipe, truth = result.recipe, result.truth
    names = {relation.id: relation.name for relation in world.relations}
    layouts = layouts_of("demo", vectors, model.prototypes, MapSettings(seed=recipe.seed))
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
        map=StatementMap(world.train, layouts),
        map_note=_MAP_NOTE,
        geometry=[run_geometry("demo", model.prototypes, vectors, [one.relation for one in world.train])],
        journals={"demo": list(read_journal(run))},
        labels=_labels(world, model, vectors, truth, names),
        card=DataCard(
            {"demo": training_facts(model.record)}, data_facts(world.train, "small world"), relation_counts(world.train)
        ),
        relation_names=names,
        read=[_read(sentence, names) for sentence in result.extracted.sentences],
        read_note=result.extracted.in_words(),
    )


def _labels(
    world: SmallWorld, model: RelationModel, vectors: Vectors, truth: LabelTruth, names: Mapping[str, str]
) -> LabelCheck:
    closest = model.prototypes.similarity(vectors).argmax(1).tolist()
    says = truth_of(world, names)
    order = np.argsort(truth.margins)[:_SUSPECTS].tolist()
    return LabelCheck(
        score_name="margin",
        explanation=_EXPLANATION,
        scores={"true": truth.margins[truth.truth], "false": truth.margins[~truth.truth]},
        worst=[
            WorstLabel(
                world.train[i], float(truth.margins[i]), model.relations[closest[i]].id, says=says(world.train[i])
            )
            for i in order
        ],
        auroc=truth.by_margin,
    )


def truth_of(world: SmallWorld, names: Mapping[str, str]) -> Callable[[Statement], str]:
    """Return a function that says in words which relation the sentence of a training statement expresses."""
    expressed = {
        (document.id, sentence.of(document.text)): facts
        for document in world.documents
        for sentence, facts in zip(document.sentences, document.expressed, strict=True)
    }

    def says(statement: Statement) -> str:
        facts = expressed.get((str(statement.document), statement.text), ())
        pair = (statement.head_id, statement.tail_id)
        said = [names[fact.relation] for fact in facts if (fact.head, fact.tail) == pair]
        reverse = [names[fact.relation] for fact in facts if (fact.tail, fact.head) == pair]
        if said:
            return " and ".join(said)
        return f"{' and '.join(reverse)}, from tail to head" if reverse else "nothing about the two"

    return says


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
