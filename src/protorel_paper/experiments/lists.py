"""What an experiment varies, as lists that the command line takes: amounts, seeds, rates, kinds of wrong labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from protorel.statements import BadInput

Amount = int | None
"""How many; None for all that there are."""
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
            raise BadInput(f"--{what} {text}: {part.strip()!r} is no number, a list such as 0,20,100,all is wanted")
    return tuple(sorted(found, key=lambda amount: float("inf") if amount is None else amount))


def seed_list(text: str) -> tuple[int, ...]:
    """Read a list of seeds such as `0,1,2`."""
    found = amounts(text, what="seeds")
    if None in found:
        raise BadInput(f"--seeds {text}: 'all' is no seed, a list such as 0,1,2 is wanted")
    return tuple(seed for seed in found if seed is not None)


def amount(text: str, *, what: str) -> Amount:
    """Read one number above 0, or `all`."""
    found = amounts(text, what=what)
    if len(found) != 1 or found[0] == 0:
        raise BadInput(f"--{what} {text}: one number above 0, or all, is wanted")
    return found[0]


def rate_list(text: str) -> tuple[float, ...]:
    """Read a list of shares such as `0,0.2,0.4`."""
    try:
        return tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        raise BadInput(f"--rates {text}: is no list of shares such as 0,0.2,0.4") from None


def check_noise(rates: Sequence[float], kinds: Sequence[str]) -> None:
    """Refuse rates that are no shares, and kinds that are not known."""
    for rate in rates:
        if not 0 <= rate < 1:
            raise BadInput(f"--rates: {rate} is no rate of wrong labels, a share from 0 to below 1 is wanted")
    for kind in kinds:
        if kind not in KINDS:
            raise BadInput(f"--kinds: {kind!r} is not known, {' or '.join(KINDS)} is wanted")
    if not rates or not kinds:
        raise BadInput("no rate or no kind of wrong labels was given, at least one of each is wanted")
