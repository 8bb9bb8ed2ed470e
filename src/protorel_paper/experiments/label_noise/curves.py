"""Curves of label noise: the figures of each recipe by the rate of wrong training labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from protorel.report import printed_colour
from protorel_paper.drawing import MARKS, legend_below, new_figure, write_figure
from protorel_paper.experiments.label_noise.run import CLEAN
from protorel_paper.experiments.label_noise.summary import NoiseRow, NoiseSummary

_LINES = {"uniform": "-", "confusable": "--"}


def write_noise_curves(summary: NoiseSummary, folder: Path) -> None:
    """Write curves.png and .svg: few-shot accuracy, relations recognised, wrong labels found, by the rate of noise."""
    panels = {
        "fewshot": f"{summary.task} accuracy, %",
        "recognised": "clean statements recognised, %",
        "wrong_labels_found": "AUROC of finding wrong labels, %",
    }
    figure, axes = new_figure(len(panels))
    several = len({row.start for row in summary.rows}) > 1
    series = _series(summary.rows)
    names = list(dict.fromkeys((start, recipe) for start, recipe, _ in series))
    for panel, (name, label) in zip(axes, panels.items(), strict=True):
        for (start, recipe, kind), rows in series.items():
            number = names.index((start, recipe))
            drawn = [(100 * row.rate, figure_) for row in rows if (figure_ := row.figures[name]) is not None]
            panel.errorbar(
                [rate + 0.4 * (number - (len(names) - 1) / 2) for rate, _ in drawn],
                [100 * figure_.value for _, figure_ in drawn],
                yerr=[100 * figure_.interval.margin if figure_.interval.count > 1 else 0 for _, figure_ in drawn],
                label=f"{recipe}, {start}, {kind}" if several else f"{recipe}, {kind}",
                color=printed_colour(number),
                linestyle=_LINES[kind],
                marker=MARKS[number % len(MARKS)],
                markersize=5,
                linewidth=1.5,
                elinewidth=0.8,
                capsize=2,
            )
        panel.set(xlabel="wrong training labels, %", ylabel=label)
        panel.set_xticks(sorted({100 * row.rate for row in summary.rows}))
    legend_below(figure, axes[0])
    write_figure(figure, folder, "curves")


def _series(rows: Sequence[NoiseRow]) -> dict[tuple[str, str, str], list[NoiseRow]]:
    """Return the rows of each start, recipe and kind; each begins with the row without noise."""
    kinds = [kind for kind in _LINES if any(row.kind == kind for row in rows)] or ["uniform"]
    found: dict[tuple[str, str, str], list[NoiseRow]] = {}
    for row in sorted(rows, key=lambda row: row.rate):
        for kind in kinds if row.kind == CLEAN else [row.kind]:
            found.setdefault((row.start, row.recipe, kind), []).append(row)
    return dict(sorted(found.items()))
