"""`protorel calibrate`: probabilities of a run that fit held-out statements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import check_data_files
from protorel.cli.options import FileFormat
from protorel.cli.output import say, say_note
from protorel.io import BadInput

if TYPE_CHECKING:
    from protorel.model import Calibration

PRECISIONS = (0.7, 0.8, 0.9, 0.95)
"""Precisions whose coverage is printed."""


def calibrate(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small` or the hub id of a run.")
    ],
    held_out: Annotated[
        Path,
        typer.Argument(
            help="Labelled statements that the run was not trained on, pairs labelled no_relation among them."
        ),
    ],
    none_share: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Share of pairs without a relation where the model is used. Default: measured."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a new run here. Default: change the run folder.")
    ] = None,
    format: FileFormat = None,
) -> None:
    """Fit the probabilities of a run to held-out statements, and print how well they fit."""
    from protorel.model import check_has_relations, target_of

    source = check_has_relations(model)
    check_data_files(held_out, format=format)
    folder = target_of(source, out)
    from protorel.corpora import open_data
    from protorel.model import RelationModel  # brings torch

    found = RelationModel.from_pretrained(source).calibrated(open_data(held_out, format=format), none_share=none_share)
    found.save_pretrained(folder)
    assert found.calibration is not None
    _report(found.calibration)
    say(f"the calibrated run is in {folder}")


def _report(calibration: Calibration) -> None:
    on = calibration.held_out
    assert on is not None
    error = on.calibration_error
    say(
        f"{on.pairs:,} held-out pairs of {on.documents:,} documents, {100 * on.none_share:.1f} % without a relation, "
        f"{on.labels:,} labels"
    )
    say(
        f"calibration error {100 * error.value:.1f} points (95 % interval {100 * error.low:.1f} to "
        f"{100 * error.high:.1f}), cross-fitted over documents"
    )
    if calibration.none_share != calibration.measured_share:
        say(
            "probabilities are for texts where "
            f"{100 * (calibration.none_share or 0):.1f} % of the pairs hold no relation"
        )
    for precision in PRECISIONS:
        try:
            threshold, coverage = calibration.threshold_for(precision)
        except BadInput:
            say(f"precision {precision:.2f}: not reached")
            continue
        say(
            f"precision {precision:.2f}: from a probability of {threshold:.2f} on, {100 * coverage:.1f} % of the labels"
        )
    if on.unknown:
        number = sum(on.unknown.values())
        say_note(f"{number:,} labels of {len(on.unknown)} relations that the model does not have were counted as none")
