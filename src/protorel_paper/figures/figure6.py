"""Figure 6: the plot, its numbers as JSON, and a table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from protorel_paper.engine import provenance, write_summary
from protorel_paper.figures.decision_boundary import write_decision_boundaries
from protorel_paper.figures.iris import DRAWS, SHOWN_RATE, Distortion, IrisStudy, study_iris


def reproduce_figure6(out: Path, *, seed: int = 0, draws: int = DRAWS) -> IrisStudy:
    """Write figure6.png, .svg, .json and .md into a folder, each atomically."""
    study = study_iris(seed=seed, draws=draws)
    write_decision_boundaries(study, out)
    write_summary(out, "figure6", figure6_json(study), figure6_markdown(study))
    return study


def figure6_json(study: IrisStudy) -> dict[str, Any]:
    """Return every number with its settings: rotations in degrees, shifts in centimetres."""
    return {
        "task": "figure6",
        "seed": study.seed,
        "draws": study.draws,
        "shown_rate": SHOWN_RATE,
        "clean": {
            name: {
                "weights": boundary.weights.tolist(),
                "bias": boundary.bias,
                "accuracy": float((boundary(study.flowers.points) == study.flowers.labels).mean()),
            }
            for name, boundary in study.clean.items()
        },
        "noisy": [
            {
                "wrong_labels": one.kind,
                "rate": one.rate,
                **{name: asdict(distortion) for name, distortion in one.distortion.items()},
            }
            for one in study.noisy
        ],
        "data": study.flowers.described(),
        **provenance(),
    }


def figure6_markdown(study: IrisStudy) -> str:
    """Return the numbers as a table."""
    lines = [
        "# Figure 6: what wrong labels do to a boundary",
        "",
        f"{' and '.join(study.flowers.kinds)}, {' and '.join(study.flowers.features)}; {study.draws} draws of wrong "
        f"labels each, seed {study.seed}; means with 95 % intervals.",
        "",
        "| wrong labels | instance: turned, ° | prototype: turned, ° | instance: moved, cm | prototype: moved, cm | "
        "instance: right, % | prototype: right, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in study.noisy:
        cells = [_cells(distortion) for distortion in one.distortion.values()]
        row = " | ".join(" | ".join(pair) for pair in zip(*cells, strict=True))
        lines.append(f"| {100 * one.rate:.0f} % of {one.kind} | {row} |")
    return "\n".join(lines) + "\n"


def _cells(distortion: Distortion) -> tuple[str, str, str]:
    turned, moved, right = distortion.rotation, distortion.shift, distortion.accuracy
    return (
        f"{turned.value:.1f} ± {turned.margin:.1f}",
        f"{moved.value:.3f} ± {moved.margin:.3f}",
        f"{100 * right.value:.1f} ± {100 * right.margin:.1f}",
    )
