"""What both experiments of many short trainings are told alike: declared once, for two commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from protorel.cli.checks import check_data_files, check_files, check_models
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

if TYPE_CHECKING:
    from protorel.evaluation import PointExam
    from protorel.recipes import Recipe
    from protorel.statements import DataSet, Equivalents


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

        return [load_recipe(name, self.overrides or []) for name in (self.recipe, *(self.against or []))]

    def check(self) -> None:
        """Refuse what cannot be used, before torch is imported."""
        from protorel.evaluation import seed_list
        from protorel.io import check_folder_target

        recipes = self.recipes()
        seed_list(self.seeds)
        check_folder_target(self.out)
        check_data_files(self.data, self.test, format=self.format)
        check_files(self.equivalents)
        check_models(self.model or [recipe.encoder for recipe in recipes], words=True)

    def opened(self) -> Opened:
        """Read the recipes, open the files and draw the exam."""
        from protorel.corpora import open_data
        from protorel.evaluation import PointExam, seed_list
        from protorel.statements import load_equivalents

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
