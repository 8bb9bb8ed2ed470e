"""`protorel evaluate data-budget`: how many relations, and how many statements of each, does training need?"""

from __future__ import annotations

from typing import Annotated

import typer

from protorel.cli.evaluate.experiment_options import ExperimentOptions, experiment


@experiment
def data_budget(
    options: ExperimentOptions,
    *,
    relations: Annotated[str, typer.Option(help="How many relations: numbers, or all.")] = "0,8,24,64",
    statements: Annotated[str, typer.Option(help="How many statements of each: numbers, or all.")] = "0,20,100,all",
) -> None:
    """Few-shot accuracy by the number of relations and statements trained on, with curves."""
    from protorel.evaluation import amounts

    wide, deep = amounts(relations, what="relations"), amounts(statements, what="statements")
    options.check()
    from protorel.cli.console import Console
    from protorel.cli.point_progress import keep_summary, say_notes, watching
    from protorel.evaluation import run_data_budget, summarise_budget
    from protorel.report import write_budget_curves

    console, given = Console(), options.opened()
    progress, notes = run_data_budget(
        given.recipes,
        given.data,
        given.test,
        options.out,
        models=options.model or [],
        relations=wide,
        statements=deep,
        seeds=given.seeds,
        exam=given.exam,
        equivalents=given.equivalents,
        watching=watching(console),
    )
    say_notes(notes, progress)
    if progress.points:
        summary = summarise_budget(progress.points)
        keep_summary(console, summary, options.out, progress, lambda: write_budget_curves(summary, options.out))
