"""`protorel evaluate label-noise`: what do wrong training labels cost?"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from protorel.cli.options import (
    Against,
    BudgetRecipe,
    DrawnData,
    Episodes,
    EquivalentsFile,
    FileFormat,
    Method,
    Overrides,
    PointsFolder,
    Seeds,
    Shot,
    StartModels,
    TestData,
    TestEach,
    Way,
)
from protorel.cli.point_progress import keep_summary, say_notes, watching
from protorel.corpora.opening import open_data
from protorel.statements import load_equivalents


def label_noise(
    recipe: BudgetRecipe,
    overrides: Overrides = None,
    *,
    data: DrawnData,
    test: TestData,
    out: PointsFolder,
    model: StartModels = None,
    against: Against = None,
    rates: Annotated[str, typer.Option(help="Shares of wrong training labels.")] = "0,0.2,0.4,0.6",
    kinds: Annotated[
        str, typer.Option(help="uniform, confusable: which labels stand for the right ones.")
    ] = "uniform,confusable",
    relations: Annotated[str, typer.Option(help="How many relations are trained on: a number, or all.")] = "all",
    statements: Annotated[str, typer.Option(help="How many statements of each: a number, or all.")] = "all",
    held_out: Annotated[int, typer.Option(help="Clean statements of each relation kept to judge by.")] = 20,
    seeds: Seeds = "0",
    way: Way = 5,
    shot: Shot = 1,
    episodes: Episodes = 10_000,
    method: Method = "prototype",
    test_each: TestEach = 100,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
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
