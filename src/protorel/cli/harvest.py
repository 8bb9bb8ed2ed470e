"""`protorel harvest`: a knowledge base and raw text to distantly labelled statements."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protorel.cli.options import seed_option
from protorel.cli.output import say
from protorel.io import BadInput

if TYPE_CHECKING:
    from protorel.harvest import Engine


class EngineName(StrEnum):
    """The engine that joins facts and text."""

    DUCKDB = "duckdb"
    SPARK = "spark"


def harvest(
    facts: Annotated[list[Path], typer.Option(metavar="SOURCE", help="Wikidata JSON, or triples; may be repeated.")],
    text: Annotated[
        list[Path], typer.Option(metavar="SOURCE", help="Wikipedia XML, JSONL, Parquet or text; may be repeated.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for statements and manifest.")],
    aliases: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Names of entities.")] = None,
    engine: Annotated[EngineName, typer.Option(help="duckdb: this machine; spark: a cluster.")] = EngineName.DUCKDB,
    master: Annotated[
        str | None, typer.Option(metavar="URL", help="Master of --engine spark; default: this machine.")
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes of --engine duckdb; 0: one per core.")] = 0,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Memory limit for sorting and joining.")] = "2GB",
    language: Annotated[str, typer.Option(help="Language of the names in a Wikidata dump.")] = "en",
    most: Annotated[int | None, typer.Option(metavar="N", min=1, help="Most statements per relation.")] = None,
    fewest: Annotated[int, typer.Option(metavar="N", min=1, help="Leave out relations with fewer statements.")] = 1,
    no_relation: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Share of pairs without a fact to keep.")
    ] = 0.0,
    ner: Annotated[str | None, typer.Option(metavar="PIPELINE", help="spaCy pipeline to check names with.")] = None,
    drop_adjectives: Annotated[
        bool, typer.Option("--drop-adjectives", help="Ignore names used as adjectives, as in `the Russian writer`.")
    ] = False,
    parts_of_names: Annotated[
        bool, typer.Option("--parts-of-names", help="In `Harrison Ford` see Ford, the company.")
    ] = False,
    shard: Annotated[
        int, typer.Option(metavar="N", min=1, help="Documents per shard; finished shards are kept.")
    ] = 500,
    seed: Annotated[int, seed_option("--most and --no-relation")] = 0,
) -> None:
    """Align facts with text: each sentence that names both entities of a fact becomes a statement of it."""
    from protorel.harvest import memory_bound
    from protorel.io import check_folder_target, check_source

    if master is not None and engine is not EngineName.SPARK:
        raise BadInput(f"--master {master}: expected --engine spark with it, got {engine}")
    for path in (*facts, *text, *(aliases or ())):
        check_source(path, folder=True)
    memory = memory_bound(memory)
    check_folder_target(out)
    from protorel.harvest import check_place

    check_place(out)
    from protorel.cli.console import Console
    from protorel.cli.progress import HarvestProgress
    from protorel.harvest import AlignmentRule, HarvestSettings, HarvestSources, MentionRule, harvest_statements

    rule = AlignmentRule(most=most, fewest=fewest, no_relation=no_relation, seed=seed)
    mentions = MentionRule(ner=ner, drop_adjectives=drop_adjectives, parts_of_names=parts_of_names)
    settings = HarvestSettings(language, shard, mentions, rule)
    sources = HarvestSources(tuple(facts), tuple(text), tuple(aliases or ()))
    chosen = _engine(engine, master, workers or os.cpu_count() or 1, memory)
    with HarvestProgress(Console(stderr=True)) as progress:
        manifest = harvest_statements(sources, out, engine=chosen, settings=settings, memory=memory, watch=progress)
    _say(manifest, out)


def _engine(name: EngineName, master: str | None, workers: int, memory: str) -> Engine:
    if name is EngineName.SPARK:
        from protorel.harvest import SparkEngine

        return SparkEngine(master or "local[*]")
    from protorel.harvest import DuckDBEngine

    return DuckDBEngine(workers=workers, memory=memory)


def _say(manifest: dict[str, Any], out: Path) -> None:
    counts = manifest["counts"]
    text, mentions, rows = counts["text"], counts["mentions"], counts["alignment"]
    rejected = sum(text["rejected"].values())
    say(
        f"{counts['facts']['facts']} facts; {text['taken']} documents read, {rejected} rejected; "
        f"{mentions['sentences']} sentences, {mentions['sentences that name two entities or more']} with two entities; "
        f"{rows['statements']} statements of {rows['relations']} relations in {out / 'statements'}; "
        f"manifest.json has all counts"
    )
