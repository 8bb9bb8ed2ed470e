"""The labels: how their scores are distributed, which relations have most wrong ones, and the worst of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from protorel.evaluation import Measurement
from protorel.report.axes import number
from protorel.report.content import LabelCheck, RelationLabels, WorstLabel
from protorel.report.histogram import groups_of, histogram
from protorel.report.painted import painted
from protorel.report.safe_text import safe
from protorel.report.tables import NONE, long_list, table

_MOST_WORST, _MOST_RELATIONS = 100, 30
_GROUPS = {"true": "labels known to be true", "false": "labels known to be wrong", "unchecked": "labels not checked"}


def labels_section(found: LabelCheck | None, names: Mapping[str, str]) -> str:
    """Return the section; an empty string where there is neither a score nor a suspicious label."""
    if found is None:
        return ""
    parts = [
        _histogram(found),
        _relations(found.relations[:_MOST_RELATIONS], len(found.relations), names),
        _worst(found, names),
    ]
    if not any(parts):
        return ""
    inner = "\n".join(part for part in parts if part)
    note = f'<p class="note">{safe(found.note, 1000)}</p>' if found.note else ""
    return f"""<section aria-labelledby="labels">
<h2 id="labels" tabindex="-1">Labels</h2>
<p class="note">{safe(found.explanation, 1000)}</p>
{note}
{inner}
</section>"""


def _histogram(found: LabelCheck) -> str:
    groups = groups_of({_GROUPS[name]: found.scores[name] for name in _GROUPS if name in found.scores})
    drawing = histogram(groups, title=found.score_name, around=(0.0, found.threshold), line=found.threshold)
    return f"{_area(found.auroc)}{drawing}" if drawing else ""


def _area(auroc: Measurement | None) -> str:
    if auroc is None or not math.isfinite(auroc.value):
        return ""
    margin = f' <span class="quiet">± {auroc.margin:.3f}</span>' if math.isfinite(auroc.margin) else ""
    return (
        f'<p class="result">AUROC <strong>{auroc.value:.3f}</strong>{margin} '
        '<span class="quiet">of true against wrong labels</span></p>\n'
    )


def _relations(rows: Sequence[RelationLabels], count: int, names: Mapping[str, str]) -> str:
    if not rows:
        return ""
    first = f" The first {len(rows)} of {count:,} relations." if count > len(rows) else ""
    body = [
        (
            f"<bdi>{_name(row.relation, names)}</bdi>",
            [
                f"{row.statements:,}",
                f"{row.issues:,}",
                _share(row),
                f"<bdi>{_name(row.confused_with, names)}</bdi>" if row.confused_with else NONE,
            ],
        )
        for row in rows
    ]
    columns = ("relation", "statements", "label issues", "estimated wrong", "most often looks like")
    return f"""<h3>By relation</h3>
<p class="note">Relations with the highest share of wrong labels first.{first}</p>
{table("Labels by relation", columns, body, tall=True, words=True)}"""


def _share(row: RelationLabels) -> str:
    if not row.statements or not math.isfinite(row.estimated_wrong):
        return NONE
    share = 100 * row.estimated_wrong / row.statements
    return f'{row.estimated_wrong:,.0f} <span class="margin">{share:.0f} %</span>'


def _worst(found: LabelCheck, names: Mapping[str, str]) -> str:
    worst = found.worst[:_MOST_WORST]
    if not worst:
        return ""
    items = [_item(label, found.score_name, names) for label in worst]
    return f"""<h3>The most suspicious labels</h3>
<p class="note">{_tally(worst)}<mark class="head">Head</mark> and <mark class="tail">tail</mark> are marked.</p>
{long_list(items)}"""


def _tally(worst: Sequence[WorstLabel]) -> str:
    known = [label.statement.expresses for label in worst if label.statement.expresses is not None]
    return f"{known.count(False)} of these {len(known)} are known to be wrong. " if known else ""


def _item(label: WorstLabel, score_name: str, names: Mapping[str, str]) -> str:
    statement = label.statement
    facts = [("label", f"<bdi>{_name(statement.relation, names) if statement.relation else 'none'}</bdi>", "")]
    if label.looks_like:
        facts.append(("looks like", f"<bdi>{_name(label.looks_like, names)}</bdi>", ""))
    if math.isfinite(label.score):
        facts.append((safe(score_name, 40), _score(label.score), ""))
    if label.says is not None:
        facts.append(("really says", f"<bdi>{safe(label.says, 200)}</bdi>", ""))
    if (verdict := _verdict(statement.expresses)) is not None:
        facts.append(("truth", *verdict))
    inner = "".join(
        f'<div class="{kind}"><dt class="unseen">{name}</dt><dd>{value}</dd></div>'
        if kind
        else f"<div><dt>{name}</dt><dd>{value}</dd></div>"
        for name, value, kind in facts
    )
    reason = f'\n<p class="reason"><bdi>{safe(label.reason, 400)}</bdi></p>' if label.reason else ""
    return f"<li>\n{painted(statement)}{reason}\n<dl>{inner}</dl>\n</li>"


def _score(score: float) -> str:
    return f"{score:.2f}".replace("-", "−") if abs(score) < 1000 else number(score)


def _name(relation: str, names: Mapping[str, str]) -> str:
    return safe(names.get(relation) or relation, 80)


def _verdict(expresses: bool | None) -> tuple[str, str] | None:
    """Return what is known of a label, and the class of its verdict: caught if it is wrong, missed if it is true."""
    if expresses is None:
        return None
    sign, text, kind = ("✗", "the label is true", "missed") if expresses else ("✓", "the label is wrong", "caught")
    return f'<span aria-hidden="true">{sign}</span> {text}', kind
