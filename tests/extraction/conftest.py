"""A model with a rule in place of weights, and entities that are capitalised words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from protorel.extraction import Extractor, Mention
from protorel.model import Evidence, Prediction
from protorel.statements import BadInput, RelationVocabulary, Statement

CAPITALISED = re.compile(r"[A-Z]\w*")
Answers = Callable[[Statement], dict[str, float]]


class RuleModel:
    """Answers by a rule: the probability of each relation that it names, 0 for the others."""

    def __init__(self, rule: Answers, relations: Sequence[str] = ("met", "born_in", "parent", "child", "spouse")):
        self.relations = RelationVocabulary(relations)
        self.rule = rule
        self.asked: list[list[Statement]] = []

    def predict(self, statements, *, among=None, top=3):
        self.asked.append(list(statements))
        return [self._prediction(one, among or self.relations.ids, top) for one in statements]

    def threshold_for(self, min_precision):
        if min_precision > 0.95:
            raise BadInput("min_precision: 0.99 cannot be reached on the held-out statements")
        return min_precision

    def _prediction(self, statement, among, top):
        said = self.rule(statement)
        ranked = tuple(sorted(((name, said.get(name, 0.0)) for name in among), key=lambda one: -one[1])[:top])
        asserted = tuple(one for one in ranked if one[1] >= 0.5)
        evidence = tuple(Evidence("prototype", name, value) for name, value in ranked[:2])
        name, value = asserted[0] if asserted else (None, 1 - ranked[0][1])
        return Prediction(name, value, asserted, ranked, 1 - ranked[0][1], 0.0, evidence, calibrated=True)

    @property
    def statements(self) -> list[Statement]:
        return [one for batch in self.asked for one in batch]


def in_order(statement: Statement) -> dict[str, float]:
    """A head that comes first met the tail, surely if they are close, else perhaps."""
    gap = statement.tail.start - statement.head.stop
    return {"met": 0.1 if gap < 0 else 0.9 if gap < 20 else 0.3}


def capitalised(text: str) -> list[Mention]:
    return [Mention(found.start(), found.end(), found[0]) for found in CAPITALISED.finditer(text)]


@pytest.fixture
def model() -> RuleModel:
    return RuleModel(in_order)


@pytest.fixture
def extractor(model) -> Extractor:
    return Extractor(model, entities=capitalised)


def said(extraction) -> list[tuple[str, str, str]]:
    return [(one.head.text, one.relation, one.tail.text) for one in extraction.triples]


def balanced(counts) -> bool:
    """Whether every ordered pair ended somewhere, and every answer too."""
    ends = ("too_far", "over_cap", "same_entity", "same_pair", "wrong_types", "unreadable", "none", "answered")
    return counts["pairs"] == sum(counts.get(name, 0) for name in ends)
