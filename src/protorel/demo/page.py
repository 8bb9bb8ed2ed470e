"""Contents of the demo's page: what training changed, a map, the most suspicious labels, triples from raw text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from protorel.corpora import SmallWorld
from protorel.demo import QUESTION
from protorel.demo.checked_triples import CheckedSentence
from protorel.demo.result import DemoResult
from protorel.demo.vectors import Vectors
from protorel.model import RelationModel
from protorel.report import (
    DataCard,
    MapSettings,
    MarkedTriple,
    ReadSentence,
    ReportContent,
    StatementMap,
    audited_labels,
    data_facts,
    label_check,
    layouts_of,
    relation_counts,
    run_geometry,
    training_facts,
)
from protorel.statements import Statement
from protorel.training import read_journal

_WORST = 20
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
    audited = audited_labels(result.audit, world.train, range(len(world.train)), where="audit")
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
        map=StatementMap(world.train, layouts, audited),
        map_note=_MAP_NOTE,
        geometry=[run_geometry("demo", model.prototypes, vectors, [one.relation for one in world.train])],
        journals={"demo": list(read_journal(run))},
        labels=label_check(result.audit, says=truth_of(world, names), worst=_WORST),
        card=DataCard(
            {"demo": training_facts(model.record)}, data_facts(world.train, "small world"), relation_counts(world.train)
        ),
        relation_names=names,
        read=[_read(sentence, names) for sentence in result.extracted.sentences],
        read_note=result.extracted.in_words(),
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
