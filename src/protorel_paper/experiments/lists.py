"""Lists on the command line: amounts, seeds, rates, kinds of wrong labels. Nothing here needs torch."""

from __future__ import annotations

import re
from collections.abc import Sequence

from protorel.statements import BadInput

Amount = int | None
"""A number of relations or statements; None for all."""
KINDS = ("uniform", "confusable")
"""Kinds of wrong labels."""


def amounts(text: str, *, what: str) -> tuple[Amount, ...]:
    """Read a list such as `0,20,100,all`, without repetitions, in rising order."""
    found: set[Amount] = set()
    for part in text.split(","):
        if part.strip() == "all":
            found.add(None)
        elif re.fullmatch(r"\s*[0-9]{1,9}\s*", part):
            found.add(int(part))
        else:
            raise BadInput(f"--{what} {text}: expected a list such as 0,20,100,all, got {part.strip()!r}")
    return tuple(sorted(found, key=lambda amount: float("inf") if amount is None else amount))


def seed_list(text: str) -> tuple[int, ...]:
    """Read a list of seeds such as `0,1,2`."""
    found = amounts(text, what="seeds")
    if None in found:
        raise BadInput(f"--seeds {text}: expected a list such as 0,1,2, got 'all'")
    return tuple(seed for seed in found if seed is not None)


def amount(text: str, *, what: str) -> Amount:
    """Read one number above 0, or `all`."""
    found = amounts(text, what=what)
    if len(found) != 1 or found[0] == 0:
        raise BadInput(f"--{what}: expected one number above 0, or all, got {text!r}")
    return found[0]


def rate_list(text: str) -> tuple[float, ...]:
    """Read a list of shares such as `0,0.2,0.4`."""
    try:
        return tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        raise BadInput(f"--rates: expected a list such as 0,0.2,0.4, got {text!r}") from None


def check_noise(rates: Sequence[float], kinds: Sequence[str]) -> None:
    """Refuse rates outside [0, 1) and unknown kinds."""
    for rate in rates:
        if not 0 <= rate < 1:
            raise BadInput(f"--rates: expected shares from 0 to below 1, got {rate}")
    for kind in kinds:
        if kind not in KINDS:
            raise BadInput(f"--kinds: expected {' or '.join(KINDS)}, got {kind!r}")
    if not rates or not kinds:
        raise BadInput("expected at least one rate and one kind of wrong labels, got none")
