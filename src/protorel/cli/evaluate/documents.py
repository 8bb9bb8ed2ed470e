"""`protorel evaluate documents`: triples from raw documents, with entities that are found in the text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import JsonFile, seed_option
from protorel.cli.output import report, say

if TYPE_CHECKING:
    from protorel.evaluation import DocumentsResult, Measurement, MicroScores

_CHOSEN = {"probability": "from a probability of {:.2f} on", "f1": "from {:.2f} on, the best F1 on other pairs"}


def documents(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small`, or the hub id of a run.")
    ],
    data: Annotated[Path, typer.Argument(help="Documents in DocRED's format, with all their entities and facts.")],
    entities: Annotated[
        str,
        typer.Option(
            metavar="SOURCE",
            help="Where entities come from: spacy[:PIPELINE], names:FILE, or given (the annotated mentions).",
        ),
    ] = "spacy:en_core_web_sm",
    most_documents: Annotated[
        int | None, typer.Option(min=1, help="Evaluate only the first documents, this many.")
    ] = None,
    seed: Annotated[int, seed_option("the intervals")] = 0,
    json: JsonFile = None,
) -> None:
    """Print precision, recall and F1 of the triples extracted from raw documents, next to their ceiling."""
    from protorel.extraction import check_source_name
    from protorel.model import check_has_relations

    source = find_model(model, [], files=[data], results=[json])
    check_source_name(entities)
    if source.record is None:
        check_has_relations(model)
    from protorel.evaluation import evaluate_documents  # imports torch, after the checks

    found = evaluate_documents(source, data, entities=entities, most_documents=most_documents, seed=seed)
    report(found, json)
    for line in _lines(found.result):
        say(line)


def _lines(result: DocumentsResult) -> Iterator[str]:
    yield (
        f"{result.facts:,} facts of {result.documents:,} documents; "
        f"{_value(result.in_sentence)} have both entities in one sentence"
    )
    for match, mentions in result.mentions.items():
        how = "exact span" if match == "strict" else "overlap"
        yield f"{match}, mentions match by {how}: {_value(mentions.found)} of the annotated mentions are found"
        yield f"  ceiling of recall: {_value(mentions.ceiling)} of all facts have both entities found in one sentence"
        for one in result.triples:
            if one.match == match:
                yield f"  {_CHOSEN[one.chosen_by].format(one.all_facts.threshold)}:"
                yield f"    against facts in one sentence: {_scores(one.in_sentence)}"
                yield f"    against all facts: {_scores(one.all_facts)}"


def _scores(scores: MicroScores) -> str:
    return f"precision {_value(scores.precision)}, recall {_value(scores.recall)}, F1 {_value(scores.f1)}"


def _value(figure: Measurement) -> str:
    return "none" if math.isnan(figure.value) else str(figure)
