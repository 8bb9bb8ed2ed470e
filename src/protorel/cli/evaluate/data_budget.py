"""`protorel evaluate data-budget`: how many relations, and how many statements of each, does training need?"""

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


def data_budget(
    recipe: BudgetRecipe,
    overrides: Overrides = None,
    *,
    data: DrawnData,
    test: TestData,
    out: PointsFolder,
    model: StartModels = None,
    against: Against = None,
    relations: Annotated[str, typer.Option(help="How many relations: numbers, or all.")] = "0,8,24,64",
    statements: Annotated[str, typer.Option(help="How many statements of each: numbers, or all.")] = "0,20,100,all",
    seeds: Seeds = "0",
    way: Way = 5,
    shot: Shot = 1,
    episodes: Episodes = 10_000,
    method: Method = "prototype",
    test_each: TestEach = 100,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
) -> None:
    """Few-shot accuracy by the number of relations and statements trained on, with curves."""
    from protorel.evaluation.experiments.budget_summary import summarise_budget
    from protorel.evaluation.experiments.data_budget import run_data_budget
    from protorel.evaluation.experiments.experiment import amounts, seed_list
    from protorel.evaluation.experiments.point_exam import PointExam
    from protorel.report.budget_curves import write_budget_curves
    from protorel.training import load_recipe  # torch is loaded when it is needed, not for --help

    console = Console()
    exam_data = open_data(test, format=format)
    progress, notes = run_data_budget(
        [load_recipe(name, overrides or []) for name in (recipe, *(against or []))],
        open_data(data, format=format),
        exam_data,
        out,
        models=model or [],
        relations=amounts(relations, what="relations"),
        statements=amounts(statements, what="statements"),
        seeds=seed_list(seeds),
        exam=PointExam.of(exam_data, way=way, shot=shot, episodes=episodes, method=method, each=test_each),
        equivalents=load_equivalents(equivalents),
        watching=watching(console),
    )
    say_notes(notes, progress)
    if progress.points:
        summary = summarise_budget(progress.points)
        keep_summary(console, summary, out, progress, lambda: write_budget_curves(summary, out))
