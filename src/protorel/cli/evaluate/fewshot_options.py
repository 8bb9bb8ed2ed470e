"""What `protorel evaluate fewshot` can be asked for, option by option."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.options import LARGEST_SEED
from protorel.cli.options import Phrase as Phrase
from protorel.fewshot import METHODS
from protorel.recipes import names


def _known_method(name: str | None) -> str | None:
    if name is not None and name not in METHODS:
        raise typer.BadParameter(f"expected one of {', '.join(METHODS)}, got {name!r}")
    return name


Run = Annotated[str, typer.Argument(help="A run folder, `minilm`, a folder with an encoder, or a hub id.")]
Data = Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")]
Way = Annotated[int, typer.Option(min=1, help="Relations per episode.")]
Shot = Annotated[int, typer.Option(min=0, help="Examples per relation; 0 with --descriptions.")]
EpisodeCount = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of episodes; default 10000, or 100 for setfit and pair, which are slow.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the episodes.")]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=_known_method,
        help=f"Few-shot method: {', '.join(METHODS)}. Default: the run's own, or prototype.",
    ),
]
SimilarityName = Annotated[
    names.SimilarityName | None, typer.Option(help="How vectors are compared; default: the run's own, or cosine.")
]
ApartPairs = Annotated[
    bool, typer.Option("--apart-pairs", help="Ask about no entity pair that the episode's examples are about.")
]
DescriptionFile = Annotated[
    Path | None,
    typer.Option("--descriptions", help="Names and descriptions of relations (JSON or YAML): ways are given by them."),
]
TextWeight = Annotated[
    float | None, typer.Option(help="How much a description counts where the examples count 1.", show_default=False)
]
NoneShare = Annotated[
    float | None, typer.Option(help="The share of queries from outside the ways; a rule may reject queries then.")
]
ThresholdFrom = Annotated[
    Path | None,
    typer.Option(help="Labelled statements of other relations to learn rejecting from; else those of --background."),
]
WantedError = Annotated[
    float | None, typer.Option(help="Reject until no more than this share of answers is wrong, not for most accuracy.")
]
Readout = Annotated[names.ReadoutName | None, typer.Option(help="How to read an encoder that is not a run.")]
Markers = Annotated[
    Literal["brackets", "unused"],
    typer.Option(help="What entity markers are in an encoder that is not a run: brackets, or unused tokens."),
]
BackgroundFile = Annotated[
    Path | None,
    typer.Option(help="Labelled statements of other relations: vectors are whitened by the spread within those."),
]
CrowdFile = Annotated[
    Path | None,
    typer.Option(help="Labelled statements of other relations: a way that they come near must be met more closely."),
]
Only = Annotated[
    str | None, typer.Option(help="Judge these relations only: a list that we ship (fewrel_dev), or a file.")
]
EquivalentsFile = Annotated[
    Path | None, typer.Option(help="A YAML table of relations that mean the same, on top of ours.")
]
Format = Annotated[str | None, typer.Option(help="The format of the files that are not Parquet.")]
JsonFile = Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")]
