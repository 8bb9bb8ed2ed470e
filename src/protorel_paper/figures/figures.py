"""The paper's figures, all or some, from whatever runs, data and points there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from protorel.io import write_text
from protorel.statements import BadInput, DataSet, Descriptions
from protorel_paper.experiments.budget_summary import BudgetSummary
from protorel_paper.figures.budget_figure import read_budget
from protorel_paper.figures.figure1 import EACH, RELATIONS, reproduce_figure1
from protorel_paper.figures.figure2 import reproduce_figure2
from protorel_paper.figures.figure3 import reproduce_figure3
from protorel_paper.figures.figure4 import reproduce_figure4
from protorel_paper.figures.figure5 import CLASSES, EACH_CLASS, reproduce_figure5
from protorel_paper.figures.figure6 import reproduce_figure6
from protorel_paper.figures.figure_needs import missing_for
from protorel_paper.figures.iris import DRAWS
from protorel_paper.figures.relation_space import RelationSpace, open_space

FIGURES = ("figure1", "figure2", "figure3", "figure4", "figure5", "figure6")


@dataclass(frozen=True)
class FigureSources:
    """What figures are drawn from; each part is read when the first figure asks for it."""

    run: Path | str | None = None
    data: DataSet | None = None
    semeval_run: Path | str | None = None
    semeval_data: DataSet | None = None
    points: Path | None = None
    descriptions: Descriptions | None = None
    seed: int = 0

    def lacks(self, figure: str) -> str | None:
        """Say what is missing for a figure, or None where nothing is."""
        parts = {
            "model": self.run,
            "data": self.data,
            "semeval_model": self.semeval_run,
            "semeval_data": self.semeval_data,
            "points": self.points,
        }
        return missing_for(figure, [name for name, part in parts.items() if part is not None])

    @cached_property
    def space(self) -> RelationSpace:
        """Figures 1 and 2."""
        assert self.run is not None
        assert self.data is not None
        return open_space(
            self.run, self.data, relations=RELATIONS, each=EACH, seed=self.seed, descriptions=self.descriptions
        )

    @cached_property
    def classes(self) -> RelationSpace:
        """Figure 5."""
        assert self.semeval_run is not None
        assert self.semeval_data is not None
        return open_space(
            self.semeval_run,
            self.semeval_data,
            relations=CLASSES,
            each=EACH_CLASS,
            seed=self.seed,
            descriptions=self.descriptions,
        )

    @cached_property
    def budget(self) -> BudgetSummary:
        """Figures 3 and 4."""
        assert self.points is not None
        return read_budget(self.points)


def reproduce_figures(
    names: Sequence[str],
    sources: FigureSources,
    out: Path,
    *,
    width: float | None = None,
    draws: int = DRAWS,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Write figures by name, each as PNG, SVG, JSON and a caption; `say` is told of each that is written.

    `width` is a figure's, in inches; None leaves each at the width that suits it. Figure 6 has one width.
    """
    for name in names:
        if missing := sources.lacks(name):
            raise BadInput(f"{name} needs {missing}")
    for name in names:
        _write(name, sources, out, {} if width is None else {"width": width}, draws)
        say(name)


def write_gallery(names: Sequence[str], out: Path) -> None:
    """Write figures.md: the captions of figures that stand in a folder, one after the other."""
    captions = [(out / f"{name}.md").read_text(encoding="utf-8") for name in names]
    write_text(out / "figures.md", "\n".join(captions))


def _write(name: str, sources: FigureSources, out: Path, sized: dict[str, float], draws: int) -> None:
    match name:
        case "figure1":
            reproduce_figure1(sources.space, out, seed=sources.seed, **sized)
        case "figure2":
            reproduce_figure2(sources.space, out, **sized)
        case "figure3":
            reproduce_figure3(sources.budget, out, **sized)
        case "figure4":
            reproduce_figure4(sources.budget, out, **sized)
        case "figure5":
            reproduce_figure5(sources.classes, out, seed=sources.seed, **sized)
        case "figure6":
            reproduce_figure6(out, seed=sources.seed, draws=draws)
        case _:
            raise BadInput(f"{name} is no figure of the paper, one of {', '.join(FIGURES)} is wanted")
