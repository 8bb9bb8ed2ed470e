"""Which statements a judge sees, and in which order: a sample, the worst first, at random, or disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from protorel.audit import Audit, Sample, draw_sample
from protorel.io import BadInput, check_count
from protorel.judging.store import Plan, VerdictStore
from protorel.judging.verdicts import WRONG, JudgeHistory, Round

Order = Literal["sample", "score", "random", "disagreements"]
ORDERS: tuple[Order, ...] = get_args(Order)
SAMPLE = 150
"""The number of statements to judge by default."""
EVERY = 20
"""One statement of this many is shown again, 5 %."""
APART = 10
"""The fewest statements between a statement and its repeat."""
Item = tuple[int, Round]
"""A statement, by its place in the audit, and which look at it this is."""


def find_plan(store: VerdictStore, order: Order, *, size: int | None = None, seed: int | None = None) -> Plan:
    """Return the statements to judge in an order: those that the store has, or new ones, which are then stored.

    All judges of an audit judge the same statements. A larger size adds statements to those that were drawn before.

    Args:
        store: The verdicts of the audit.
        order: `sample`, `score` or `random`.
        size: How many statements. Default: as stored, or 150.
        seed: The random seed. Default: as stored, or 0.

    Raises:
        BadInput: the size is below 1, or the statements were drawn with another seed.
    """
    if size is not None:
        check_count(size, where="--sample")
    known = store.plan(order)
    if known is None:
        made = make_plan(store.audit, order, size=size or SAMPLE, seed=seed or 0)
        store.set_plan(made)
        return made
    if seed is not None and seed != known.seed:
        raise BadInput(
            f"--seed: expected {known.seed}, by which these statements were drawn, got {seed}. Leave --seed out."
        )
    if size is None or min(size, len(store.audit)) <= len(known.places):
        return known
    larger = make_plan(store.audit, order, size=size, seed=known.seed)
    if larger.places[: len(known.places)] != known.places:
        raise BadInput(
            f"--sample: expected at most {len(known.places)}, as an earlier version drew them, got {size}. "
            "Leave --sample out."
        )
    store.set_plan(larger)
    return larger


def make_plan(audit: Audit, order: Order, *, size: int, seed: int) -> Plan:
    """Return the first `size` statements of an audit in an order."""
    if order == "score":
        return Plan(order, tuple(range(min(size, len(audit)))), seed)
    drawn = _drawn(audit, order, size, seed)
    return Plan(
        order,
        tuple(drawn.places.tolist()),
        seed,
        inclusion=tuple(drawn.inclusion.tolist()),
        stratum=tuple(drawn.stratum.tolist()),
        strata=tuple(drawn.sizes.tolist()),
    )


def sample_of(audit: Audit, plan: Plan) -> Sample | None:
    """Return the sample that a plan was drawn as, or None if its statements are not a random sample."""
    if plan.name == "score":
        return None
    drawn = _drawn(audit, plan.name, len(plan.places), plan.seed)
    return drawn if tuple(drawn.places.tolist()) == plan.places else None


def with_repeats(plan: Plan) -> list[Item]:
    """Return the statements of a plan with repeats: after every 20, one of the first ten of these again."""
    random = np.random.default_rng([plan.seed, len("repeats")])
    items: list[Item] = []
    for number, place in enumerate(plan.places, start=1):
        items.append((place, "first"))
        if number % EVERY == 0:
            items.append((plan.places[number - EVERY + int(random.integers(EVERY - APART))], "repeat"))
    return items


def disagreements(histories: Mapping[str, JudgeHistory], *, settled: bool = False) -> list[int]:
    """Return the places of the statements that one judge finds right and another wrong, in the order of the audit.

    Args:
        histories: The verdicts of each judge.
        settled: Whether to include those that a later decision has settled.
    """
    views: dict[int, set[bool]] = {}
    decided: set[int] = set()
    for history in histories.values():
        for (place, round), verdict in history.standing().items():
            wrong = WRONG[verdict.verdict]
            if round == "settle" and wrong is not None:
                decided.add(place)
            if round == "first" and wrong is not None:
                views.setdefault(place, set()).add(wrong)
    return sorted(place for place, found in views.items() if len(found) > 1 and (settled or place not in decided))


def _drawn(audit: Audit, order: str, size: int, seed: int) -> Sample:
    if order == "random":
        return draw_sample(audit.scores, size, seed=seed, strata=1)
    return draw_sample(audit.scores, size, seed=seed)
