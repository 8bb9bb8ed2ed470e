"""`protorel evaluate label-noise`: what do wrong training labels cost?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from protorel.cli.point_progress import keep_summary, say_notes, watching
from protorel.corpora.opening import open_data
from protorel.statements import load_equivalents


def label_noise(
    recipe: Annotated[str, typer.Argument(help="A recipe that we ship, such as budget, or a YAML file.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings on top of every recipe.")
    ] = None,
    *,
    data: Annotated[Path, typer.Option(help="Statements to draw from: Parquet, or any file with --format.")],
    test: Annotated[Path, typer.Option(help="Labelled statements of other relations to judge by.")],
    out: Annotated[Path, typer.Option(help="Where points, summary and curves go; finished points are kept.")],
    model: Annotated[
        list[str] | None, typer.Option(metavar="RUN", help="An encoder to start from; may be given several times.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="RECIPE", help="A recipe to compare with; may be given several times.")
    ] = None,
    rates: Annotated[str, typer.Option(help="Shares of wrong training labels.")] = "0,0.2,0.4,0.6",
    kinds: Annotated[
        str, typer.Option(help="uniform, confusable: which labels stand for the right ones.")
    ] = "uniform,confusable",
    relations: Annotated[str, typer.Option(help="How many relations are trained on: a number, or all.")] = "all",
    statements: Annotated[str, typer.Option(help="How many statements of each: a number, or all.")] = "all",
    held_out: Annotated[int, typer.Option(help="Clean statements of each relation kept to judge by.")] = 20,
    seeds: Annotated[str, typer.Option(help="What statements and trainings are drawn by.")] = "0",
    way: Annotated[int, typer.Option(help="How many relations an episode has.")] = 5,
    shot: Annotated[int, typer.Option(help="How many examples of each are given.")] = 1,
    episodes: Annotated[int, typer.Option(help="How many episodes are drawn.")] = 10_000,
    method: Annotated[str, typer.Option(help="prototype, mean or nearest: how examples decide.")] = "prototype",
    test_each: Annotated[
        int, typer.Option(min=0, help="Statements of each test relation that are encoded; 0 for all.")
    ] = 100,
    equivalents: Annotated[
        Path | None, typer.Option(help="A YAML table of relations that mean the same, on top of ours.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="The format of the files that are not Parquet.")] = None,
) -> None:
    """What a run still knows when a share of its training labels is wrong, with curves."""
    from protorel.evaluation.experiments.experiment import amount, rate_list, seed_list
    from protorel.evaluation.experiments.label_noise import run_label_noise
    from protorel.evaluation.experiments.noise_summary import summarise_noise
    from protorel.evaluation.experiments.point_exam import PointExam
    from protorel.report.noise_curves import write_noise_curves
    from protorel.training import load_recipe  # torch is loaded when it is needed, not for --help

    console = Console()
    recipes = [load_recipe(name, overrides or []) for name in (recipe, *(against or []))]
    exam_data = open_data(test, format=format)
    progress, notes = run_label_noise(
        recipes,
        open_data(data, format=format),
        exam_data,
        out,
        models=model or [],
        rates=rate_list(rates),
        kinds=[kind.strip() for kind in kinds.split(",")],
        seeds=seed_list(seeds),
        relations=amount(relations, what="relations"),
        statements=amount(statements, what="statements"),
        held_out=held_out,
        exam=PointExam.of(exam_data, way=way, shot=shot, episodes=episodes, method=method, each=test_each),
        equivalents=load_equivalents(equivalents),
        watching=watching(console),
    )
    say_notes(notes, progress)
    if progress.points:
        summary = summarise_noise(progress.points, recipes[0].name)
        keep_summary(console, summary, out, progress, lambda: write_noise_curves(summary, out))
