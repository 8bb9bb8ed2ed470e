"""`protorel-paper data-budget` and `label-noise`: experiments of many short trainings, with the options they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer

from protorel.cli import EquivalentsFile, FileFormat, Overrides, check_data_files, check_files, check_models
from protorel.recipes import CombineName
from protorel_paper.cli.options import Seeds

if TYPE_CHECKING:
    from protorel.recipes import Recipe
    from protorel.statements import DataSet, Equivalents
    from protorel_paper.experiments.exam import PointExam


BudgetRecipe = Annotated[str, typer.Argument(help="A recipe that we ship, such as budget, or a YAML file.")]
DrawnData = Annotated[Path, typer.Option(help="Statements to draw from: Parquet, or any file with --format.")]
TestData = Annotated[Path, typer.Option(help="Labelled statements of other relations to evaluate on.")]
PointsFolder = Annotated[Path, typer.Option(help="Folder for points, summary and curves; finished points are kept.")]
StartModels = Annotated[
    list[str] | None, typer.Option(metavar="RUN", help="An encoder to start from; may be given several times.")
]
Against = Annotated[
    list[str] | None, typer.Option(metavar="RECIPE", help="A recipe to compare with; may be given several times.")
]
Way = Annotated[int, typer.Option(min=1, help="Relations per episode.")]
Shot = Annotated[int, typer.Option(min=1, help="Examples per relation.")]
Episodes = Annotated[int, typer.Option(min=1, help="Number of episodes.")]
Method = Annotated[CombineName, typer.Option(help="How examples decide.")]
TestEach = Annotated[int, typer.Option(min=0, help="Statements to encode per test relation; 0 for all.")]


class Opened(NamedTuple):
    """What the files and names of the options stand for."""

    recipes: list[Recipe]
    data: DataSet
    test: DataSet
    exam: PointExam
    equivalents: Equivalents
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """The options that both commands have, as they were given."""

    recipe: BudgetRecipe
    overrides: Overrides = None
    data: DrawnData
    test: TestData
    out: PointsFolder
    model: StartModels = None
    against: Against = None
    seeds: Seeds = "0"
    way: Way = 5
    shot: Shot = 1
    episodes: Episodes = 10_000
    method: Method = "prototype"
    test_each: TestEach = 100
    equivalents: EquivalentsFile = None
    format: FileFormat = None

    def recipes(self) -> list[Recipe]:
        """Read the recipes."""
        from protorel.recipes import load_recipe
        from protorel_paper.recipes import RECIPES

        names = (self.recipe, *(self.against or []))
        return [load_recipe(name, self.overrides or [], also_in=RECIPES) for name in names]

    def check(self) -> None:
        """Refuse what cannot be used, before torch is imported."""
        from protorel.io import check_folder_target
        from protorel_paper.experiments.lists import seed_list

        recipes = self.recipes()
        seed_list(self.seeds)
        check_folder_target(self.out)
        check_data_files(self.data, self.test, format=self.format)
        check_files(self.equivalents)
        check_models(self.model or [recipe.encoder for recipe in recipes], words=True)

    def opened(self) -> Opened:
        """Read the recipes, open the files and draw the exam."""
        from protorel.corpora import open_data
        from protorel.statements import load_equivalents
        from protorel_paper.experiments.exam import PointExam
        from protorel_paper.experiments.lists import seed_list

        recipes = self.recipes()
        test = open_data(self.test, format=self.format)
        return Opened(
            recipes,
            open_data(self.data, format=self.format),
            test,
            PointExam.of(
                test, way=self.way, shot=self.shot, episodes=self.episodes, method=self.method, each=self.test_each
            ),
            load_equivalents(self.equivalents),
            seed_list(self.seeds),
        )


def experiment(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function that takes these options, and keywords of its own after them."""
    hints = get_type_hints(ExperimentOptions, include_extras=True)
    shared = [one.replace(annotation=hints[one.name]) for one in signature(ExperimentOptions).parameters.values()]
    _, *own = signature(command, eval_str=True).parameters.values()

    def told(**given: Any) -> None:
        options = ExperimentOptions(**{one.name: given[one.name] for one in shared})
        command(options, **{one.name: given[one.name] for one in own})

    told.__name__, told.__doc__ = command.__name__, command.__doc__
    told.__annotations__ = {one.name: one.annotation for one in (*shared, *own)}
    told.__signature__ = Signature([*shared, *own])  # type: ignore[attr-defined]  # what the command line is read by
    return told


@experiment
def data_budget(
    options: ExperimentOptions,
    *,
    relations: Annotated[str, typer.Option(help="How many relations: numbers, or all.")] = "0,8,24,64",
    statements: Annotated[str, typer.Option(help="How many statements of each: numbers, or all.")] = "0,20,100,all",
) -> None:
    """Few-shot accuracy by the number of relations and statements trained on, with curves."""
    from protorel_paper.experiments.lists import amounts

    wide, deep = amounts(relations, what="relations"), amounts(statements, what="statements")
    options.check()
    from protorel.cli import Console
    from protorel_paper.cli.progress import keep_summary, say_notes, watching
    from protorel_paper.experiments.budget_curves import write_budget_curves
    from protorel_paper.experiments.budget_summary import summarise_budget
    from protorel_paper.experiments.data_budget import run_data_budget

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
    from protorel_paper.experiments.lists import amount, check_noise, rate_list

    shares, chosen = rate_list(rates), [kind.strip() for kind in kinds.split(",")]
    check_noise(shares, chosen)
    wide, deep = amount(relations, what="relations"), amount(statements, what="statements")
    options.check()
    from protorel.cli import Console
    from protorel_paper.cli.progress import keep_summary, say_notes, watching
    from protorel_paper.experiments.label_noise import run_label_noise
    from protorel_paper.experiments.noise_curves import write_noise_curves
    from protorel_paper.experiments.noise_summary import summarise_noise

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
