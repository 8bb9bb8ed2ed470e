"""The paper's figures, all or some, from the runs, data and points that are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from protorel.io import write_text
from protorel.statements import BadInput, DataSet, Descriptions
from protorel_paper.experiments import BudgetSummary
from protorel_paper.figures.figure1 import EACH, RELATIONS, reproduce_figure1
from protorel_paper.figures.figure2 import reproduce_figure2
from protorel_paper.figures.figure5 import CLASSES, EACH_CLASS, reproduce_figure5
from protorel_paper.figures.figure6 import reproduce_figure6
from protorel_paper.figures.figures_3_and_4 import read_budget, reproduce_figure3, reproduce_figure4
from protorel_paper.figures.iris import DRAWS
from protorel_paper.figures.needs import FIGURES, missing_for
from protorel_paper.figures.relation_space import RelationSpace, open_space


@dataclass(frozen=True)
class FigureSources:
    """Runs, data and points to draw from; each is read when the first figure needs it."""

    run: Path | str | None = None
    data: DataSet | None = None
    semeval_run: Path | str | None = None
    semeval_data: DataSet | None = None
    points: Path | None = None
    descriptions: Descriptions | None = None
    seed: int = 0

    def lacks(self, figure: str) -> str | None:
        """Return what is missing for a figure; None if nothing is."""
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
        """Vectors of figures 1 and 2."""
        assert self.run is not None
        assert self.data is not None
        return open_space(
            self.run, self.data, relations=RELATIONS, each=EACH, seed=self.seed, descriptions=self.descriptions
        )

    @cached_property
    def classes(self) -> RelationSpace:
        """Vectors of figure 5."""
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
        """Points of figures 3 and 4."""
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
    """Write figures, each as PNG, SVG, JSON and a caption.

    Args:
        names: Names from `FIGURES`.
        sources: Runs, data and points to draw from.
        out: Output folder.
        width: Width of figures 1 to 5 in inches; by default each has its own. Figure 6 has one width.
        draws: Draws of wrong labels for figure 6.
        say: Called with the name of each figure after it is written.

    Raises:
        BadInput: If a name is unknown, or the sources lack what a figure needs.
    """
    for name in names:
        if missing := sources.lacks(name):
            raise BadInput(f"{name} needs {missing}")
    for name in names:
        _write(name, sources, out, {} if width is None else {"width": width}, draws)
        say(name)


def write_gallery(names: Sequence[str], out: Path) -> None:
    """Write figures.md: the captions of figures in a folder, one after the other."""
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
            raise BadInput(f"figure: expected one of {', '.join(FIGURES)}, got {name!r}")
