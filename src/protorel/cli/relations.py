"""`protorel relations`: list, add and remove the relations of a run, without training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files
from protorel.cli.options import FileFormat
from protorel.cli.output import say
from protorel.io import BadInput, printable

relations = typer.Typer(help="List, add or remove the relations of a run.", no_args_is_help=True)
_Model = Annotated[str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small` or the hub id of a run.")]
_Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Write a new run here. Default: change the run folder.")]


@relations.command("list")
def list_relations(model: _Model) -> None:
    """Print the relations that have a prototype."""
    from protorel.model import check_has_relations

    source = check_has_relations(model)
    from rich.table import Table

    from protorel.cli.console import Console
    from protorel.geometry import Prototypes  # brings torch

    found = Prototypes.load(source.folder())
    table = Table(box=None, header_style="bold")
    for column in ("relation", "name", "made from", "description"):
        table.add_column(column)
    for relation, origin in zip(found.relations, found.origins, strict=True):
        cells = (relation.id, relation.name, origin.replace("_", " "), relation.description)
        table.add_row(*(printable(cell, longest=200) for cell in cells))
    Console().print(table)
    say(f"{len(found.relations)} relations")


@relations.command("add")
def add_relations(
    model: _Model,
    name: Annotated[str | None, typer.Option(metavar="ID", help="The relation to add.")] = None,
    describe: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it is called, or 'name: description'.")
    ] = None,
    descriptions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Names and descriptions of the relations to add.")
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Labelled examples of the relations: Parquet, or any file with --format."),
    ] = None,
    out: _Out = None,
    format: FileFormat = None,
) -> None:
    """Add relations by words, by examples or by both; nothing is trained."""
    from protorel.model import check_model, target_of
    from protorel.statements import Relation, load_descriptions

    if descriptions is not None and (name is not None or describe is not None):
        raise BadInput("expected --name and --describe for one relation, or --descriptions for several, got both")
    if describe is not None and name is None:
        raise BadInput("--describe: expected --name next to it, which says what the relation is called in answers")
    if name is None and descriptions is None and examples is None:
        raise BadInput("expected a relation to add: --name with --describe, --descriptions, or --examples")
    check_model(model)
    check_files(descriptions)
    check_data_files(examples, format=format)
    words = {}
    if descriptions is not None:
        words = dict(load_descriptions(descriptions).relations)
    elif name is not None:
        called, _, about = (describe or "").partition(":")
        words = {name: Relation(name, called.strip(), about.strip())}
    from protorel.model import ModelSource

    source = ModelSource.find(model)
    folder = target_of(source, out)
    from protorel.corpora import open_data
    from protorel.model import RelationModel  # brings torch

    shown = list(open_data(examples, format=format).source()) if examples is not None else []
    before = RelationModel.from_pretrained(source)
    after = before.with_relations(words or None, examples=shown)
    after.save_pretrained(folder)
    for relation, origin in list(zip(after.relations, after.prototypes.origins, strict=True))[len(before) :]:
        say(f"{relation.id}: added from {origin.replace('_', ' ')}")
    say(f"{len(after)} relations are in {folder}")


@relations.command("remove")
def remove_relations(
    model: _Model,
    names: Annotated[list[str], typer.Argument(metavar="RELATION...", help="Relations to remove.")],
    out: _Out = None,
) -> None:
    """Remove relations from a run."""
    from protorel.model import check_has_relations, target_of

    source = check_has_relations(model)
    folder = target_of(source, out)
    from protorel.model import RelationModel  # brings torch

    after = RelationModel.from_pretrained(source).without_relations(names)
    after.save_pretrained(folder)
    say(f"{len(after)} relations are in {folder}")
