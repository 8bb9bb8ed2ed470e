"""The data card: what each run was trained on and decontaminated of, and the statements of the page by relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protorel.report.content import DataCard, RelationCount
from protorel.report.safe_text import safe
from protorel.report.tables import NONE, table

_MOST_FACTS, _MOST_RUNS, _MOST_RELATIONS = 60, 24, 200


def data_section(card: DataCard | None, names: Mapping[str, str]) -> str:
    """Return the section; an empty string where nothing is known."""
    if card is None or not (card.runs or card.data or card.relations):
        return ""
    return f"""<section aria-labelledby="data">
<h2 id="data" tabindex="-1">Data card</h2>
{_runs(card.runs)}
{facts_list(card.data, "The statements of this page")}
{_relations(card.relations, names)}
</section>"""


def facts_list(facts: Mapping[str, str], title: str = "") -> str:
    """Return facts as a list of names and values; an empty string without any."""
    if not facts:
        return ""
    pairs = "".join(
        f"<div><dt>{safe(str(name), 60)}</dt><dd>{safe(str(value))}</dd></div>"
        for name, value in list(facts.items())[:_MOST_FACTS]
    )
    heading = f"<h3>{safe(title)}</h3>\n" if title else ""
    return f'{heading}<dl class="facts">{pairs}</dl>'


def _runs(runs: Mapping[str, Mapping[str, str]]) -> str:
    shown = dict(list(runs.items())[:_MOST_RUNS])
    facts = list(dict.fromkeys(name for one in shown.values() for name in one))[:_MOST_FACTS]
    if not facts:
        return ""
    rows = [(safe(name, 80), [_value(one.get(name)) for one in shown.values()]) for name in facts]
    columns = ["", *(f"<bdi>{safe(run, 80)}</bdi>" for run in shown)]
    return f"<h3>Training</h3>\n{table('Training data of each run', columns, rows)}"


def _value(value: str | None) -> str:
    return NONE if value is None else f"<bdi>{safe(value, 200)}</bdi>"


def _relations(relations: Sequence[RelationCount], names: Mapping[str, str]) -> str:
    if not relations:
        return ""
    known = any(one.known_wrong is not None for one in relations)
    columns = ["relation", "statements", *(["known to be wrong"] if known else [])]
    rows = [
        (
            f"<bdi>{safe(names.get(one.relation) or one.relation, 80)}</bdi>",
            [f"{one.statements:,}", *([_wrong(one)] if known else [])],
        )
        for one in relations[:_MOST_RELATIONS]
    ]
    first = (
        f'<p class="note">The first {len(rows)} of {len(relations):,} relations.</p>'
        if len(rows) < len(relations)
        else ""
    )
    return f"<h3>Relations</h3>\n{first}{table('Statements by relation', columns, rows, tall=True)}"


def _wrong(one: RelationCount) -> str:
    return NONE if one.known_wrong is None else f"{one.known_wrong:,}"
