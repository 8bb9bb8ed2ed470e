"""`protorel evaluate label-noise`: what do wrong training labels cost?"""

from __future__ import annotations

from typing import Annotated

import typer

from protorel.cli.evaluate.experiment_options import ExperimentOptions, experiment


@experiment
def label_noise(
    options: ExperimentOptions,
    *,
    rates: Annotated[str, typer.Option(help="Shares of wrong training labels.")] = "0,0.2,0.4,0.6",
    kinds: Annotated[
        str, typer.Option(help="uniform, confusable: which labels stand for the right ones.")
    ] = "uniform,confusable",
    relations: Annotated[str, typer.Option(help="How many relations are trained on: a number, or all.")] = "all",
    statements: Annotated[str, typer.Option(help="How many statements of each: a number, or all.")] = "all",
    held_out: Annotated[int, typer.Option(min=1, help="Clean statements per relation kept to judge by.")] = 20,
) -> None:
    """What a run still knows when a share of its training labels is wrong, with curves."""
    from protorel.evaluation import amount, check_noise, rate_list

    shares, chosen = rate_list(rates), [kind.strip() for kind in kinds.split(",")]
    check_noise(shares, chosen)
    wide, deep = amount(relations, what="relations"), amount(statements, what="statements")
    options.check()
    from protorel.cli.console import Console
    from protorel.cli.point_progress import keep_summary, say_notes, watching
    from protorel.evaluation import run_label_noise, summarise_noise
    from protorel.report import write_noise_curves

    console, given = Console(), options.opened()
    progress, notes = run_label_noise(
        given.recipes,
        given.data,
        given.test,
        options.out,
        models=options.model or [],
        rates=shares,
        kinds=chosen,
        seeds=given.seeds,
        relations=wide,
        statements=deep,
        held_out=held_out,
        exam=given.exam,
        equivalents=given.equivalents,
        watching=watching(console),
    )
    say_notes(notes, progress)
    if progress.points:
        summary = summarise_noise(progress.points, given.recipes[0].name)
        keep_summary(console, summary, options.out, progress, lambda: write_noise_curves(summary, options.out))
