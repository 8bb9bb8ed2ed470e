"""`protorel evaluate …`: a run in, honest figures out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from protorel.corpora import read_data
from protorel.statements import BadInput, relation_list
from protorel.statements.files import write_json

evaluate = typer.Typer(help="Judge a run: figures with intervals.", no_args_is_help=True)


@evaluate.command()
def fewshot(
    run: Annotated[str, typer.Argument(help="A run folder, `minilm`, a folder with an encoder, or a hub id.")],
    data: Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")],
    way: Annotated[int, typer.Option(help="How many relations an episode has.")] = 5,
    shot: Annotated[int, typer.Option(help="How many examples of each are given.")] = 1,
    episodes: Annotated[int, typer.Option(help="How many episodes are drawn.")] = 10_000,
    seed: Annotated[int, typer.Option(help="What the episodes are drawn by.")] = 0,
    method: Annotated[str, typer.Option(help="prototype, mean or nearest: how examples decide.")] = "prototype",
    readout: Annotated[
        str | None, typer.Option(help="start, mention, cls or mean: how to read an encoder that is not a run.")
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(help="Labelled statements of other relations: vectors are whitened by the spread within those."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Judge these relations only: a list that we ship (fewrel_dev), or a file.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="The format of DATA, where it is not Parquet.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")] = None,
) -> None:
    """Few-shot accuracy on relations that the run need not know."""
    from protorel.evaluation import encode_once, few_shot_accuracy, few_shot_json, labelled, learn_background
    from protorel.model import RelationModel  # torch is loaded when it is needed, not for --help

    statements, relations = labelled(read_data(data, format=format))
    if only is not None:
        wanted = set(relation_list(only))
        statements = [statement for statement in statements if statement.relation in wanted]
        relations = [relation for relation in relations if relation in wanted]
        if not statements:
            raise BadInput(f"{data}: holds none of the {len(wanted)} relations of {only}")
    if (count := len(set(relations))) < way:
        raise BadInput(f"{data}: has {count} relations, {way} ways need at least {way}")
    others = read_data(background) if background else None  # before the long work, so that a bad file costs no time
    model = RelationModel.load(run, readout=readout)
    vectors = encode_once(model, statements)
    learned = learn_background(model, others, relations) if others is not None else None
    if learned is not None:
        vectors = learned.whitening(vectors)
    result = few_shot_accuracy(vectors, relations, way=way, shot=shot, episodes=episodes, seed=seed, method=method)
    if json is not None:
        write_json(json, few_shot_json(result, model, statements, run=run, data=str(data), background=learned))
    if known := len(set(relations) & set(model.relations.ids)):
        typer.echo(f"note: the run was trained on {known} of these {len(set(relations))} relations", err=True)
    Console().print(f"{result}; over relations {result.over_relations}", highlight=False, soft_wrap=True)
