"""The reason of each score, as one sentence: what speaks most against the label, or for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_SURE = 0.5
"""From this score on, the reason says what speaks for a label."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a reason is made from: the row of the audit's table, and the names of relations."""

    values: Mapping[str, Any]
    names: Mapping[str, str]

    def name(self, relation: str | None) -> str:
        """Return a relation by its name, or by its id where it has none."""
        return self.names.get(str(relation)) or str(relation)

    def number(self, column: str) -> float | None:
        """Return a value, or None where it is missing."""
        value = self.values[column]
        return None if value is None or (isinstance(value, float) and np.isnan(value)) else float(value)


def reason(row: Row) -> str:
    """Return one sentence for one statement."""
    if float(row.values["label_score"]) >= _SURE:
        return _supported(row)
    found = [said for check in _DOUBTS if (said := check(row))]
    if not found:
        return f"Weak evidence for {row.name(row.values['given_label'])}."
    return _sentence(found[:2])


def _supported(row: Row) -> str:
    agreement, wording = row.number("neighbour_agreement"), row.number("wording_confidence")
    said = f"Looks like {row.name(row.values['given_label'])}"
    if wording:
        return f"{said}, and its wording is typical of it."
    if agreement is not None and agreement >= 0.5:
        return f"{said}, as {100 * agreement:.0f} % of its neighbours."
    return f"{said}."


def _repeated(row: Row) -> str | None:
    conflicts = row.number("duplicate_conflicts")
    if not conflicts:
        return None
    if conflicts == 1:
        return "a near-duplicate about this pair has another label"
    return f"{conflicts:.0f} near-duplicates about this pair have other labels"


def _another(row: Row) -> str | None:
    if row.values["predicted_label"] in (None, row.values["given_label"]):
        return None
    return f"it looks more like {row.name(row.values['predicted_label'])}"


def _turned(row: Row) -> str | None:
    forwards, backwards = row.number("cross_fitted_probability"), row.number("reverse_probability")
    if forwards is None or backwards is None or backwards < 0.3 or backwards < 2 * forwards:
        return None
    return "it fits better from tail to head"


def _types(row: Row) -> str | None:
    share = row.number("type_share")
    if share is None or share >= 0.02:
        return None
    kinds = f"{row.values['head_type']} and {row.values['tail_type']}"
    return f"only {100 * share:.0f} % of the label's statements relate {kinds}"


def _neighbours(row: Row) -> str | None:
    agreement = row.number("neighbour_agreement")
    if agreement is None or agreement >= 0.3:
        return None
    return f"{100 * agreement:.0f} % of its neighbours have this label"


def _unlikely(row: Row) -> str | None:
    probability = row.number("cross_fitted_probability")
    if probability is None or probability >= 0.2:
        return None
    return f"other sentences give this label a probability of {probability:.2f}"


def _description(row: Row) -> str | None:
    fit = row.number("description_fit")
    return "its description fits no better than those of other relations" if fit is not None and fit < 0.02 else None


_DOUBTS: Sequence[Callable[[Row], str | None]] = (
    _turned,
    _another,
    _repeated,
    _types,
    _neighbours,
    _unlikely,
    _description,
)
"""The most telling first."""


def _sentence(parts: Sequence[str]) -> str:
    said = ", and ".join(parts)
    return f"{said[0].upper()}{said[1:]}."
