"""Hand-made statements and vectors for the audit's tests."""

from __future__ import annotations

import numpy as np
import pytest

from protorel.audit.labelled_rows import LabelledRows
from protorel.statements import Span, Statement, as_data_set


def _about(text: str, head: str, tail: str, relation: str | None, **fields) -> Statement:
    spans = [Span(text.index(name), text.index(name) + len(name)) for name in (head, tail)]
    return Statement(text, *spans, relation, **fields)


@pytest.fixture(scope="session")
def about():
    """Give the function that makes a statement of a text and the names in it."""
    return _about


@pytest.fixture(scope="session")
def labelled_rows():
    """Give the function that numbers the labels and sentences of statements."""

    def of(statements: list[Statement]) -> LabelledRows:
        return LabelledRows.of(as_data_set(statements))

    return of


@pytest.fixture(scope="session")
def clusters():
    """Give the function that makes unit vectors around one direction per relation, with labels, some of them wrong."""

    def make(count: int = 120, relations: int = 4, *, wrong: float = 0.2, spread: float = 0.6):
        chance = np.random.default_rng(0)
        said = np.arange(count) % relations
        centres = chance.normal(size=(relations, 8))
        vectors = centres[said] + spread * chance.normal(size=(count, 8))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        labels = np.where(chance.random(count) < wrong, chance.integers(relations, size=count), said)
        return vectors, labels.astype(np.int64)

    return make
