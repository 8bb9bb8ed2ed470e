"""`protorel-paper data-budget` and `label-noise`: experiments of many short trainings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from protorel.cli import EquivalentsFile, FileFormat, Overrides, check_data_files, check_files, check_models
from protorel.recipes import CombineName
from protorel_paper.cli.options import Seeds

if TYPE_CHECKING:
    from protorel.recipes import Recipe

BudgetRecipe = Annotated[str, typer.Argument(help="Recipe: a name such as budget, or a YAML file.")]
DrawnData = Annotated[Path, typer.Option(help="Statements to draw from: Parquet, or any file with --format.")]
TestData = Annotated[Path, typer.Option(help="Labelled statements of other relations to evaluate on.")]
PointsFolder = Annotated[Path, typer.Option(help="Folder for points, summary and curves; finished points are kept.")]
StartModels = Annotated[list[str] | None, typer.Option(metavar="RUN", help="Encoder to start from; repeatable.")]
Against = Annotated[list[str] | None, typer.Option(metavar="RECIPE", help="Recipe to compare with; repeatable.")]
Way = Annotated[int, typer.Option(min=1, help="Relations per episode.")]
Shot = Annotated[int, typer.Option(min=1, help="Examples per relation.")]
Episodes = Annotated[int, typer.Option(min=1, help="Number of episodes.")]
Method = Annotated[CombineName, typer.Option(help="Few-shot method.")]
TestEach = Annotated[int, typer.Option(min=0, help="Statements to encode per test relation; 0 for all.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """The options that both commands share."""

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
        """Refuse bad input before torch is imported."""
        from protorel.io import check_folder_target
        from protorel_paper.experiments import seed_list

        recipes = self.recipes()
        seed_list(self.seeds)
        check_folder_target(self.out)
        check_data_files(self.data, self.test, format=self.format)
        check_files(self.equivalents)
        check_models(self.model or [recipe.encoder for recipe in recipes], words=True)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that both experiments share: recipes read, files opened, the exam drawn."""
        from protorel.corpora import open_data
        from protorel.statements import load_equivalents
        from protorel_paper.experiments import PointExam, seed_list

        test = open_data(self.test, format=self.format)
        return {
            "recipes": self.recipes(),
            "data": open_data(self.data, format=self.format),
            "test": test,
            "out": self.out,
            "models": self.model or [],
            "seeds": seed_list(self.seeds),
            "exam": PointExam.of(
                test, way=self.way, shot=self.shot, episodes=self.episodes, method=self.method, each=self.test_each
            ),
            "equivalents": load_equivalents(self.equivalents),
        }


def experiment(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command from a function that takes the shared options and keywords of its own."""
    hints = get_type_hints(ExperimentOptions, include_extras=True)
    shared = [one.replace(annotation=hints[one.name]) for one in signature(ExperimentOptions).parameters.values()]
    _, *own = signature(command, eval_str=True).parameters.values()

    def run(**given: Any) -> None:
        options = ExperimentOptions(**{one.name: given[one.name] for one in shared})
        command(options, **{one.name: given[one.name] for one in own})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {one.name: one.annotation for one in (*shared, *own)}
    run.__signature__ = Signature([*shared, *own])  # type: ignore[attr-defined]  # what the command line is read by
    return run


@experiment
def data_budget(
    options: ExperimentOptions,
    *,
    relations: Annotated[str, typer.Option(help="Numbers of relations, or all.")] = "0,8,24,64",
    statements: Annotated[str, typer.Option(help="Numbers of statements per relation, or all.")] = "0,20,100,all",
) -> None:
    """Few-shot accuracy by the number of relations and statements trained on, with curves."""
    from protorel_paper.experiments import amounts

    wide, deep = amounts(relations, what="relations"), amounts(statements, what="statements")
    options.check()
    from protorel.cli import Console
    from protorel_paper.cli.progress import say_outcome, watching, write_experiment
    from protorel_paper.experiments import run_data_budget, summarise_budget, write_budget_curves

    console = Console()
    progress = run_data_budget(**options.arguments(), relations=wide, statements=deep, watching=watching(console))
    say_outcome(progress)
    if progress.results:
        summary = summarise_budget(progress.results)
        write_experiment(console, progress, summary, options.out, partial(write_budget_curves, summary))


@experiment
def label_noise(
    options: ExperimentOptions,
    *,
    rates: Annotated[str, typer.Option(help="Shares of wrong training labels.")] = "0,0.2,0.4,0.6",
    kinds: Annotated[str, typer.Option(help="Kinds of wrong labels.")] = "uniform,confusable",
    relations: Annotated[str, typer.Option(help="Number of relations to train on, or all.")] = "all",
    statements: Annotated[str, typer.Option(help="Number of statements per relation, or all.")] = "all",
    held_out: Annotated[int, typer.Option(min=1, help="Clean statements per relation to evaluate on.")] = 20,
) -> None:
    """Accuracy after training on partly wrong labels, by rate and kind, with curves."""
    from protorel_paper.experiments import amount, check_noise, rate_list

    shares, chosen = rate_list(rates), [kind.strip() for kind in kinds.split(",")]
    check_noise(shares, chosen)
    wide, deep = amount(relations, what="relations"), amount(statements, what="statements")
    options.check()
    from protorel.cli import Console
    from protorel_paper.cli.progress import say_outcome, watching, write_experiment
    from protorel_paper.experiments import run_label_noise, summarise_noise, write_noise_curves

    console, shared = Console(), options.arguments()
    progress = run_label_noise(
        **shared,
        rates=shares,
        kinds=chosen,
        relations=wide,
        statements=deep,
        held_out=held_out,
        watching=watching(console),
    )
    say_outcome(progress)
    if progress.results:
        summary = summarise_noise(progress.results, shared["recipes"][0].name)
        write_experiment(console, progress, summary, options.out, partial(write_noise_curves, summary))
