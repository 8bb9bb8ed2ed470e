"""Thinning what a model answers by what the schema declares; each answer that is dropped is counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from protorel.extraction.schema import Schema
from protorel.model import Evidence


class Answer(NamedTuple):
    """A relation that the model finds between two mentions, by their numbers."""

    head: int
    tail: int
    relation: str
    probability: float
    reverse_probability: float
    evidence: tuple[Evidence, ...]


def thinned(
    answers: Iterable[Answer], schema: Schema, entities: Sequence[Hashable], counts: Counter[str]
) -> list[Answer]:
    """Return the answers that can hold together, the more probable ones of those that cannot.

    Args:
        answers: What the model finds, types already checked.
        schema: Symmetric relations, inverses, and how many there can be.
        entities: For each mention what it stands for.
        counts: Gains `symmetric_duplicate`, `inverse_duplicate` and `functional`.
    """
    ranked = sorted(answers, key=lambda one: (-one.probability, one.head, one.tail, one.relation))
    return _at_most_one(list(_facts_once(ranked, schema, counts)), schema, entities, counts)


def _facts_once(ranked: Sequence[Answer], schema: Schema, counts: Counter[str]) -> Iterable[Answer]:
    """Yield each fact once: the other direction of a symmetric relation, or an inverse, says the same again."""
    said: set[tuple[int, int, str]] = set()
    for one in ranked:
        rule = schema.rule(one.relation)
        other = one.relation if rule.symmetric else rule.inverse
        if other is not None and (one.tail, one.head, other) in said:
            counts["symmetric_duplicate" if rule.symmetric else "inverse_duplicate"] += 1
        else:
            said.add((one.head, one.tail, one.relation))
            yield one


def _at_most_one(
    ranked: Sequence[Answer], schema: Schema, entities: Sequence[Hashable], counts: Counter[str]
) -> list[Answer]:
    """Keep the most probable partner of an entity where there can be only one; it may be named several times."""
    partner: dict[tuple[str, str, Hashable], Hashable] = {}
    kept: list[Answer] = []
    for one in ranked:
        ends = {"head": entities[one.head], "tail": entities[one.tail]}
        sides = sorted(schema.rule(one.relation).at_most_one_per)
        others = {(one.relation, side, ends[side]): ends["tail" if side == "head" else "head"] for side in sides}
        if all(partner.get(key, other) == other for key, other in others.items()):
            partner.update(others)
            kept.append(one)
        else:
            counts["functional"] += 1
    return kept
