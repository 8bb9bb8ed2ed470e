"""`protorel judge`: a local page on which people judge the labels of an audit; and what they found, as data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from protorel.cli.checks import check_files, check_results
from protorel.cli.options import LARGEST_SEED, JsonFile
from protorel.cli.output import flush, say, say_note
from protorel.io import BadInput, printable

if TYPE_CHECKING:
    from protorel.audit import WrongShare
    from protorel.judging import Coefficient, JudgingSummary

_PAGE, _RESULTS = "Page", "Results"
_PORT, _SAMPLE = 8001, 150
_RELATIONS = 10
"""The most relations to list, those with the highest share of wrong labels."""


def judge(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of an audit.")],
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help=f"How many statements to judge. Default: as before, or {_SAMPLE}. A larger number adds some.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
    order: Annotated[
        Literal["sample", "score", "random", "disagreements"],
        typer.Option(
            help="A sample stratified by score, the worst scores first, a random sample, or what judges disagree on.",
            rich_help_panel=_PAGE,
        ),
    ] = "sample",
    judge: Annotated[
        str, typer.Option(metavar="NAME", help="Name under which the verdicts are stored.", rich_help_panel=_PAGE)
    ] = "judge",
    descriptions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names and descriptions of the relations.", rich_help_panel=_PAGE),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 for any free one.", rich_help_panel=_PAGE)
    ] = _PORT,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=LARGEST_SEED,
            help="Random seed for the sample. Default: as before, or 0.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Print verdicts, agreement and the wrong share.", rich_help_panel=_RESULTS),
    ] = False,
    json: JsonFile = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write FILE.parquet (statements), FILE.json (Label Studio) or a folder (FuzzyRED).",
            rich_help_panel=_RESULTS,
        ),
    ] = None,
) -> None:
    """Serve a page on this machine for people to judge labels of an audit; or print and export their verdicts."""
    from protorel.judging import check_export, check_judge

    judge = check_judge(judge)
    check_files(descriptions)
    if json is not None and not summary:
        raise BadInput("--json: expected --summary next to it, whose figures it takes")
    check_results(json)
    if export is not None:
        check_export(export)
    if summary or export is not None:
        if export is not None:
            _export(folder, export)
        if summary:
            _summarise(folder, json)
        return
    from protorel.judging import JudgingServer, open_desk, serve
    from protorel.statements import load_descriptions

    words = load_descriptions(descriptions).relations if descriptions is not None else None
    with open_desk(folder, judge, order=order, size=sample, seed=seed, relations=words) as desk:
        server = JudgingServer(desk, port=port)
        say(f"judge at {server.address} as {judge} (Ctrl-C stops; every verdict is on disk)")
        flush()
        serve(server)
        shown = desk.view()
        say(f"{shown['done']} of {shown['total']} statements have a verdict of {judge}, stored in {desk.store.path}")


def _export(folder: Path, export: Path) -> None:
    from protorel.judging import export_verdicts

    done = export_verdicts(folder, export)
    say(f"{done.statements:,} statements written to {export}")
    if done.left_out:
        say_note(f"{done.left_out:,} statements were left out: their entities overlap, or the text has tags or lines")


def _summarise(folder: Path, json: Path | None) -> None:
    from protorel.io import write_json
    from protorel.judging import summarise_judging

    found = summarise_judging(folder)
    if json is not None:
        write_json(json, found.as_json)
    if not found.judges:
        say("no verdicts yet")
        return
    _show_judges(found)
    figures = found.as_json
    say(
        f"{figures['judged']:,} statements judged: {figures['right']:,} labels right, {figures['wrong']:,} wrong, "
        f"{figures['open']:,} open"
    )
    if found.wrong_share is not None:
        share = found.wrong_share
        say(f"share of wrong labels: {_share(share)}; {share.more_to_halve:,} more verdicts halve the interval")
        known = {relation: one for relation, one in share.relations.items() if one is not None}
        for relation, part in sorted(known.items(), key=lambda item: -item[1].value)[:_RELATIONS]:
            say(f"  {printable(relation)}: {_share(part)}, {part.judged:,} judged")
    else:
        say_note("no share of wrong labels: it needs verdicts on a random sample, with --order sample or random")
    agreement = found.agreement
    if agreement.alpha is not None:
        say(f"Krippendorff's alpha: {_coefficient(agreement.alpha)}")
    for (one, other), kappa in agreement.kappa.items():
        say(f"Cohen's kappa of {printable(one)} and {printable(other)}: {_coefficient(kappa)}")
    for judge, (same, low, high, number) in agreement.repeats.items():
        say(
            f"{printable(judge)} gave {100 * same:.0f} % of {number} repeated statements the same verdict "
            f"(95 % interval {100 * low:.0f} to {100 * high:.0f})"
        )
    if found.disagreements:
        say(f"judges disagree on {found.disagreements:,} statements: --order disagreements shows them")


def _share(found: WrongShare) -> str:
    return f"{100 * found.value:.1f} % (95 % interval {100 * found.low:.1f} to {100 * found.high:.1f})"


def _show_judges(found: JudgingSummary) -> None:
    from rich.table import Table

    from protorel.cli.console import Console
    from protorel.judging import VERDICTS

    table = Table(box=None, header_style="bold")
    for column in ("judge", *VERDICTS):
        table.add_column(column, justify="left" if column == "judge" else "right")
    for judge, counts in found.judges.items():
        table.add_row(printable(judge), *(f"{counts.get(verdict, 0):,}" for verdict in VERDICTS))
    Console().print(table)


def _coefficient(found: Coefficient) -> str:
    if found.value is None:
        return f"not defined, since all verdicts on {found.statements:,} statements are equal"
    interval = f" (95 % interval {found.low:.2f} to {found.high:.2f})" if found.low is not None else ""
    return f"{found.value:.2f}{interval} over {found.statements:,} statements"
