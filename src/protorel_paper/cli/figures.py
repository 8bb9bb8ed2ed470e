"""`protorel-paper figure1` to `figure6`, and `figures`: what each is drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli import LARGEST_SEED, FileFormat, check_data_files, check_files, say_note
from protorel.io import BadInput
from protorel_paper.cli.options import Budget, BudgetName, Out

if TYPE_CHECKING:
    from protorel_paper.figures import FigureSources

ALL = "figures"
FIGURES_1_TO_5 = ("figure1", "figure2", "figure3", "figure4", "figure5")
_FIGURE6_DRAWS: dict[str, int] = {"smoke": 20, "cpu": 500, "paper": 500}
_HELP = {
    "figure1": "Map of statements and prototypes, with six statements to read.",
    "figure2": "Statements and prototypes on the unit ball.",
    "figure3": "Few-shot accuracy by the number of relations trained on.",
    "figure4": "Few-shot accuracy by the number of statements per relation trained on.",
    "figure5": "Map of SemEval's classes after tuning.",
    "figures": "All figures whose sources are given, with one page of captions.",
}
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed.")]


def figure_command(name: str) -> Callable[..., None]:
    """Return the command of one of the figures 1 to 5, or of all figures."""

    def command(
        out: Out,
        model: Annotated[Path | None, typer.Option(metavar="RUN", help="Figures 1, 2: run to draw.")] = None,
        data: Annotated[Path | None, typer.Option(help="Figures 1, 2: statements to draw.")] = None,
        semeval_model: Annotated[
            Path | None, typer.Option(metavar="RUN", help="Figure 5: run tuned on SemEval.")
        ] = None,
        semeval_data: Annotated[Path | None, typer.Option(help="Figure 5: SemEval's test statements.")] = None,
        points: Annotated[
            Path | None, typer.Option(help="Figures 3, 4: folder that protorel-paper data-budget wrote.")
        ] = None,
        descriptions: Annotated[Path | None, typer.Option(help="Figures 1, 2, 5: names of the relations.")] = None,
        width: Annotated[float | None, typer.Option(min=3.0, max=20.0, help="Figures 1 to 5: width in inches.")] = None,
        seed: Seed = 0,
        budget: BudgetName = "cpu",
        format: FileFormat = None,
    ) -> None:
        from protorel.io import check_folder_target, made_folder

        check_folder_target(out)
        paths = FigurePaths(model, data, semeval_model, semeval_data, points, descriptions)
        with made_folder(out):
            make_figures(name, out, paths, budget=budget, width=width, seed=seed, format=format)
        _print_page(name, out)

    command.__doc__ = _HELP[name]
    return command


def figure6(out: Out, seed: Seed = 0, budget: BudgetName = "cpu") -> None:
    """Decision boundaries of two linear classifiers on iris under wrong labels."""
    from protorel.cli import Console
    from protorel.io import check_folder_target

    check_folder_target(out)
    from protorel_paper.figures import reproduce_figure6

    with Console(stderr=True).status("drawing wrong labels"):  # shown on a terminal only
        reproduce_figure6(out, seed=seed, draws=_FIGURE6_DRAWS[budget])
    _print_page("figure6", out)


@dataclass(frozen=True, slots=True)
class FigurePaths:
    """Runs, data and points that were named on the command line."""

    model: Path | None
    data: Path | None
    semeval_model: Path | None
    semeval_data: Path | None
    points: Path | None
    descriptions: Path | None

    def check(self, part: str, *, format: str | None, smoke: bool) -> None:
        """Refuse bad input, and a figure without sources, before torch is imported."""
        from protorel.model import check_run
        from protorel_paper.figures import missing_for

        if smoke:
            if given := [path for path in astuple(self) if path is not None]:
                raise BadInput(f"{given[0]}: --budget smoke draws small world and takes no run and no data")
            return
        for run in (self.model, self.semeval_model):
            if run is not None:
                check_run(run)
        check_data_files(self.data, self.semeval_data, format=format)
        check_files(self.descriptions)
        if self.points is not None and not self.points.is_dir():
            raise BadInput(f"{self.points}: expected a folder that `protorel-paper data-budget` wrote; no such folder")
        if part == ALL and all(missing_for(one, self.given()) for one in ("figure1", "figure3", "figure5")):
            needs = missing_for("figure1", ())
            raise BadInput(f"nothing to draw: expected {needs}, or --budget smoke")
        if part != ALL and (missing := missing_for(part, self.given())):
            raise BadInput(f"{part} needs {missing}")

    def given(self) -> frozenset[str]:
        """Return the names of the paths that were given."""
        return frozenset(one.name for one in fields(self) if getattr(self, one.name) is not None)

    def open(self, *, format: str | None, seed: int) -> FigureSources:
        """Open the sources; they are read when a figure needs them."""
        from protorel.corpora import open_data
        from protorel.statements import load_descriptions
        from protorel_paper.figures import FigureSources

        return FigureSources(
            run=self.model,
            data=open_data(self.data, format=format) if self.data else None,
            semeval_run=self.semeval_model,
            semeval_data=open_data(self.semeval_data, format=format) if self.semeval_data else None,
            points=self.points,
            descriptions=load_descriptions(self.descriptions) if self.descriptions else None,
            seed=seed,
        )


def make_figures(
    part: str,
    out: Path,
    paths: FigurePaths,
    *,
    budget: Budget,
    width: float | None,
    seed: int,
    format: str | None,
) -> None:
    """Draw one figure, or all that have sources; with budget smoke, from small trainings."""
    smoke = budget == "smoke"
    paths.check(part, format=format, smoke=smoke)
    from protorel.cli import Console
    from protorel_paper.cli.progress import watching
    from protorel_paper.figures import FIGURES, reproduce_figures, smoke_sources, write_gallery

    console = Console()
    names = list(FIGURES) if part == ALL else [part]
    with TemporaryDirectory(prefix="protorel-figures-") as folder:
        if smoke:
            sources = smoke_sources(Path(folder), figures=names, seed=seed, watching=watching(console))
        else:
            sources = paths.open(format=format, seed=seed)
        if part == ALL:
            names = _drawable(names, sources)

        def say(name: str) -> None:
            console.print(f"{name} written", highlight=False)

        reproduce_figures(names, sources, out, width=width, draws=_FIGURE6_DRAWS[budget], say=say)
    if part == ALL:
        write_gallery(names, out)


def _drawable(names: list[str], sources: FigureSources) -> list[str]:
    """Return the figures that have sources, and print a note for each of the others."""
    for name in names:
        if missing := sources.lacks(name):
            say_note(f"no {name}: it needs {missing}")
    return [name for name in names if not sources.lacks(name)]


def _print_page(name: str, out: Path) -> None:
    from protorel.cli import Console

    Console().markdown((out / f"{name}.md").read_text(encoding="utf-8"))
