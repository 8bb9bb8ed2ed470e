"""Figures of the paper on the terminal: what each is drawn from, and which could not be drawn."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import check_data_files, check_files
from protorel.cli.output import say_note
from protorel.io import BadInput

if TYPE_CHECKING:
    from protorel.report import FigureSources

ALL = "figures"
FigureRun = Annotated[Path | None, typer.Option("--model", metavar="RUN", help="figures 1, 2: the run to draw.")]
SemEvalRun = Annotated[
    Path | None, typer.Option("--semeval-model", metavar="RUN", help="figure5: a run that was tuned on SemEval.")
]
SemEvalData = Annotated[Path | None, typer.Option(help="figure5: SemEval's test statements.")]
BudgetPoints = Annotated[Path | None, typer.Option(help="figures 3, 4: a folder that evaluate data-budget wrote.")]
NamesFile = Annotated[Path | None, typer.Option(help="figures 1, 2, 5: what relations are called.")]
FigureWidth = Annotated[
    float | None, typer.Option(min=3.0, max=20.0, help="figures 1 to 5: inches; without it each has its own.")
]


@dataclass(frozen=True, slots=True)
class FigurePaths:
    """What a user named to draw from."""

    model: Path | None
    data: Path | None
    semeval_model: Path | None
    semeval_data: Path | None
    points: Path | None
    descriptions: Path | None

    def check(self, part: str, *, format: str | None, smoke: bool) -> None:
        """Refuse what cannot be drawn from, and a figure for which nothing was given, before torch is imported."""
        from protorel.model import check_run
        from protorel.report import missing_for

        if smoke:
            if given := [path for path in astuple(self) if path is not None]:
                raise BadInput(f"{given[0]}: --budget smoke draws small world, it takes no run and no data")
            return
        for run in (self.model, self.semeval_model):
            if run is not None:
                check_run(run)
        check_data_files(self.data, self.semeval_data, format=format)
        check_files(self.descriptions)
        if self.points is not None and not self.points.is_dir():
            raise BadInput(
                f"{self.points}: expected a folder that `protorel evaluate data-budget` wrote; no such folder"
            )
        if part == ALL and all(missing_for(one, self.given()) for one in ("figure1", "figure3", "figure5")):
            needs = missing_for("figure1", ())
            raise BadInput(f"there is nothing to draw; give {needs}, or take --budget smoke")
        if part != ALL and (missing := missing_for(part, self.given())):
            raise BadInput(f"{part} needs {missing}")

    def given(self) -> frozenset[str]:
        """Return the names of what was given."""
        return frozenset(one.name for one in fields(self) if getattr(self, one.name) is not None)

    def open(self, *, format: str | None, seed: int) -> FigureSources:
        """Look whether the files are there; they are read when a figure asks for them."""
        from protorel.corpora import open_data
        from protorel.report import FigureSources
        from protorel.statements import load_descriptions

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
    smoke: bool,
    draws: int,
    width: float | None,
    seed: int,
    format: str | None,
) -> None:
    """Draw one figure, or all for which there is something to draw; with `smoke`, from small trainings of our own."""
    paths.check(part, format=format, smoke=smoke)
    from protorel.cli.console import Console
    from protorel.cli.point_progress import watching
    from protorel.report import FIGURES, reproduce_figures, smoke_sources, write_gallery

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

        reproduce_figures(names, sources, out, width=width, draws=draws, say=say)
    if part == ALL:
        write_gallery(names, out)


def _drawable(names: list[str], sources: FigureSources) -> list[str]:
    """Leave out what nothing was named for, and say so; to draw no run at all is not what anybody meant."""
    for name in names:
        if missing := sources.lacks(name):
            say_note(f"no {name}, it needs {missing}")
    return [name for name in names if not sources.lacks(name)]
