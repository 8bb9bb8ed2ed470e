"""`protorel evaluate extraction`: how well a run reads relations off text, over natural pairs of entities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, find_model
from protorel.cli.options import FileFormat, JsonFile, seed_option
from protorel.cli.output import report, say
from protorel.io import BadInput, is_there, printable

if TYPE_CHECKING:
    from protorel.evaluation import ExtractionFigures, ExtractionResult, Measurement, MicroScores, TripleFigures

_BASELINES, _UNSEEN = "Baselines", "Relations without training"
_CHOSEN = {"probability": "from a probability of {:.2f} on", "f1": "from {:.2f} on, the best F1 on other pairs"}


def extraction(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small`, or the hub id of a run.")
    ],
    data: Annotated[
        Path, typer.Argument(help="Natural pairs, as `convert --format docred_pairs` writes: with no_relation.")
    ],
    min_precision: Annotated[float, typer.Option(min=0, max=1, help="Precision to ask the model for.")] = 0.9,
    resamples: Annotated[int, typer.Option(min=1, help="Resamples of documents that check that precision.")] = 20,
    most_documents: Annotated[
        int | None, typer.Option(min=1, help="Evaluate only the first documents, this many.")
    ] = None,
    all_facts: Annotated[
        int | None,
        typer.Option(min=1, help="Number of all facts of the documents. Default: counted in DATA's .rejects.jsonl."),
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines", help="Also evaluate the baselines whose files are given.", rich_help_panel=_BASELINES
        ),
    ] = False,
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Training pairs, for the type-pair majority.", rich_help_panel=_BASELINES),
    ] = None,
    calibrate_on: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Pairs to calibrate untrained MiniLM on, which reads --descriptions.",
            rich_help_panel=_BASELINES,
        ),
    ] = None,
    descriptions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names and descriptions of the relations.", rich_help_panel=_UNSEEN),
    ] = None,
    unseen: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Relations to add again without training, by words: a file with one per line, or a list we ship.",
            rich_help_panel=_UNSEEN,
        ),
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Add them by examples, too: labelled statements.", rich_help_panel=_UNSEEN),
    ] = None,
    shots: Annotated[int, typer.Option(min=1, help="Examples per relation.", rich_help_panel=_UNSEEN)] = 3,
    seed: Annotated[int, seed_option("intervals and resamples")] = 0,
    format: FileFormat = None,
    json: JsonFile = None,
) -> None:
    """Print calibration, precision, false positives, direction and triples over natural pairs, by document."""
    from protorel.statements import load_descriptions, relation_list

    if not 0 < min_precision < 1:
        raise BadInput(f"--min-precision: expected a number between 0 and 1, got {min_precision}")
    if baselines and train is None and (calibrate_on is None or descriptions is None):
        raise BadInput("--baselines: expected --train, or --descriptions with --calibrate-on, got neither")
    if examples is not None and unseen is None:
        raise BadInput("--examples: expected --unseen with it, the relations to add")
    added = relation_list(unseen) if unseen is not None else ()
    source = find_model(model, [data], files=[descriptions], results=[json], format=format)
    check_data_files(train, calibrate_on, examples)
    words = load_descriptions(descriptions) if descriptions is not None else None
    rejects = data.with_suffix(".rejects.jsonl")
    counted = all_facts is None and format is None and is_there(rejects)
    if counted:
        check_files(rejects)
    from protorel.corpora import facts_without_sentence, open_data
    from protorel.evaluation import (  # imports torch, after the checks
        BaselineData,
        ExtractionSettings,
        UnseenSettings,
        evaluate_extraction,
    )

    found = evaluate_extraction(
        source,
        open_data(data, format=format),
        ExtractionSettings(
            min_precision=min_precision,
            resamples=resamples,
            most_documents=most_documents,
            all_facts=all_facts,
            unreachable=facts_without_sentence(rejects) if counted else None,
            seed=seed,
        ),
        baselines=BaselineData(
            train=open_data(train) if train is not None else None,
            held_out=open_data(calibrate_on) if calibrate_on is not None and words is not None else None,
        )
        if baselines
        else None,
        descriptions=words,
        unseen=UnseenSettings(added, open_data(examples) if examples is not None else None, shots) if added else None,
    )
    report(found, json)
    for line in _lines(found.result):
        say(line)


def _lines(result: ExtractionResult) -> Iterator[str]:
    yield from _of_figures(result.figures)
    if result.ceiling is None:
        yield "ceiling of recall: unknown (--all-facts)"
    else:
        yield f"ceiling of recall: {100 * result.ceiling:.1f} % of all facts have both entities in one sentence"
    for name, triples in result.baselines.items():
        yield f"baseline {name.replace('_', ' ')}:"
        yield from _of_triples(triples)
    if result.learned is not None:
        yield "with learned prototypes:"
        yield from (f"  {name}: {_scores(scores)}" for name, scores in result.learned.items())
    for unseen in result.unseen:
        yield f"{unseen.alone.relations} relations added by {unseen.made_from}, with the others:"
        yield from (f"  {name}: {_scores(scores)}" for name, scores in unseen.together.items())
        yield f"{unseen.alone.relations} relations added by {unseen.made_from}, alone:"
        yield from (f"  {line}" for line in _of_figures(unseen.alone))


def _of_figures(figures: ExtractionFigures) -> Iterator[str]:
    yield (
        f"{figures.pairs:,} pairs of {figures.documents:,} documents, {figures.relations} relations, "
        f"{100 * figures.none_share:.1f} % of the pairs hold none"
    )
    yield f"calibration error: {_value(figures.calibration_error)}"
    target = figures.target
    if target.refused is not None:
        yield f"precision {target.asked:.2f}: refused ({printable(target.refused, longest=200)})"
    else:
        yield (
            f"precision {target.asked:.2f} asked for: {_value(target.precision)}, from a probability of "
            f"{target.threshold:.2f} on; related pairs asserted: {_value(target.pairs_asserted)}"
        )
    yield (
        f"  holds in {target.held} of {target.resamples} resamples of documents "
        f"(by its value, without the interval, in {target.held_by_value})"
    )
    yield f"false positives at 50 % recall of related pairs: {_value(figures.false_positives.share)}"
    yield f"  if their relation must be right, too: {_value(figures.false_positives_right.share)}"
    yield f"right direction: {_value(figures.direction.right)} of {figures.direction.asserted:,} asserted relations"
    for triples in figures.triples:
        yield f"{_CHOSEN[triples.chosen_by].format(triples.sentences.threshold)}:"
        yield from _of_triples(triples)


def _of_triples(triples: TripleFigures) -> Iterator[str]:
    yield f"  triples of documents: {_scores(triples.documents)}"
    if triples.all_facts is not None:
        yield f"  against all facts: {_scores(triples.all_facts)}"
    yield f"  pairs of sentences: {_scores(triples.sentences)}"


def _scores(scores: MicroScores) -> str:
    return f"precision {_value(scores.precision)}, recall {_value(scores.recall)}, F1 {_value(scores.f1)}"


def _value(figure: Measurement | None) -> str:
    return "none" if figure is None or math.isnan(figure.value) else str(figure)
