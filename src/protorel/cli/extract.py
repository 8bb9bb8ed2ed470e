"""`protorel extract`: triples of a text, a file or a stream of texts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from protorel.cli.output import say_note, say_unchanged
from protorel.io import BadInput, Interrupted, WorkFailed

if TYPE_CHECKING:
    from protorel.extraction import BadText, Extraction, Extractor, InputText

Format = Literal["table", "jsonl", "parquet", "csv", "graphml", "neo4j"]


def extract(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, `protorel-small`, or the hub id of a run.")
    ],
    text: Annotated[
        str,
        typer.Argument(
            metavar="[TEXT|FILE|-]",
            help="A text, a .txt file (one text), a .jsonl file (one per line), or - for standard input.",
            show_default=False,
        ),
    ] = "-",
    entities: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Where entities come from: spacy[:PIPELINE], names:FILE (names and ids of a knowledge base), or given "
            "(in the .jsonl file). Default: spaCy's small English pipeline, for texts that bring none.",
        ),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML file with types and directions of relations.")
    ] = None,
    among: Annotated[
        list[str] | None, typer.Option(metavar="RELATION", help="Candidate relation; may be repeated. Default: all.")
    ] = None,
    min_precision: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Assert what reached this precision on held-out data, such as 0.9."),
    ] = None,
    window: Annotated[int, typer.Option(min=1, help="Sentences that a pair of entities may span.")] = 1,
    format: Annotated[
        Format | None, typer.Option(help="Output format. Default: by the suffix of --out, else a table.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file; to this folder for neo4j.")
    ] = None,
) -> None:
    """Print the relations between the entities of a text, with their probabilities."""
    from protorel.extraction import (
        ExtractionSettings,
        Schema,
        check_output,
        check_share,
        check_source_name,
        check_texts,
        format_for,
        is_stream,
    )
    from protorel.model import ModelSource, check_has_relations

    source = ModelSource.find(model)
    check_texts(text)
    if entities is not None or not is_stream(text):
        check_source_name(entities or "spacy")
    rules = None if schema is None else Schema.load(schema)
    if min_precision is not None:
        check_share(min_precision, "--min-precision")
    chosen = format or format_for(out)
    check_output(chosen, out)
    if source.record is None:
        check_has_relations(model)
    from protorel.extraction import Extractor, read_texts, write_extractions
    from protorel.model import RelationModel

    extractor = Extractor(
        RelationModel.from_pretrained(source),
        entities=entities,
        schema=rules,
        window=window,
        min_precision=min_precision,
        settings=ExtractionSettings(relations=tuple(among) if among else None),
    )
    totals = _Totals()
    found = totals.counted(_extractions(extractor, read_texts(text), stream=is_stream(text)))
    if text == "-" and sys.stdin.isatty():
        say_note("reading the text from standard input; Ctrl-D ends it")
    try:
        changed = write_extractions(found, chosen, out, say=say_unchanged)
    except KeyboardInterrupt:
        raise Interrupted("stopped" if out is None else f"stopped; {out} is not written") from None
    for what, count in changed.items():
        say_note(f"{count} {what}")
    totals.report()


def _extractions(extractor: Extractor, texts: Iterator[InputText | BadText], *, stream: bool) -> Iterator[Extraction]:
    """Return what is found; a text of a stream that cannot be used is reported, a single one is an error."""
    return extractor.pipe(texts) if stream else map(extractor, cast("Iterator[InputText]", texts))


class _Totals:
    """Counts over all texts."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.texts = self.refused = 0
        self.calibrated = True

    def counted(self, extractions: Iterator[Extraction]) -> Iterator[Extraction]:
        """Count extractions as they pass."""
        for one in extractions:
            self.counts.update(one.counts)
            self.texts += 1
            self.refused += one.problem is not None
            self.calibrated = self.calibrated and one.calibrated
            yield one

    def report(self) -> None:
        """Say where all pairs ended.

        Raises:
            BadInput: no text could be used.
            WorkFailed: some could not.
        """
        from protorel.extraction import counts_in_words

        say_note(counts_in_words(self.counts))
        if not self.calibrated:
            say_note("the probabilities are not calibrated; see `protorel calibrate`")
        if self.refused:
            kind = BadInput if self.refused == self.texts else WorkFailed
            raise kind(f"{self.refused} of {self.texts} texts could not be used")
