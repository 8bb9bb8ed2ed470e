"""The labels of SemEval 2010 task 8: nine relations in two directions, and Other.

The statements that `convert --format semeval` makes carry the task's own labels, direction included, so that what a
model answers is what an answer file holds; this is the one place that says which labels those are.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from protorel.io import shown
from protorel.statements import BadInput

OTHER = "Other"
"""None of the nine: it has no direction, and no average counts it."""
SEMEVAL_RELATIONS = (
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
)
SEMEVAL_LABELS = (*(f"{name}({way})" for name in SEMEVAL_RELATIONS for way in ("e1,e2", "e2,e1")), OTHER)
"""The nineteen labels of an answer file."""

_DIRECTION = re.compile(r"\(e[12],e[12]\)$")


def without_direction(label: str) -> str:
    """Return the relation of a label, whichever of the two entities comes first."""
    return _DIRECTION.sub("", label)


def check_label(label: str, *, where: str = "") -> None:
    """Refuse what is none of the nineteen labels, as the official scorer does."""
    if label in SEMEVAL_LABELS:
        return
    if label in SEMEVAL_RELATIONS:
        raise BadInput(f"{where}label {label!r} has no direction, {label}(e1,e2) or {label}(e2,e1) is wanted")
    near = get_close_matches(label, SEMEVAL_LABELS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"{where}label {shown(label)} is none of the task's {len(SEMEVAL_LABELS)} labels{hint}")
