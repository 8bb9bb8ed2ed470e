"""`protorel evaluate fewshot`: few-shot accuracy with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import (
    EPISODES,
    OPEN_SET,
    TEXTS,
    VECTORS,
    EquivalentsFile,
    FileFormat,
    JsonFile,
    LabelledData,
    Markers,
    Phrase,
    Readout,
    RunOrEncoder,
    seed_option,
)
from protorel.cli.output import report
from protorel.fewshot import METHODS
from protorel.recipes import SimilarityName


def _known_method(name: str | None) -> str | None:
    if name is not None and name not in METHODS:
        raise typer.BadParameter(f"expected one of {', '.join(METHODS)}, got {name!r}")
    return name


def fewshot(
    run: RunOrEncoder,
    data: LabelledData,
    way: Annotated[int, typer.Option(min=1, help="Relations per episode.", rich_help_panel=EPISODES)] = 5,
    shot: Annotated[
        int, typer.Option(min=0, help="Examples per relation; 0 with --descriptions.", rich_help_panel=EPISODES)
    ] = 1,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of episodes; default 10000, or 100 for setfit and pair, which are slow.",
            show_default=False,
            rich_help_panel=EPISODES,
        ),
    ] = None,
    seed: Annotated[int, seed_option("the episodes", panel=EPISODES)] = 0,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=_known_method,
            help=f"Few-shot method: {', '.join(METHODS)}. Default: the run's own, or prototype.",
            rich_help_panel=EPISODES,
        ),
    ] = None,
    apart_pairs: Annotated[
        bool,
        typer.Option(
            "--apart-pairs", help="No query with an entity pair of the episode's examples.", rich_help_panel=EPISODES
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            help="Relations to evaluate on: a list that we ship (fewrel_dev), or a file.", rich_help_panel=EPISODES
        ),
    ] = None,
    descriptions: Annotated[
        Path | None,
        typer.Option(help="Names and descriptions of the relations (JSON or YAML).", rich_help_panel=TEXTS),
    ] = None,
    text_weight: Annotated[
        float | None,
        typer.Option(
            help="Weight of a description, where the examples have weight 1.",
            show_default=False,
            rich_help_panel=TEXTS,
        ),
    ] = None,
    phrase: Phrase = None,
    none_share: Annotated[
        float | None,
        typer.Option(
            help="Share of queries that belong to no relation of the episode; queries can be rejected then.",
            rich_help_panel=OPEN_SET,
        ),
    ] = None,
    threshold_from: Annotated[
        Path | None,
        typer.Option(
            help="Labelled statements of other relations to learn rejection from. Default: those of --whiten.",
            rich_help_panel=OPEN_SET,
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            help="Highest share of wrong answers. Default: the threshold maximises accuracy.",
            rich_help_panel=OPEN_SET,
        ),
    ] = None,
    similarity: Annotated[
        SimilarityName | None,
        typer.Option(help="Similarity of vectors. Default: the run's own, or cosine.", rich_help_panel=VECTORS),
    ] = None,
    whiten: Annotated[
        Path | None,
        typer.Option(
            help="Labelled statements of other relations, to whiten vectors by the spread within relations.",
            rich_help_panel=VECTORS,
        ),
    ] = None,
    hubness: Annotated[
        Path | None,
        typer.Option(
            help="Labelled statements of other relations, to penalise candidates that are close to many of them.",
            rich_help_panel=VECTORS,
        ),
    ] = None,
    readout: Readout = None,
    marker_start: Markers = "brackets",
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: JsonFile = None,
) -> None:
    """Print few-shot accuracy on relations that the run need not know."""
    source = find_model(
        run,
        [data, threshold_from, whiten, hubness],
        files=[descriptions, equivalents],
        results=[json],
        format=format,
    )
    from protorel.evaluation import FewShotSettings, NoneSettings, TextSettings, episode_settings
    from protorel.statements import load_equivalents, relation_list

    if only is not None:
        relation_list(only)
    texts = TextSettings.given(descriptions, weight=text_weight, phrase=phrase)
    meanings = load_equivalents(equivalents)
    from protorel.corpora import open_data

    held_out = open_data(threshold_from, format=format) if threshold_from else None
    settings = FewShotSettings(
        way=way,
        shot=shot,
        episodes=episodes,
        seed=seed,
        method=method,
        similarity=similarity,
        apart_pairs=apart_pairs,
        readout=readout,
        marker_start=marker_start,
        whiten=open_data(whiten, format=format) if whiten else None,
        hubness=open_data(hubness, format=format) if hubness else None,
        only=only,
        equivalents=meanings,
        texts=texts,
        none=NoneSettings.given(none_share, held_out=held_out, max_error=max_error),
    )
    episode_settings(source, settings)  # raises BadInput before torch is imported
    from protorel.cli.console import Console
    from protorel.cli.progress import CountProgress
    from protorel.evaluation import evaluate_few_shot

    with CountProgress(Console(stderr=True), "episode") as progress:
        found = evaluate_few_shot(source, open_data(data, format=format), settings, watch=progress)
    report(found, json, encoder=source)
    console = Console()
    console.print(f"{found.result}; over relations {found.result.over_relations}", highlight=False, soft_wrap=True)
    if found.none_of_these is not None:
        console.print(str(found.none_of_these), highlight=False, soft_wrap=True)
